"use strict";
(() => {
  // More marks make typing slow.
  const MARKS = 5000;
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

  const wanted = (input) => (input ? input.value.trim().toLowerCase() : "");
  const say = (output, shown, all) => {
    output.textContent = `${shown} of ${all} shown`;
  };

  const search = document.getElementById("search");

  const controlsOf = (table) => {
    const before = table.parentElement.previousElementSibling;
    return before && before.matches(".controls") ? before : null;
  };

  // Hide the rows without what is searched in the table; without what is searched in the page too,
  // as long as other rows have it. Return how many rows have that.
  const filterRows = (table) => {
    const controls = controlsOf(table);
    const [own, everywhere] = [controls?.querySelector("input"), search].map(wanted);
    const rows = [...table.tBodies[0].rows].map((node) => {
      const text = node.textContent.toLowerCase();
      return { node, own: text.includes(own), found: text.includes(everywhere) };
    });
    const found = rows.filter((row) => row.found).length;
    let shown = 0;
    for (const row of rows) {
      row.node.hidden = !row.own || (found > 0 && !row.found);
      shown += !row.node.hidden;
    }
    if (controls) say(controls.querySelector("output"), shown, rows.length);
    return found;
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
    const controls = controlsOf(table);
    if (!controls) continue;
    controls.hidden = false;
    controls.querySelector("input").addEventListener("input", () => filterRows(table));
  }

  // A table that is wider than its place becomes a list of cards: nothing is out of sight.
  const fit = (table) => {
    table.classList.remove("cards");
    const place = table.parentElement;
    if (!place.clientWidth || place.clientWidth > 800 || table.scrollWidth <= place.clientWidth) {
      return;
    }
    if (!table.dataset.labelled) {
      table.dataset.labelled = "yes";
      const labels = [...table.tHead.rows[0].cells].map((head) => head.textContent);
      for (const row of table.tBodies[0].rows) {
        [...row.cells].forEach((cell, n) => {
          cell.dataset.label = labels[n];
          if (cell.textContent.length > 24) cell.classList.add("long");
        });
      }
    }
    table.classList.add("cards");
  };
  const fitAll = (within) => {
    for (const table of within.querySelectorAll("table.sortable")) fit(table);
  };
  for (const folded of document.querySelectorAll("details:has(table.sortable)")) {
    folded.addEventListener("toggle", () => fitAll(folded));
  }
  addEventListener("resize", () => fitAll(document));
  fitAll(document);

  const list = document.getElementById("sentence-list");
  const packed = document.getElementById("packed");
  let unpacked = !packed;
  let adopt = () => {};

  // The other sentences are in this file, deflated: they come when they are asked for.
  const unpack = async () => {
    if (unpacked) return;
    unpacked = true;
    const bytes = Uint8Array.from(atob(packed.content.textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const blocks = document.createElement("template");
    // As the program wrote them: their texts are escaped, and the page's policy holds for them.
    blocks.innerHTML = await new Response(stream).text();
    const nodes = [...blocks.content.children];
    list.append(...nodes);
    packed.remove();
    document.getElementById("sentence-all").remove();
    adopt(nodes);
  };

  // A link to what is folded opens it, also in browsers that do not do so themselves, and shows it
  // from its heading on.
  const open = async () => {
    const id = location.hash.slice(1);
    if (/^s\d+$/.test(id) && !document.getElementById(id)) await unpack();
    const around = document.getElementById(id)?.closest("details");
    if (!around) return;
    around.hidden = false;
    around.open = true;
    around.scrollIntoView();
  };
  addEventListener("hashchange", open);
  // A second click on the same link changes nothing in the address.
  addEventListener("click", (event) => {
    if (event.target.closest?.("a")?.getAttribute("href") === location.hash) open();
  });
  open();

  if (!list) return;
  // Paper cannot be unfolded: tables are printed open.
  let unfolded = [];
  addEventListener("beforeprint", () => {
    unfolded = [...document.querySelectorAll("details.finding:not([open])")];
    for (const node of unfolded) node.open = true;
  });
  addEventListener("afterprint", () => {
    for (const node of unfolded) node.open = false;
  });
  const sentences = [];
  adopt = (nodes) => {
    for (const node of nodes) {
      sentences.push({
        node,
        number: Number(node.querySelector("b").textContent),
        keys: node.dataset.keys.split(" ").map(Number),
        parts: "summary, table",
        drawn: node.querySelector("svg") !== null,
      });
    }
  };
  adopt([...list.children]);
  const tables = [...document.querySelectorAll("details.finding:has(table)")].map((node) => ({
    node,
    parts: "summary > :first-child, div > :not(.controls)",
    opened: false,
  }));
  // Read when it is first searched: so long pages are soon there.
  const textOf = (each) => {
    each.text ??= [...each.node.querySelectorAll(each.parts)]
      .map((part) => part.textContent)
      .join("\n")
      .toLowerCase();
    return each.text;
  };
  const found = document.getElementById("search-count");
  const filter = document.getElementById("sentence-filter");
  const sort = document.getElementById("sentence-sort");
  const highest = document.getElementById("sentence-descending");
  const drawn = document.getElementById("sentence-drawn");
  const count = document.getElementById("sentence-count");

  const best = document.getElementById("sentence-best");
  const short = document.getElementById("sentence-short");
  const bestIn = (keys) => {
    const sign = Number(best.dataset.sign);
    const others = keys.slice(4).filter((value) => !Number.isNaN(value));
    return others.every((value) => sign * keys[Number(best.value)] >= sign * value);
  };
  const filterSentences = () => {
    const text = wanted(filter);
    const everywhere = wanted(search);
    const most = Number(short.value) || Infinity;
    let shown = 0;
    for (const each of sentences) {
      each.node.hidden =
        (drawn.checked && !each.drawn) ||
        each.keys[0] > most ||
        (best?.value && !bestIn(each.keys)) ||
        !textOf(each).includes(text) ||
        !textOf(each).includes(everywhere);
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
  // Paint what is found, as far as it is not too much; browsers that cannot do so leave it out.
  const mark = (text) => {
    if (!globalThis.Highlight) return;
    const places = new Highlight();
    const shown = text ? document.querySelectorAll("details.finding[open], .sentence") : [];
    for (const each of shown) {
      if (each.hidden) continue;
      const nodes = document.createTreeWalker(each, NodeFilter.SHOW_TEXT);
      while (nodes.nextNode() && places.size < MARKS) {
        const node = nodes.currentNode;
        const lower = node.data.toLowerCase();
        // Some letters have another length in lower case.
        if (lower.length !== node.length) continue;
        for (let at = lower.indexOf(text); at >= 0; at = lower.indexOf(text, at + text.length)) {
          const place = new Range();
          place.setStart(node, at);
          place.setEnd(node, at + text.length);
          places.add(place);
        }
      }
    }
    CSS.highlights.set("found", places);
  };
  const searchAll = () => {
    const text = wanted(search);
    let rows = 0;
    const having = tables.filter((each) => textOf(each).includes(text));
    const shown = having.length;
    for (const each of tables) {
      const has = having.includes(each);
      each.node.hidden = !has;
      if (text && has && !each.node.open) each.opened = each.node.open = true;
      // What the search has opened is folded again.
      if (each.opened && !(text && has)) each.opened = each.node.open = false;
      for (const table of each.node.querySelectorAll("table.sortable")) {
        const here = filterRows(table);
        if (has) rows += here;
      }
    }
    // A heading over tables that are all hidden says nothing.
    for (const heading of document.querySelectorAll("#tables > h3")) {
      let next = heading.nextElementSibling;
      while (next && next.matches("details") && next.hidden) next = next.nextElementSibling;
      heading.hidden = !(next && next.matches("details"));
    }
    const there = filterSentences();
    mark(text);
    if (!text || !(shown + there)) {
      found.replaceChildren(text ? "no match" : "");
      return;
    }
    found.replaceChildren(
      "found in ",
      // To the first of them, wherever it is.
      shown ? link(having[0].node.querySelector("div[id]"), counted(shown, "table")) : "0 tables",
      ` (${counted(rows, "row")}) and `,
      link(document.getElementById("sentences"), counted(there, "sentence")),
    );
  };
  const sortSentences = () => {
    const key = Number(sort.value);
    const rows = sentences.map(({ node, number, keys }) => {
      const value = key < 0 ? number : keys[key];
      return { node, empty: Number.isNaN(value), value };
    });
    put(list, rows.sort(byValue(highest.checked)));
  };
  // What one asks of the sentences is asked of all.
  const ask = (element, event, then, needed = () => true) => {
    element?.addEventListener(event, async () => {
      const first = !unpacked && needed();
      if (first) await unpack();
      if (first) sortSentences();
      then();
    });
  };
  // Those that are listed can be put in the order of the text as they are.
  const byScore = () => Number(sort.value) >= 0;

  document.getElementById("sentence-controls").hidden = false;
  document.getElementById("search-controls").hidden = false;
  ask(search, "input", searchAll);
  ask(document.getElementById("sentence-all"), "click", filterSentences);
  for (const field of [filter, short]) ask(field, "input", filterSentences);
  for (const field of [drawn, best]) ask(field, "change", filterSentences);
  for (const field of [sort, highest]) ask(field, "change", sortSentences, byScore);
  say(count, sentences.length, sentences.length);
})();
