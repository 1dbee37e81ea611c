// What a rater sets: points or a slider for each translation, or a choice of two.
//
// Each set of controls has: elements; read(), the answer, with null where one is missing;
// write(answer), which leaves out what is not legal; missing(), the first place without an answer,
// or -1; focus(place); key(event), whether the key was one of its own; keys, a list to show.

import { element, language, putText } from "/static/rate_texts.js";

const text = (words, lang, properties = {}) => {
  const made = element("p", { className: "text", dir: "auto", ...properties });
  putText(made, words, lang);
  return made;
};

const pointsOf = ({ min, max, step }) =>
  Array.from({ length: Math.round((max - min) / step) + 1 }, (_, n) =>
    Number((min + n * step).toPrecision(12)),
  );

// The digit of a point is its value if values are such; if not, its place.
const digitsOf = (points) =>
  points.every((point) => Number.isInteger(point) && point >= 0)
    ? points.map((point) => (point < 10 ? String(point) : ""))
    : points.map((_, place) => (place < 9 ? String(place + 1) : ""));

const radio = (name, value, label, shown, changed) => {
  const input = element("input", { type: "radio", name, value });
  input.setAttribute("aria-label", label);
  input.addEventListener("change", changed);
  return { input, label: element("label", { className: "point" }, input, element("span", {}, shown)) };
};

/** Points for one translation. */
const makePoints = (place, scale, changed) => {
  const points = pointsOf(scale);
  const digits = digitsOf(points);
  const byValue = points.every((point, n) => !digits[n] || digits[n] === String(point));
  const meaning = element("span", { className: "meaning" });
  const label = (point) => scale.labels[point] ?? "";
  const tell = () => {
    meaning.textContent = label(points[radios.findIndex(({ input }) => input.checked)]);
  };
  const radios = points.map((point, n) => {
    const name = label(point) ? `${point}: ${label(point)}` : String(point);
    const made = radio(`rating-${place}`, point, name, String(point), () => {
      tell();
      changed();
    });
    if (!byValue) made.label.append(element("kbd", {}, digits[n]));
    return made;
  });
  const set = (n) => {
    radios[n].input.checked = true;
    tell();
    changed();
  };
  return {
    element: element(
      "div",
      { className: "points" },
      ...radios.map((each) => each.label),
      meaning,
    ),
    read() {
      const n = radios.findIndex(({ input }) => input.checked);
      return n < 0 ? null : points[n];
    },
    write(value) {
      radios.forEach(({ input }, n) => (input.checked = points[n] === value));
      tell();
    },
    focus: () => (radios.find(({ input }) => input.checked) ?? radios[0]).input.focus(),
    digit(key) {
      const n = digits.indexOf(key);
      if (n >= 0) set(n);
      return n >= 0;
    },
    // Where nothing is chosen the browser would start at the second point.
    begin(key) {
      if (radios.some(({ input }) => input.checked)) return false;
      const n = key === "ArrowRight" ? 0 : points.length - 1;
      radios[n].input.focus();
      set(n);
      return true;
    },
  };
};

/** A slider for one translation, and its number, which can be typed. */
const makeSlider = (place, scale, changed) => {
  const { min, max, step } = scale;
  const range = element("input", { type: "range", min, max, step });
  const number = element("input", { type: "number", min, max, step, inputMode: "decimal" });
  const meaning = element("span", { className: "meaning" });
  range.setAttribute("aria-label", `Translation ${place + 1}: rating`);
  number.setAttribute("aria-label", `Translation ${place + 1}: rating as a number`);
  const show = () => {
    range.classList.toggle("unset", number.value === "");
    range.setAttribute("aria-valuetext", number.value === "" ? "no rating yet" : number.value);
    meaning.textContent = scale.labels[Number(number.value)] ?? "";
    if (number.value === "") meaning.textContent = "no rating yet";
  };
  const slide = () => {
    number.value = range.value;
    show();
    changed();
  };
  range.addEventListener("input", slide);
  // A click or a tap on where the handle is already, and the space bar, choose that place.
  range.addEventListener("pointerup", slide);
  range.addEventListener("keydown", (event) => {
    if (event.key === " ") slide();
    if (/^[0-9]$/.test(event.key) && !event.ctrlKey && !event.altKey && !event.metaKey) {
      number.value = "";
      number.focus(); // which then takes the digit
    }
  });
  // Scrolling the page must not turn the number.
  number.addEventListener("wheel", () => number.blur(), { passive: true });
  number.addEventListener("input", () => {
    if (number.value !== "" && number.validity.valid) range.value = number.value;
    show();
    changed();
  });
  return {
    element: element("div", { className: "slider" }, range, number, meaning),
    read: () => (number.value === "" || !number.validity.valid ? null : Number(number.value)),
    write(value) {
      range.value = value ?? (min + max) / 2;
      number.value = value ?? "";
      show();
    },
    focus: () => range.focus(),
    digit: () => false,
    begin: () => false,
  };
};

/** A rating for each of the translations. */
export function makeRatings(task, changed) {
  const points = task.scale.type === "points";
  const lang = language(task.reference ?? "", ...task.outputs);
  const make = points ? makePoints : makeSlider;
  const controls = task.outputs.map((_, place) => make(place, task.scale, changed));
  const elements = controls.map((control, place) => {
    const id = `text-${place}`;
    const name = task.outputs.length > 1 ? `Translation ${place + 1}` : "Translation";
    const box = element(
      "fieldset",
      {},
      element("legend", {}, name),
      text(task.outputs[place], lang, { id }),
      control.element,
    );
    box.setAttribute("aria-describedby", id);
    return box;
  });
  const focused = () => elements.findIndex((box) => box.contains(document.activeElement));
  const missing = () => controls.findIndex((control) => control.read() === null);
  const focus = (place) => {
    controls[place].focus();
    elements[place].scrollIntoView({ block: "nearest" });
  };
  const legal = points ? pointsOf(task.scale) : null;
  const isLegal = (value) =>
    legal ? legal.includes(value) : value >= task.scale.min && value <= task.scale.max;
  // To the next translation; after the last one to one that was left out, or to the button.
  const onward = (place) => {
    const next = place + 1 < controls.length ? place + 1 : missing();
    if (next < 0) document.getElementById("done").focus();
    else focus(next);
  };
  const labels = Object.entries(task.scale.labels).sort(([a], [b]) => a - b);
  const span = `${task.scale.min} to ${task.scale.max}`;
  return {
    elements,
    labels,
    keys: points
      ? [
          ["digits", "rate the translation and go to the next"],
          ["← →", "a lower, a higher rating"],
          ["↑ ↓", "the translation before, after"],
        ]
      : [
          ["← →", "a lower, a higher rating"],
          ["PageUp PageDown", "in larger steps"],
          ["digits", `type the rating, ${span}`],
          ["Space", "rate as the handle shows"],
          ["Tab", "the next translation"],
        ],
    read: () => controls.map((control) => control.read()),
    write(answer) {
      const given = Array.isArray(answer) && answer.length === controls.length ? answer : [];
      controls.forEach((control, place) =>
        control.write(typeof given[place] === "number" && isLegal(given[place]) ? given[place] : null),
      );
    },
    missing,
    say: (place) => `${elements[place].firstChild.textContent} has no rating yet.`,
    focus,
    key(event, letters) {
      const at = focused();
      if (event.key === "Enter" && at >= 0 && controls[at].read() !== null && missing() >= 0) {
        focus(missing());
        return true;
      }
      if (event.key === "Enter" && event.target.type === "range") {
        event.target.form.requestSubmit();
        return true;
      }
      if (!points) return false;
      const place = at < 0 && document.activeElement === document.body ? missing() : at;
      if (place < 0) return false;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        const next = place + (event.key === "ArrowDown" ? 1 : -1);
        if (next < controls.length) focus(Math.max(next, 0));
        else document.getElementById("done").focus();
        return true;
      }
      if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
        return controls[place].begin(event.key);
      }
      if (!letters || !controls[place].digit(event.key)) return false;
      onward(place);
      return true;
    },
  };
}

const CHOICES = [
  ["A", "Translation A", "a1"],
  ["B", "Translation B", "b2"],
  ["unknown", "Don’t know", "d3"],
];

/** The better of two translations. */
export function makePreference(task, changed) {
  const lang = language(task.reference ?? "", ...task.outputs);
  const radios = CHOICES.map(([value, name, keys], place) => {
    const shown = value === "unknown" ? "Don’t know" : `${value} is better`;
    const made = radio("choice", value, shown, shown, changed);
    made.label.append(element("kbd", {}, keys[0]));
    if (place < 2) made.input.setAttribute("aria-describedby", `text-${place}`);
    return { ...made, name };
  });
  const cards = radios.slice(0, 2).map(({ name, label }, place) =>
    element(
      "div",
      { className: "card" },
      element("h3", {}, name),
      text(task.outputs[place], lang, { id: `text-${place}` }),
      label,
    ),
  );
  const box = element(
    "fieldset",
    { className: "choice", tabIndex: -1 },
    element("legend", {}, "Which translation is better?"),
    element("div", { className: "pair" }, ...cards),
    radios[2].label,
  );
  const chosen = () => radios.findIndex(({ input }) => input.checked);
  return {
    elements: [box],
    labels: [],
    keys: [
      ["a or 1", "A is better"],
      ["b or 2", "B is better"],
      ["d or 3", "don’t know"],
    ],
    read: () => CHOICES[chosen()]?.[0] ?? null,
    write: (answer) => radios.forEach(({ input }) => (input.checked = input.value === answer)),
    missing: () => (chosen() < 0 ? 0 : -1),
    say: () => "Choose A, B or “Don’t know”.",
    // Without a choice, the question has the focus: a ring around A would look like a choice of it.
    focus: () => (radios[chosen()]?.input ?? box).focus(),
    key(event, letters) {
      const place = CHOICES.findIndex(([, , keys]) => keys.includes(event.key.toLowerCase()));
      if (!letters || place < 0) return false;
      radios[place].input.focus();
      radios[place].input.checked = true;
      changed();
      return true;
    },
  };
}
