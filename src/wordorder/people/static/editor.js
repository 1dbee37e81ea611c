// What the keys and the pointer do to the alignment of one sentence.

import * as made from "./alignment.js";
import { clamp, diagonal, digitsStart, positionOf, unlimitedStart } from "./geometry.js";
import { History } from "./history.js";

const SIDES = ["source", "target"];

export class Editor {
  #history;

  /**
   * Edit an alignment.
   *
   * told(text) hears what was done, for people who hear the page; shown() is called after each
   * step of the cursor, and changed() after each change of the alignment. `kept` is the history of
   * the same alignment, from before a reload.
   */
  constructor(alignment, { told, shown, changed }, kept = null) {
    this.#history = new History({ alignment }, kept);
    this.hooks = { told, shown, changed };
    // The walk goes over the target: most links then take one key.
    this.view = {
      side: "target",
      at: { source: 0, target: 0 },
      pick: null,
      matrix: false,
      layout: "rows",
      kind: "sure",
      moved: 0,
      digits: 0,
      direction: { source: "ltr", target: "ltr" },
      faults: { source: new Map(), target: new Map() },
    };
    this.#settle();
  }

  get alignment() {
    return this.#history.value.alignment;
  }

  get history() {
    return this.#history;
  }

  get canUndo() {
    return this.#history.canUndo;
  }

  get canRedo() {
    return this.#history.canRedo;
  }

  /** Do what a key asks; return whether it was for the alignment. */
  act(name, digit) {
    const action = ACTIONS[name];
    if (action) action(this, digit);
    return Boolean(action);
  }

  /**
   * Pick a word, or link it with the picked word of the other side, as a click does.
   *
   * The picked word stays picked for its next link, also if it is pressed again.
   */
  press(side, at) {
    this.#place(side, at);
    const { pick } = this.view;
    if (pick && pick.side !== side) return this.toggle(pick.at, at, side);
    this.#pick(side, at);
    this.hooks.told(`${this.alignment[side][at]} picked`);
    return this.hooks.shown();
  }

  /** Link the words of two places, if they are not; no word is picked then. */
  drag(from, to) {
    this.view.pick = null;
    this.#place(to.side, to.at);
    const [s, t] = from.side === "source" ? [from.at, to.at] : [to.at, from.at];
    if (made.linkOf(this.alignment, s, t)?.confirmed) this.hooks.shown();
    else this.toggle(from.at, to.at, to.side);
  }

  /** Link a word of a side with one of the other, or unlink the two; return whether linked now. */
  toggle(partner, at, side) {
    const [s, t] = side === "target" ? [partner, at] : [at, partner];
    const old = made.linkOf(this.alignment, s, t);
    const linking = !old?.confirmed;
    const kind = old?.kind ?? this.view.kind;
    this.#change(
      linking ? made.link(this.alignment, s, t, kind) : made.unlink(this.alignment, s, t),
      `${this.alignment.source[s]} and ${this.alignment.target[t]} ` +
        (linking ? `linked, ${kind}` : "unlinked"),
    );
    return linking;
  }

  /** Split a word. */
  split(side, at, parts) {
    const word = this.alignment[side][at];
    this.#change(made.split(this.alignment, side, at, parts), `${word} split: ${parts.join(" ")}`);
  }

  /** Replace the words of the target. */
  retype(words) {
    this.#change(made.retype(this.alignment, "target", words), "translation changed");
  }

  /** Say that there is nothing to align. */
  sayNothing() {
    this.#change({ ...this.alignment, nothing: true }, "nothing to align");
  }

  /** Take the faults of a check. */
  setFaults(faults) {
    for (const side of SIDES) this.view.faults[side] = new Map();
    for (const { side, position, message } of faults) {
      const at = this.view.faults[side];
      at?.set(position, at.has(position) ? `${at.get(position)} ${message}` : message);
    }
    this.hooks.shown();
  }

  /** Go to a word, if the cursor is elsewhere. */
  goTo(side, at) {
    if (this.view.side !== side || this.view.at[side] !== at) this.#place(side, at);
  }

  /** Move over the words, as an arrow points. */
  move(right, down) {
    const { view } = this;
    if (view.matrix) {
      view.at.source = this.#inside("source", view.at.source + down);
      view.at.target = this.#inside("target", view.at.target + right * this.#sense("target"));
    } else if (view.layout === "rows") {
      if (down) this.#cross(down < 0 ? "source" : "target");
      else this.#along(right * this.#sense(view.side));
    } else if (right) this.#cross(right < 0 ? "source" : "target");
    else this.#along(down);
    this.#moved();
  }

  /** Move to an end of the line. */
  jump(end) {
    const { view } = this;
    view.at[view.side] = end * (this.alignment[view.side].length - 1);
    this.#moved();
  }

  /** Move to the next word with a mark, source words first. */
  nextMark() {
    const { faults, side, at } = this.view;
    const doubts = this.alignment.links.filter(made.isDoubtful).map(({ t }) => t);
    const marked = { source: faults.source.keys(), target: [...faults.target.keys(), ...doubts] };
    const places = SIDES.flatMap((it) =>
      [...new Set(marked[it])].sort((a, b) => a - b).map((position) => [it, position]),
    );
    const here = SIDES.indexOf(side);
    const after = places.find(([it, position]) => {
      const there = SIDES.indexOf(it);
      return there > here || (there === here && position > at[side]);
    });
    const next = after ?? places[0];
    if (!next) return this.hooks.told("no marks");
    this.#place(...next);
    this.hooks.told(faults[next[0]].get(next[1]) ?? "doubtful link");
    this.#moved();
  }

  /** Link the word of the cursor with the word that has a digit, and go on. */
  digit(digit) {
    const { side, at, digits } = this.view;
    const other = made.otherSide(side);
    const partner = positionOf(digit, digits, this.alignment[other].length);
    if (partner < 0) return this.hooks.told(`no word has the digit ${digit}`);
    this.#linkAndGo(other, partner, at[side]);
  }

  /** Do what Space does. */
  space() {
    const { side, at, pick, matrix } = this.view;
    if (matrix) this.toggle(at.source, at.target, "target");
    else if (pick && pick.side !== side) this.#linkAndGo(pick.side, pick.at, at[side]);
    else this.press(side, at[side]);
  }

  /** Give the digits to other words. */
  moveDigits(by) {
    const { view } = this;
    // From where they are: at an end of the line they may be far from what was expected.
    view.moved += view.digits + by - unlimitedStart(this.#expected(), view.moved);
    this.#settle();
    this.hooks.shown();
  }

  /** Change the alignment by a function of it, the side and the place of the cursor. */
  change(change, says) {
    const { side, at } = this.view;
    const word = this.alignment[side][at[side]];
    this.#change(change(this.alignment, side, at[side]), `${word}: ${says}`);
  }

  /** Join the word of the cursor with the next one. */
  join() {
    const { side, at } = this.view;
    if (at[side] + 1 >= this.alignment[side].length) return this.hooks.told("no word follows");
    this.change(made.join, "joined with the next word");
  }

  /** Go a step back or forth in what was done. */
  step(forth) {
    const stepped = forth ? this.#history.redo() : this.#history.undo();
    if (!stepped) return this.hooks.told(forth ? "nothing to redo" : "nothing to undo");
    const { cursor } = this.#history.value;
    if (cursor) Object.assign(this.view, { side: cursor.side, at: { ...cursor.at } });
    this.#changed(forth ? "redone" : "undone");
  }

  #linkAndGo(pickSide, partner, at) {
    const side = made.otherSide(pickSide);
    if (this.toggle(partner, at, side)) {
      this.#pick(pickSide, partner);
      const words = this.alignment[side].length;
      const done = new Set(
        this.alignment.links.filter((it) => it.confirmed).map((it) => it[made.endOf(side)]),
      );
      let next = at + 1;
      while (next < words && done.has(next)) next++;
      if (next < words) this.view.at[side] = next;
    }
    this.#moved();
  }

  #pick(side, at) {
    this.view.pick = { side, at, words: this.alignment[side] };
  }

  #along(by) {
    const { side, at } = this.view;
    at[side] = this.#inside(side, at[side] + by);
  }

  // To the other line: to a word that this one is linked with, or to the one as far along.
  #cross(side) {
    const { view } = this;
    if (side === view.side) return;
    const links = made.linksOf(this.alignment, view.side, view.at[view.side]);
    const size = this.alignment[side].length;
    view.at[side] = links.length
      ? links[0][made.endOf(side)]
      : diagonal(view.at[view.side], this.alignment[view.side].length, size);
    view.side = side;
  }

  #place(side, at) {
    this.view.side = side;
    this.view.at[side] = at;
    this.view.moved = 0;
    this.#settle();
  }

  #moved() {
    this.view.moved = 0;
    this.#settle();
    this.hooks.shown();
  }

  #change(alignment, says) {
    const { side, at } = this.view;
    this.#history.value.cursor = { side, at: { ...at } };
    const nothing = alignment.nothing && !made.isLinked(alignment);
    this.#history.change({ alignment: { ...alignment, nothing } });
    this.#changed(says);
  }

  #changed(says) {
    this.#settle();
    this.hooks.told(says);
    this.hooks.changed();
    this.hooks.shown();
  }

  // Keep the cursor on words that exist, drop a word that was picked among other words than these,
  // and find which words have digits.
  #settle() {
    const { view, alignment } = this;
    for (const side of SIDES) view.at[side] = this.#inside(side, view.at[side]);
    if (view.pick && view.pick.words !== alignment[view.pick.side]) view.pick = null;
    const size = alignment[made.otherSide(view.side)].length;
    view.digits = digitsStart(this.#expected(), view.moved, size);
  }

  // The word of the other side around which links are expected: the partner of the nearest word
  // before the cursor that has one.
  #expected() {
    const { side, at } = this.view;
    const other = made.otherSide(side);
    for (let before = at[side]; before >= 0; before--) {
      const links = made.linksOf(this.alignment, side, before).filter((it) => it.confirmed);
      if (links.length) return links.at(-1)[made.endOf(other)];
    }
    return diagonal(at[side], this.alignment[side].length, this.alignment[other].length);
  }

  #inside(side, at) {
    return clamp(at, 0, Math.max(0, this.alignment[side].length - 1));
  }

  // Whether the next word is to the right (1) or to the left (-1).
  #sense(side) {
    return this.view.direction[side] === "rtl" ? -1 : 1;
  }
}

const ACTIONS = {
  left: (editor) => editor.move(-1, 0),
  right: (editor) => editor.move(1, 0),
  up: (editor) => editor.move(0, -1),
  down: (editor) => editor.move(0, 1),
  first: (editor) => editor.jump(0),
  last: (editor) => editor.jump(1),
  link: (editor) => editor.space(),
  digit: (editor, digit) => editor.digit(digit),
  "earlier-digits": (editor) => editor.moveDigits(-5),
  "later-digits": (editor) => editor.moveDigits(5),
  unlink: (editor) => editor.change(made.unlinkWord, "no link"),
  "change-kind": (editor) => editor.change(made.changeKind, "kind of links changed"),
  confirm: (editor) => editor.change(made.confirm, "suggestions confirmed"),
  "confirm-all": (editor) => editor.change((it) => made.confirm(it), "all suggestions confirmed"),
  join: (editor) => editor.join(),
  undo: (editor) => editor.step(false),
  redo: (editor) => editor.step(true),
  "next-mark": (editor) => editor.nextMark(),
  kind: (editor) => {
    editor.view.kind = editor.view.kind === "sure" ? "possible" : "sure";
    editor.hooks.told(`new links are ${editor.view.kind}`);
    editor.hooks.shown();
  },
  drop: (editor) => {
    editor.view.pick = null;
    editor.hooks.shown();
  },
  view: (editor) => {
    editor.view.matrix = !editor.view.matrix;
    editor.hooks.shown();
  },
  layout: (editor) => {
    editor.view.layout = editor.view.layout === "rows" ? "columns" : "rows";
    editor.hooks.shown();
  },
};
