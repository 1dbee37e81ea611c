// The windows of the page: the list of keys, the splitting of a word, and whether to save as it is.

import { words } from "./alignment.js";
import { ACTIONS } from "./keys.js";
import { element } from "./words.js";

const KEY_NAMES = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };

/** Fill the list of keys. */
export function listKeys(table) {
  for (const { name, keys, says } of ACTIONS) {
    const cell = element("th", { scope: "row" });
    for (const key of keys) cell.append(element("kbd", {}, KEY_NAMES[key] ?? key), " ");
    const row = element("tr", {}, cell, element("td", {}, says));
    row.dataset.action = name;
    table.append(row);
  }
}

/** Write what a button does, and its keys, from the list of keys. */
export function nameButton(button) {
  const { keys, says } = ACTIONS.find(({ name }) => name === button.dataset.action);
  button.title = `${says} (${keys.map((key) => KEY_NAMES[key] ?? key).join(", ")})`;
  const shortcuts = keys.filter((key) => !key.includes("…")).map((key) => key.replace("Ctrl", "Control"));
  button.setAttribute("aria-keyshortcuts", shortcuts.join(" "));
}

/** Ask how a word is split; resolve to its parts, or to null. */
export function askParts(dialog, word, direction) {
  const [input, fault] = [dialog.querySelector("input"), dialog.querySelector("[role=alert]")];
  const form = dialog.querySelector("form");
  input.value = proposed(word).join(" ");
  input.dir = direction;
  fault.textContent = "";
  dialog.showModal();
  input.focus();
  const blank = input.value.indexOf(" ");
  input.setSelectionRange(blank + 1, blank + 1);
  return new Promise((resolve) => {
    form.onsubmit = (event) => {
      event.preventDefault();
      const parts = words(input.value);
      if (parts.join("") !== word) fault.textContent = `The parts must make up “${word}”.`;
      else if (parts.length < 2) fault.textContent = "Add a blank where the word is split.";
      else {
        // Before the next key, which is for the page again.
        resolve(parts);
        dialog.close();
      }
    };
    dialog.onclose = () => resolve(null);
  });
}

/** Ask whether a sentence is saved as it is; resolve to true or false. */
export function askWhether(dialog, { title, why, yes }) {
  dialog.querySelector("h2").textContent = title;
  dialog.querySelector("p").textContent = why;
  dialog.querySelector("[value=yes]").textContent = `${yes} (y)`;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.onkeydown = (event) => {
      if (event.key.toLowerCase() !== "y" || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      dialog.close("yes");
    };
    dialog.onclose = () => resolve(dialog.returnValue === "yes");
  });
}

// The words that the browser finds in a text without blanks, or two halves.
function proposed(word) {
  const cut = (granularity) =>
    [...new Intl.Segmenter(undefined, { granularity }).segment(word)].map((it) => it.segment);
  const found = cut("word");
  if (found.length > 1) return found;
  const letters = cut("grapheme");
  const half = Math.ceil(letters.length / 2);
  return [letters.slice(0, half).join(""), letters.slice(half).join("")];
}
