// A dot for each task of this person: filled where it is finished, open where it is not, and in a
// ring where it is shown. A click opens the task.

import { api } from "/static/saving.js";

// At most so many dots, around the task that is shown; fewer in a narrow window.
const MAX_DOTS = 15;
const MAX_DOTS_NARROW = 7;
const NARROW = 600;

/**
 * Make the dots in an element.
 *
 * `name` is what a task is called; `open(task)` shows one; with `ahead`, tasks behind the first
 * unfinished one can be opened too.
 */
export function makeDots(place, { name, open, ahead }) {
  let tasks = [];
  let shown = null;

  const render = () => {
    const now = tasks.findIndex(({ task }) => task === shown);
    place.hidden = now < 0 || tasks.length < 2;
    if (place.hidden) return;
    const size = innerWidth < NARROW ? MAX_DOTS_NARROW : MAX_DOTS;
    const first = Math.max(0, Math.min(now - Math.floor(size / 2), tasks.length - size));
    const unfinished = tasks.findIndex(({ done }) => !done);
    const dots = tasks.slice(first, first + size).map(({ task, done }, offset) => {
      const index = first + offset;
      const dot = document.createElement("button");
      dot.type = "button";
      dot.dataset.done = done;
      dot.tabIndex = index === now ? 0 : -1;
      dot.disabled = !ahead && !done && index !== unfinished;
      const label = `${name} ${index + 1}, ${done ? "done" : "not done"}`;
      dot.setAttribute("aria-label", label);
      dot.title = label;
      if (index === now) dot.setAttribute("aria-current", "page");
      dot.addEventListener("click", () => task !== shown && open(task));
      return dot;
    });
    const focused = place.contains(document.activeElement);
    place.replaceChildren(...dots);
    if (focused) place.querySelector("[aria-current]").focus();
  };

  // One stop of the Tab key; arrows go from dot to dot.
  place.addEventListener("keydown", (event) => {
    if (["Enter", " "].includes(event.key)) event.stopPropagation();
    if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    const enabled = [...place.querySelectorAll("button:not(:disabled)")];
    const step = event.key === "ArrowRight" ? 1 : -1;
    enabled[enabled.indexOf(document.activeElement) + step]?.focus();
    event.preventDefault();
    event.stopPropagation();
  });

  return {
    /** Show the dots around a task; the list comes from the server if it does not have the task. */
    async show(task) {
      shown = task;
      if (task !== null && !tasks.some((known) => known.task === task)) {
        try {
          tasks = (await api("/api/tasks")).tasks;
        } catch {
          // Without the list there are no dots; the next task asks again.
        }
      }
      render();
    },

    /** Note that a task is finished. */
    finish(task) {
      const known = tasks.find((each) => each.task === task);
      if (known) known.done = true;
      render();
    },
  };
}
