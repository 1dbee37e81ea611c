// The crossing-lines view: two lines of words, and a line for each link.

import { isDoubtful, otherSide } from "./alignment.js";
import { GEOMETRY, digitOf, hasDigit, rowDistance } from "./geometry.js";
import { attributes, children, element, kindName, wordName } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
// A pointer that moves less than this clicks.
const STEADY = 8;

export class LinesView {
  #shown = null;
  #drag = null;

  /** Draw into a node; press(side, at) is a click, and drag(from, to) joins two places. */
  constructor(root, { press, drag }) {
    this.root = root;
    this.rows = {};
    this.svg = document.createElementNS(SVG, "svg");
    attributes(this.svg, { class: "links", "aria-hidden": "true", focusable: "false" });
    for (const name of ["paths", "ends", "doubts"]) {
      this[name] = document.createElementNS(SVG, "g");
      this.svg.append(this[name]);
    }
    root.append(this.svg);
    for (const side of ["source", "target"]) {
      this.rows[side] = element("div", { className: `line ${side}` });
      attributes(this.rows[side], { role: "group", "aria-label": `${side} words` });
      root.append(this.rows[side]);
    }
    root.addEventListener("click", (event) => {
      const place = placeOf(event.target);
      if (place) press(place.side, place.at);
    });
    root.addEventListener("pointerdown", (event) => this.#start(event));
    root.addEventListener("pointermove", (event) => this.#move(event));
    root.addEventListener("pointerup", (event) => this.#end(event, drag));
    root.addEventListener("pointercancel", () => this.#stop());
    new ResizeObserver(() => this.#shown && this.#draw()).observe(root);
  }

  /** Show an alignment; view says where the cursor is, what is picked, and what is at fault. */
  show(alignment, view) {
    this.#shown = { alignment, view };
    this.root.dataset.layout = view.layout;
    const { source, target } = view.direction;
    attributes(this.root, { "data-mixed": source !== target });
    const longest = Math.max(alignment.source.length, alignment.target.length);
    this.root.style.setProperty("--distance", `${rowDistance(longest)}px`);
    for (const side of ["source", "target"]) this.#showLine(side);
    this.#draw();
  }

  /** Put the focus onto a word. */
  focus(side, at) {
    const button = this.rows[side].children[at];
    button?.focus({ preventScroll: true });
    button?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }

  #showLine(side) {
    const { alignment, view } = this.#shown;
    const row = this.rows[side];
    row.dir = view.direction[side];
    const buttons = children(row, alignment[side].length, () => newWord(side));
    const linked = new Set(alignment.links.map((link) => (side === "source" ? link.s : link.t)));
    for (const [at, button] of buttons.entries()) {
      const active = view.side === side && view.at[side] === at;
      const picked = view.pick?.side === side && view.pick.at === at;
      const numbered = view.side === otherSide(side) && hasDigit(at, view.digits);
      const fault = view.faults[side].get(at) ?? "";
      button.firstElementChild.textContent = alignment[side][at];
      button.dataset.at = at;
      button.tabIndex = active ? 0 : -1;
      button.title = fault;
      attributes(button, {
        "aria-label": wordName(alignment, side, at, {
          fault,
          picked,
          digit: numbered ? digitOf(at) : null,
        }),
        "aria-pressed": String(picked),
        "data-active": active,
        "data-digit": numbered ? String(digitOf(at)) : null,
        "data-unlinked": !linked.has(at),
        "data-fault": Boolean(fault),
      });
    }
  }

  #draw() {
    const { alignment, view } = this.#shown;
    const frame = this.root.getBoundingClientRect();
    attributes(this.svg, { width: frame.width, height: frame.height });
    const { links } = alignment;
    const paths = children(this.paths, links.length, () => document.createElementNS(SVG, "path"));
    // Full where a link is sure, open where it is possible.
    const dots = children(this.ends, 2 * links.length, () => document.createElementNS(SVG, "circle"));
    const doubtful = links.filter(isDoubtful).length;
    const doubts = children(this.doubts, doubtful, () => document.createElementNS(SVG, "text"));
    for (const [number, link] of links.entries()) {
      const ends = [this.#anchor("source", link.s, frame), this.#anchor("target", link.t, frame)];
      const active = view.at[view.side] === (view.side === "source" ? link.s : link.t);
      const look = {
        "data-kind": link.kind,
        "data-suggested": !link.confirmed,
        "data-doubtful": isDoubtful(link),
        "data-active": active,
      };
      attributes(paths[number], {
        ...look,
        d: pathOf(ends),
        "data-pair": `${link.s}-${link.t} ${kindName(link)}`,
      });
      for (const [which, [cx, cy]] of ends.entries()) {
        attributes(dots[2 * number + which], { ...look, cx, cy, r: 4 });
      }
      if (isDoubtful(link)) {
        const [[x, y], [toX, toY]] = ends;
        const mark = doubts.shift();
        attributes(mark, { x: (x + toX) / 2, y: (y + toY) / 2 });
        mark.textContent = "?";
      }
    }
  }

  // Where a link meets a word: the middle of the edge towards the other line.
  #anchor(side, at, frame) {
    const box = this.rows[side].children[at].getBoundingClientRect();
    const left = box.left - frame.left;
    const top = box.top - frame.top;
    if (this.#shown.view.layout === "columns") {
      return [side === "source" ? left + box.width : left, top + box.height / 2];
    }
    return [left + box.width / 2, side === "source" ? top + box.height : top];
  }

  #start(event) {
    const from = placeOf(event.target);
    if (!from || event.button !== 0) return;
    this.#drag = { from, x: event.clientX, y: event.clientY, path: null };
  }

  #move(event) {
    if (!this.#drag) return;
    const { from, x, y } = this.#drag;
    if (!this.#drag.path && Math.hypot(event.clientX - x, event.clientY - y) < STEADY) return;
    if (!this.#drag.path) {
      this.#drag.path = document.createElementNS(SVG, "path");
      this.#drag.path.setAttribute("class", "dragged");
      // Outside of the links, which are counted.
      this.overlay.append(this.#drag.path);
    }
    const frame = this.root.getBoundingClientRect();
    const end = [event.clientX - frame.left, event.clientY - frame.top];
    this.#drag.path.setAttribute("d", pathOf([this.#anchor(from.side, from.at, frame), end]));
  }

  #end(event, drag) {
    const from = this.#drag?.from;
    const dragged = Boolean(this.#drag?.path);
    this.#stop();
    if (!dragged) return;
    const to = placeOf(document.elementFromPoint(event.clientX, event.clientY));
    if (to && to.side !== from.side) drag(from, to);
  }

  #stop() {
    this.#drag?.path?.remove();
    this.#drag = null;
  }

  // A drawing above the links, made when the first drag begins.
  get overlay() {
    let overlay = this.root.querySelector(".overlay");
    if (!overlay) {
      overlay = document.createElementNS(SVG, "svg");
      attributes(overlay, { class: "overlay", "aria-hidden": "true" });
      this.root.append(overlay);
    }
    return overlay;
  }
}

/** The style sheet's numbers, from the geometry of the pictures. */
export function setGeometry(root) {
  for (const name of ["margin", "gap", "box", "font", "cell", "mark"]) {
    root.style.setProperty(`--${name}`, `${GEOMETRY[name]}px`);
  }
  root.style.setProperty("--tilt", `${-GEOMETRY.tilt}deg`);
}

function newWord(side) {
  const word = element("bdi", { className: "text" });
  const button = element("button", { type: "button", className: "word" }, word);
  button.dataset.side = side;
  return button;
}

function placeOf(node) {
  const button = node?.closest?.("button.word");
  return button ? { side: button.dataset.side, at: Number(button.dataset.at) } : null;
}

function pathOf([[x, y], [toX, toY]]) {
  return `M${x.toFixed(1)} ${y.toFixed(1)}L${toX.toFixed(1)} ${toY.toFixed(1)}`;
}
