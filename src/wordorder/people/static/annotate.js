// The annotation page: one sentence at a time, from the server and back to it.

import { fromTask, isDoubtful, isLinked, toAnswer, words } from "./alignment.js";
import { askParts, askWhether, listKeys, nameButton } from "./dialogs.js";
import { makeDots } from "./dots.js";
import { Editor } from "./editor.js";
import { actionOf } from "./keys.js";
import { LinesView, setGeometry } from "./lines.js";
import { MatrixView } from "./matrix.js";
import { markdown } from "./rate_texts.js";
import { api, saving } from "./saving.js";
import { element } from "./words.js";

// Milliseconds: of rest before the server checks, and between two tries to reach it.
const REST = 250;
const RETRY = 2000;
// And for that check when a sentence is saved: a server that does not answer cannot hold it up.
const CHECKED = 1000;
// In columns if the window is narrower.
const NARROW = 600;
const FIELDS = "input, textarea, select";

const $ = (id) => document.getElementById(id);
const page = { task: null, editor: null, typing: false, dirty: false, leaving: false, asked: false };
// Where the end leads back to.
let last = null;
let savedState = { state: "saved", message: "" };
let resting = 0;
let checks = 0;
// A check that is due, under way, or done.
let checked = Promise.resolve();

const lines = new LinesView($("lines"), {
  press: (side, at) => page.editor.press(side, at),
  drag: (from, to) => page.editor.drag(from, to),
});
const matrix = new MatrixView($("matrix"), {
  press(s, t) {
    Object.assign(page.editor.view.at, { source: s, target: t });
    page.editor.toggle(s, t, "target");
  },
});

const dots = makeDots($("dots"), { name: "Sentence", open: goTo, ahead: true });

// Show the task of an id, or the next one that is not done.
async function open(id = null) {
  try {
    // What was saved here counts for what is shown next.
    await saving.flush();
    const next = id === null ? await api("/api/next") : { task: id };
    if (next.total !== undefined) showProgress(next);
    const task = next.task && (await api(`/api/task/${encodeURIComponent(next.task)}`));
    notice("");
    if (task) show(task);
    else showEnd(next.last);
  } catch (error) {
    notice(error.message);
    if (error.status === 0) setTimeout(() => open(id), RETRY);
  }
}

function show(task) {
  saving.saw(task.task, task.version);
  const stored = saving.draft(task.task);
  const stale = stored?.stale;
  const draft = stale ? null : stored;
  Object.assign(page, { task, typing: false, dirty: draft !== null, leaving: false, asked: false });
  const old = page.editor?.view;
  const shownAs = (answer) => fromTask({ ...task, answer });
  const alignment = shownAs(draft ? draft.value : task.answer);
  const hooks = { told, shown: render, changed };
  // What was changed here before the task was answered elsewhere is a step ahead.
  const ahead = () => {
    const { target, typed } = stored.value;
    const here = shownAs({ ...stored.value, target: target.length ? target : words(typed ?? "") });
    return { value: { alignment }, past: [], future: [{ alignment: here }] };
  };
  page.editor = new Editor(alignment, hooks, stale ? ahead() : draft?.steps);
  if (stale) {
    saving.keepDraft(task.task, null);
    notice("Answered elsewhere since: this is that answer. Redo brings back what was changed here.");
  }
  page.editor.view.direction = task.direction;
  page.editor.view.layout = old?.layout ?? (innerWidth < NARROW ? "columns" : "rows");
  page.editor.view.matrix = old?.matrix ?? false;
  $("work").hidden = false;
  $("end").hidden = true;
  $("place").textContent = `Sentence ${task.place} of ${task.total}`;
  dots.show(task.task);
  for (const rule of document.querySelectorAll("[data-target]")) {
    rule.hidden = (rule.dataset.target === "given") !== (task.target !== null);
  }
  $("guideline").hidden = !task.instructions;
  $("guideline").replaceChildren(...markdown(task.instructions));
  const drawn = ["order", "tree"];
  for (const name of drawn) $(`${name}-figure`).hidden = true;
  if (task.target !== null || page.editor.alignment.target.length) startAligning();
  else startTyping(draft?.value.typed ?? "");
  showSaved();
}

function startTyping(text) {
  page.typing = true;
  $("given").textContent = page.editor.alignment.source.join(" ");
  $("given").dir = page.task.direction.source;
  $("typed").dir = page.task.direction.target;
  $("typed").value = text;
  render();
  $("typed").focus();
}

function startAligning() {
  page.typing = false;
  render();
  checked = check();
}

function render() {
  if (!page.task) return;
  const { editor, typing } = page;
  const { view, alignment } = editor;
  $("typing").hidden = !typing;
  for (const id of ["area", "findings"]) $(id).hidden = typing;
  document.querySelector("[data-action=done]").hidden = typing;
  const open = alignment.links.filter((link) => !link.confirmed).length;
  const doubtful = alignment.links.filter(isDoubtful).length;
  for (const button of document.querySelectorAll("#tools button")) {
    const name = button.dataset.action;
    button.disabled =
      (typing && name !== "help") ||
      (name === "undo" && !editor.canUndo) ||
      (name === "redo" && !editor.canRedo);
    button.hidden =
      (name.startsWith("confirm") && !open) || (name === "type" && page.task.target !== null);
  }
  pressed("kind", view.kind === "possible");
  pressed("view", view.matrix);
  pressed("layout", view.layout === "columns");
  pressed("drawings", !$("drawings").hidden);
  if (typing) return;
  $("lines").hidden = view.matrix;
  $("matrix").hidden = !view.matrix;
  const shown = view.matrix ? matrix : lines;
  const place = view.matrix ? [view.at.source, view.at.target] : [view.side, view.at[view.side]];
  shown.show(alignment, view);
  if (!document.querySelector("dialog[open]")) shown.focus(...place);
  showMarks();
  const nothing = alignment.nothing && !isLinked(alignment);
  $("key-suggested").hidden = open === doubtful;
  $("key-doubtful").hidden = !doubtful;
  $("key").classList.toggle("cells", view.matrix);
  $("suggested").textContent = [
    open ? `${open} of ${alignment.links.length} links are suggestions that are not confirmed.` : "",
    doubtful ? `${doubtful} of them ${doubtful === 1 ? "is" : "are"} doubtful.` : "",
    nothing ? "You have confirmed that there is nothing to align." : "",
  ].join(" ").trim();
}

function showMarks() {
  const { faults, side, at } = page.editor.view;
  $("marks-title").hidden = $("marks").hidden = !begun();
  $("why").textContent = faults[side].get(at[side]) ?? "";
  const items = ["source", "target"].flatMap((side) =>
    [...faults[side]]
      .sort(([a], [b]) => a - b)
      .map(([at, message]) => {
        const word = element("bdi", {}, page.editor.alignment[side][at] ?? "");
        return element("li", {}, word, ` (${side} word ${at + 1}): ${message}`);
      }),
  );
  $("marks").replaceChildren(...(items.length ? items : [element("li", {}, "No marks.")]));
}

// Before the first link every word would have a mark.
const begun = () => page.editor.alignment.links.length > 0;

// After each change: a draft in the browser, and the server's check when the keys rest.
function changed() {
  keepDraft();
  saving.keepSteps(page.task.task, page.editor.history);
  clearTimeout(resting);
  resting = setTimeout(checkNow, REST);
}

function checkNow() {
  clearTimeout(resting);
  resting = 0;
  checked = check();
}

function keepDraft(typed = "") {
  Object.assign(page, { dirty: true, leaving: false });
  saving.keepDraft(page.task.task, { ...toAnswer(page.editor.alignment), typed });
  showSaved();
}

async function check() {
  const { task, editor } = page;
  const number = ++checks;
  try {
    const body = { task: task.task, answer: toAnswer(editor.alignment) };
    const found = await api("/api/check", { method: "POST", body });
    if (number !== checks || page.editor !== editor) return;
    editor.setFaults(begun() ? found.faults : []);
    const order = found.order.flat().map((position) => editor.alignment.source[position]).join(" ");
    draw("order", found.order_svg, `Reference order: ${order}`);
    draw("tree", found.tree_svg, `Permutation tree of the reference order: ${order}`);
  } catch {
    // The marks are as they were; the next change checks again.
  }
}

// As an image a picture can neither run scripts nor load anything.
function draw(name, svg, says) {
  $(`${name}-figure`).hidden = !svg || !begun();
  if (svg) $(name).src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  $(name).alt = says;
}

async function done() {
  if (page.typing) return finishTyping();
  if (page.leaving) return undefined;
  const { task, editor } = page;
  page.leaving = true;
  if (isLinked(editor.alignment)) {
    if (resting) checkNow();
    await Promise.race([checked, new Promise((resolve) => setTimeout(resolve, CHECKED))]);
  }
  // Who went on with this sentence meanwhile stays there.
  if (page.editor !== editor || !page.leaving) return undefined;
  const question = whatIsAsked(editor);
  if (question) {
    Object.assign(page, { asked: true, leaving: false });
    const yes = await askWhether($("asking"), question);
    if (page.editor !== editor) return undefined;
    if (!yes) return render();
    if (question.nothing) editor.sayNothing();
  }
  page.leaving = true;
  const reply = save();
  try {
    const { done: number, total } = await reply;
    showProgress({ done: number, total });
    dots.finish(task.task);
    // Who has saved a sentence knows what to do.
    if (number === 1) $("instructions").open = false;
    if (page.task === task && page.leaving) await open();
  } catch (error) {
    if (page.task === task) showRefusal(error);
    else notice(error.message);
  }
  return undefined;
}

// What is asked before a sentence is saved: always whether it is empty, and once whether what is open
// in it stays so.
function whatIsAsked({ alignment, view }) {
  const { links } = alignment;
  const open = links.filter((link) => !link.confirmed).length;
  const left = open === 1 ? "1 suggested link is" : `${open} suggested links are`;
  if (!isLinked(alignment)) {
    const why = open
      ? `No link of this sentence is confirmed. Its ${left} left out if there is nothing to align.`
      : "This sentence has no link. Is there nothing in it to align?";
    const asked = { title: "Nothing to align?", why, yes: "Nothing to align", nothing: true };
    return alignment.nothing ? null : asked;
  }
  const marks = view.faults.source.size + view.faults.target.size;
  if (page.asked || !(open || marks)) return null;
  const why = [
    open ? `${left} not confirmed and will be left out.` : "",
    marks ? `${marks === 1 ? "1 word has a mark" : `${marks} words have marks`}: n goes to the next one.` : "",
  ];
  return { title: "Save as it is?", why: why.join(" ").trim(), yes: "Save as it is" };
}

// A draft is kept by the server, and its sentence comes again as one that is not done.
function save(draft = false) {
  const { task, editor } = page;
  const answer = toAnswer(editor.alignment);
  page.dirty = false;
  const reply = saving.save(task.task, draft ? { ...answer, draft } : answer);
  showSaved();
  return reply;
}

function finishTyping() {
  const typed = words($("typed").value);
  if (!typed.length) return notice("Type the translation first.");
  notice("");
  page.editor.retype(typed);
  return startAligning();
}

// To the sentence before or after this one, or back from the end.
async function leave(side) {
  const next = page.task ? page.task[side] : last;
  return next ? goTo(next) : told(`no sentence ${side} this one`);
}

// Changes are saved on the way, as a draft if the sentence was not done. One that was done stays so:
// without links it is kept here.
async function goTo(next) {
  const { task, editor } = page;
  if (task && page.dirty && !page.typing) {
    const done = task.answer !== null && !task.answer.draft;
    let refusal = null;
    if (!done || isLinked(editor.alignment) || editor.alignment.nothing) {
      save(!done).catch((error) => (refusal = error));
      await saving.flush();
    }
    if (page.task !== task) return undefined;
    if (refusal) return showRefusal(refusal);
  }
  return open(next);
}

function showRefusal(error) {
  Object.assign(page, { leaving: false, dirty: true });
  notice(error.message);
  showSaved();
}

async function splitWord() {
  const { editor } = page;
  const { side, at, direction } = editor.view;
  const place = at[side];
  const word = editor.alignment[side][place];
  if ([...word].length < 2) return told("a word of one letter cannot be split");
  const parts = await askParts($("splitting"), word, direction[side]);
  if (parts) editor.split(side, place, parts);
  else render();
  return undefined;
}

function editText() {
  if (page.task.target === null) startTyping(page.editor.alignment.target.join(" "));
  else told("the translation is given");
}

function toggleDrawings() {
  $("drawings").hidden = !$("drawings").hidden;
  render();
}

const ACTIONS = {
  done,
  split: splitWord,
  type: editText,
  drawings: toggleDrawings,
  earlier: () => leave("before"),
  later: () => leave("after"),
  help: () => $("help").showModal(),
};

function act({ name, digit }) {
  if (page.task === null && !["help", "earlier"].includes(name)) return;
  if (!page.typing || ["help", "earlier", "later", "done"].includes(name)) {
    if (ACTIONS[name]) ACTIONS[name]();
    else page.editor.act(name, digit);
  }
}

document.addEventListener("keydown", (event) => {
  if (event.target.closest?.(`dialog, ${FIELDS}`)) return;
  const action = actionOf(event);
  if (!action) return;
  // Buttons keep the keys that press them.
  const button = event.target.closest("button:not(.word)");
  if (button && ["link", "done"].includes(action.name)) return;
  event.preventDefault();
  // A screen reader moves the focus to a word without an arrow.
  const word = event.target.closest("button.word");
  if (word) page.editor.goTo(word.dataset.side, Number(word.dataset.at));
  act(action);
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.action) act({ name: button.dataset.action });
  else if (button && "close" in button.dataset) button.closest("dialog").close();
  else if (page.editor?.view.pick && !event.target.closest(`button, summary, dialog, ${FIELDS}`)) {
    act({ name: "drop" });
  }
});

$("to-instructions").addEventListener("click", () => {
  $("instructions").open = true;
  $("instructions").scrollIntoView({ block: "center" });
  $("instructions").querySelector("summary").focus({ preventScroll: true });
});
$("typing").addEventListener("submit", (event) => {
  event.preventDefault();
  finishTyping();
});
$("typed").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  finishTyping();
});
$("typed").addEventListener("input", () => keepDraft($("typed").value));

function pressed(name, value) {
  document.querySelector(`#tools [data-action=${name}]`).setAttribute("aria-pressed", value);
}

function showProgress({ done: number, total }) {
  $("progress").max = Math.max(1, total);
  $("progress").value = number;
  $("count").textContent = `${number} of ${total} done`;
  // Open for who is new, and where the words still have room on the screen.
  if (!page.task) $("instructions").open = number === 0 && innerWidth >= NARROW;
}

function showSaved() {
  const shown = page.dirty && savedState.state === "saved";
  $("saved").textContent = shown ? "Not saved yet, kept in this browser." : savedState.message;
  $("saved").dataset.state = shown ? "changed" : savedState.state;
}

function showEnd(before) {
  last = before;
  Object.assign(page, { task: null, typing: false, dirty: false });
  $("work").hidden = true;
  $("end").hidden = false;
  document.querySelector("#end button").hidden = last === null;
  $("place").textContent = "";
  dots.show(null);
}

function notice(text) {
  $("notice").textContent = text;
}

// What people hear; the same text twice is said twice.
function told(text) {
  $("told").textContent = $("told").textContent === text ? `${text} ` : text;
}

setGeometry(document.documentElement);
listKeys($("keys"));
document.querySelectorAll("[data-action]:is(button)").forEach(nameButton);
$("help").addEventListener("close", () => page.task && !page.typing && render());
saving.onState((state) => {
  savedState = state;
  showSaved();
});
open();
