"use strict";
(() => {
  const collator = new Intl.Collator(undefined, { numeric: true });

  // Empty cells stay at the end in both directions.
  const byValue = (descending) => (a, b) => {
    if (a.empty || b.empty) return a.empty - b.empty;
    const order =
      typeof a.value === "number" ? a.value - b.value : collator.compare(a.value, b.value);
    return descending ? -order : order;
  };

  const put = (parent, sorted) => {
    const moved = document.createDocumentFragment();
    for (const each of sorted) moved.append(each.node);
    parent.append(moved);
  };

  const sortTable = (table, head, column) => {
    const numeric = head.dataset.kind === "number";
    const before = head.getAttribute("aria-sort");
    // Of numbers the highest first, of words the first of the alphabet.
    const descending = before ? before === "ascending" : numeric;
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((node) => {
      const cell = node.cells[column];
      const text = (cell.dataset.value ?? cell.textContent).trim();
      return { node, empty: text === "", value: numeric ? Number(text) : text };
    });
    put(body, rows.sort(byValue(descending)));
  };

  const wanted = (input) => input.value.trim().toLowerCase();
  const say = (output, shown, all) => {
    output.textContent = `${shown} of ${all} shown`;
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (!head.dataset.kind) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sortTable(table, head, column));
    });
    const controls = table.parentElement.previousElementSibling;
    if (!controls || !controls.matches(".controls")) continue;
    controls.hidden = false;
    const input = controls.querySelector("input");
    const output = controls.querySelector("output");
    input.addEventListener("input", () => {
      const text = wanted(input);
      let shown = 0;
      for (const row of table.tBodies[0].rows) {
        row.hidden = !row.textContent.toLowerCase().includes(text);
        shown += !row.hidden;
      }
      say(output, shown, table.tBodies[0].rows.length);
    });
  }

  // A link to what is folded opens it, also in browsers that do not do so themselves.
  const open = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target) return;
    const around = target.closest("details");
    if (around && (!around.open || around.hidden)) {
      around.hidden = false;
      around.open = true;
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", open);
  open();

  const list = document.getElementById("sentence-list");
  if (!list) return;
  const sentences = [...list.children].map((node, number) => ({
    node,
    number,
    keys: node.dataset.keys.split(" "),
    text: (node.firstElementChild.textContent + node.querySelector("table").textContent).toLowerCase(),
    drawn: node.querySelector("svg") !== null,
  }));
  const filter = document.getElementById("sentence-filter");
  const sort = document.getElementById("sentence-sort");
  const highest = document.getElementById("sentence-descending");
  const drawn = document.getElementById("sentence-drawn");
  const count = document.getElementById("sentence-count");

  const filterSentences = () => {
    const text = wanted(filter);
    let shown = 0;
    for (const each of sentences) {
      each.node.hidden = (drawn.checked && !each.drawn) || !each.text.includes(text);
      shown += !each.node.hidden;
    }
    say(count, shown, sentences.length);
  };
  const sortSentences = () => {
    const key = Number(sort.value);
    const rows = sentences.map(({ node, number, keys }) => {
      const value = key < 0 ? number : Number(keys[key]);
      return { node, empty: Number.isNaN(value), value };
    });
    put(list, rows.sort(byValue(highest.checked)));
  };

  document.getElementById("sentence-controls").hidden = false;
  filter.addEventListener("input", filterSentences);
  drawn.addEventListener("change", filterSentences);
  sort.addEventListener("change", sortSentences);
  highest.addEventListener("change", sortSentences);
})();
