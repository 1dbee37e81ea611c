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

  const tables = [...document.querySelectorAll("details.finding")].map((node) => ({
    node,
    text: "",
  }));
  const list = document.getElementById("sentence-list");
  if (!list) return;
  // Paper cannot be unfolded: tables are printed open.
  let unfolded = [];
  addEventListener("beforeprint", () => {
    unfolded = tables.map(({ node }) => node).filter((node) => !node.open);
    for (const node of unfolded) node.open = true;
  });
  addEventListener("afterprint", () => {
    for (const node of unfolded) node.open = false;
  });
  const sentences = [...list.children].map((node, number) => ({
    node,
    number,
    keys: node.dataset.keys.split(" "),
    text: (node.firstElementChild.textContent + node.querySelector("table").textContent).toLowerCase(),
    drawn: node.querySelector("svg") !== null,
  }));
  const search = document.getElementById("search");
  const found = document.getElementById("search-count");
  const filter = document.getElementById("sentence-filter");
  const sort = document.getElementById("sentence-sort");
  const highest = document.getElementById("sentence-descending");
  const drawn = document.getElementById("sentence-drawn");
  const count = document.getElementById("sentence-count");

  const filterSentences = () => {
    const text = wanted(filter);
    const everywhere = wanted(search);
    let shown = 0;
    for (const each of sentences) {
      each.node.hidden =
        (drawn.checked && !each.drawn) ||
        !each.text.includes(text) ||
        !each.text.includes(everywhere);
      shown += !each.node.hidden;
    }
    say(count, shown, sentences.length);
    return shown;
  };
  const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  const link = (node, text) => {
    const made = document.createElement("a");
    made.href = `#${node.id}`;
    made.textContent = text;
    return made;
  };
  const searchAll = () => {
    const text = wanted(search);
    let shown = 0;
    for (const each of tables) {
      each.text ||= each.node.textContent.toLowerCase();
      each.node.hidden = !each.text.includes(text);
      shown += !each.node.hidden;
    }
    // A heading over tables that are all hidden says nothing.
    for (const heading of document.querySelectorAll("#tables > h3")) {
      let next = heading.nextElementSibling;
      while (next && next.matches("details") && next.hidden) next = next.nextElementSibling;
      heading.hidden = !(next && next.matches("details"));
    }
    const there = filterSentences();
    if (!text) {
      found.replaceChildren();
      return;
    }
    found.replaceChildren(
      "found in ",
      link(document.getElementById("tables") ?? document.getElementById("scores"), counted(shown, "table")),
      " and ",
      link(document.getElementById("sentences"), counted(there, "sentence")),
    );
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
  document.getElementById("search-controls").hidden = false;
  search.addEventListener("input", searchAll);
  filter.addEventListener("input", filterSentences);
  drawn.addEventListener("change", filterSentences);
  sort.addEventListener("change", sortSentences);
  highest.addEventListener("change", sortSentences);
})();
