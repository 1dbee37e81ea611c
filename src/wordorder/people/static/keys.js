// Every action of the page, its keys, and what it does: the page's list on "?" is made from this.

export const ACTIONS = [
  { name: "left", keys: ["ArrowLeft"], says: "one word to the left" },
  { name: "right", keys: ["ArrowRight"], says: "one word to the right" },
  { name: "up", keys: ["ArrowUp"], says: "to the line above, or one word up" },
  { name: "down", keys: ["ArrowDown"], says: "to the line below, or one word down" },
  { name: "first", keys: ["Home"], says: "to the first word of the line" },
  { name: "last", keys: ["End"], says: "to the last word of the line" },
  {
    name: "link",
    keys: ["Space"],
    says: "pick this word, which stays picked; link it with the picked word of the other line, or unlink the two",
  },
  {
    name: "digit",
    keys: ["1 … 9", "0"],
    says: "link this word with the word that has this digit, and go to the next word",
  },
  { name: "earlier-digits", keys: [","], says: "give the digits to words further left" },
  { name: "later-digits", keys: ["."], says: "give the digits to words further right" },
  { name: "unlink", keys: ["Delete", "Backspace"], says: "remove all links of this word" },
  { name: "kind", keys: ["p"], says: "make new links possible, or sure again" },
  { name: "change-kind", keys: ["t"], says: "make the links of this word possible, or sure" },
  { name: "confirm", keys: ["y"], says: "confirm the suggested links of this word" },
  { name: "confirm-all", keys: ["a"], says: "confirm all suggested links" },
  { name: "split", keys: ["x"], says: "split this word" },
  { name: "join", keys: ["j"], says: "join this word with the next one" },
  { name: "type", keys: ["e"], says: "edit the translation, where it is typed here" },
  { name: "undo", keys: ["u", "Ctrl+Z"], says: "undo" },
  { name: "redo", keys: ["r", "Ctrl+Y"], says: "redo" },
  { name: "view", keys: ["m"], says: "show the matrix, or the lines" },
  { name: "layout", keys: ["w"], says: "show the words in rows, or in columns" },
  { name: "drawings", keys: ["d"], says: "show or hide the reference order and its tree" },
  { name: "next-mark", keys: ["n"], says: "go to the next word with a mark or a doubtful suggestion" },
  { name: "drop", keys: ["Escape"], says: "drop the picked word; close a window" },
  { name: "done", keys: ["Enter"], says: "save, and go to the next sentence; you are asked once if something is open" },
  { name: "earlier", keys: ["PageUp"], says: "go back to the sentence before" },
  { name: "later", keys: ["PageDown"], says: "go on to the sentence after" },
  { name: "help", keys: ["?"], says: "show this list" },
];

const NAMES = new Map(
  ACTIONS.flatMap((action) => action.keys.map((key) => [key.toLowerCase(), action.name])),
);

/** Return the action of a key press: {name, digit} or null. */
export function actionOf(event) {
  if (event.isComposing || event.altKey) return null;
  // The row of digits gives digits on every keyboard, with or without Shift.
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code ?? "")?.[1] ?? /^\d$/.exec(event.key)?.[0];
  const control = event.ctrlKey || event.metaKey;
  if (digit !== undefined && !control && event.key !== "?") {
    return { name: "digit", digit: Number(digit) };
  }
  let key = event.key === " " ? "space" : event.key.toLowerCase();
  if (control) key = key === "z" && event.shiftKey ? "ctrl+y" : `ctrl+${key}`;
  const name = NAMES.get(key);
  return name ? { name } : null;
}
