// The matrix view of the same links: source words down, target words across.

import { isDoubtful, linkOf } from "./alignment.js";
import { GEOMETRY } from "./geometry.js";
import { attributes, children, element, kindName } from "./words.js";

export class MatrixView {
  /** Draw into a node; press(s, t) is a click on a cell. */
  constructor(root, { press }) {
    this.table = element("table", {});
    attributes(this.table, { role: "grid", "aria-label": "links: source words down, target words across" });
    this.head = element("tr", {});
    this.body = element("tbody", {});
    this.table.append(element("thead", {}, this.head), this.body);
    root.append(this.table);
    this.table.addEventListener("click", (event) => {
      const cell = event.target.closest("td");
      if (cell) press(Number(cell.dataset.s), Number(cell.dataset.t));
    });
  }

  /** Show an alignment; the cursor is on the cell of the two words of view.at. */
  show(alignment, view) {
    // As in the pictures of reports, columns run as the target does.
    this.table.dir = view.direction.target;
    const heads = children(this.head, alignment.target.length + 1, (at) =>
      at ? newHead("col") : element("td", {}),
    );
    for (const [t, head] of heads.slice(1).entries()) {
      showHead(head, alignment.target[t], view.faults.target.get(t), view.at.target === t);
    }
    this.#makeRoom(heads.slice(1));
    const rows = children(this.body, alignment.source.length, () =>
      element("tr", {}, newHead("row")),
    );
    for (const [s, row] of rows.entries()) {
      const [head, ...cells] = children(row, alignment.target.length + 1, newCell);
      showHead(head, alignment.source[s], view.faults.source.get(s), view.at.source === s);
      for (const [t, cell] of cells.entries()) showCell(cell, alignment, view, s, t);
    }
  }

  // Tilted words need height above the cells, and room beside the last column.
  #makeRoom(heads) {
    const widths = heads.map((head) => head.firstElementChild.offsetWidth);
    const longest = Math.max(0, ...widths);
    const tilt = (GEOMETRY.tilt * Math.PI) / 180;
    const { gap, box } = GEOMETRY;
    this.table.style.setProperty("--head", `${Math.ceil(longest * Math.sin(tilt) + box / 2 + gap)}px`);
    this.table.style.marginInlineEnd = `${Math.ceil(longest * Math.cos(tilt) + box)}px`;
  }

  /** Put the focus onto a cell. */
  focus(s, t) {
    const cell = this.body.children[s]?.children[t + 1];
    cell?.focus({ preventScroll: true });
    cell?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }
}

function newHead(scope) {
  const word = element("bdi", { className: "text" });
  return element("th", { scope }, element("span", { className: "tilted" }, word));
}

function newCell() {
  const cell = element("td", { className: "cell" });
  cell.setAttribute("role", "gridcell");
  return cell;
}

function showHead(head, word, fault, active) {
  head.querySelector(".text").textContent = word;
  head.title = fault ?? "";
  attributes(head, { "data-fault": Boolean(fault), "data-active": active });
}

function showCell(cell, alignment, view, s, t) {
  const link = linkOf(alignment, s, t);
  const active = view.at.source === s && view.at.target === t;
  cell.dataset.s = s;
  cell.dataset.t = t;
  cell.tabIndex = active ? 0 : -1;
  const says = link ? kindName(link) : "no link";
  attributes(cell, {
    "aria-label": `${alignment.source[s]} – ${alignment.target[t]}: ${says}`,
    "aria-selected": String(Boolean(link)),
    "data-kind": link?.kind ?? null,
    "data-suggested": link ? !link.confirmed : null,
    "data-doubtful": link ? isDoubtful(link) : null,
    "data-active": active,
  });
}
