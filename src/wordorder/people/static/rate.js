// The page on which translations are rated: one task after the other, until none is left.

import { makeDots } from "/static/dots.js";
import { makePreference, makeRatings } from "/static/rate_controls.js";
import { element, language, markdown, putText } from "/static/rate_texts.js";
import { api, saving, token } from "/static/saving.js";

const INSTRUCTIONS = {
  talbot: `Read the source and the reference. Then rate **each** translation from 0 to 6.

- **6**: a perfect translation
- **4**: it keeps most of the meaning
- **2**: it keeps some of the meaning
- **0**: nonsense

The order of the translations is random. Equal ratings are allowed. You can change a rating until
you leave the page, and come back to it later.`,
  preference: `Read the reference. Then choose the translation that is **better**: A or B. If you
see no difference that matters, choose **Don’t know**.

The sides are random.`,
  scale: `Compare each translation with the text above it. Then rate it on the scale.`,
};
const CHECKS = " A few pages are checks: if you miss one, the page explains the right answer.";
const KEYS = [
  ["Enter", "save and go on"],
  ["p", "back to the page before"],
  ["i", "what to do"],
  ["?", "these keys"],
];
const RETRY = 1000;
const LETTERS = "@letters"; // kept as a draft is

const at = (id) => document.getElementById(id);
const pause = (time) => new Promise((done) => setTimeout(done, time));
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

let task = null; // what is shown
let controls = null;
let done = 0;
let last = null; // where the end leads back to
let now = null; // what is saved and what is not
let soon = 0;
let visit = 0; // counts pages, so that a late reply changes nothing

const say = (message) => {
  at("notice").textContent = message;
};

const keep = () => {
  say("");
  saving.keepDraft(task.task, controls.read());
};

const showProgress = (total) => {
  at("progress").max = Math.max(total, 1);
  at("progress").value = done;
};

const showState = () => {
  at("saved").dataset.state = now.state;
  at("saved").textContent = now.state === "saved" && at("end").hidden ? "" : now.message;
};

const showEnd = (total) => {
  task = null;
  at("work").hidden = true;
  at("end").hidden = false;
  at("place").textContent = "";
  const pages = done === 1 ? "1 page" : `${done} pages`;
  at("count").textContent = total ? `You have rated ${pages}.` : "There is nothing for you to rate.";
  at("last").hidden = last === null;
  showProgress(total);
  dots.show(null);
  showState();
  at("end").querySelector("h2").focus();
};

const showKeys = () => {
  const rows = [...controls.keys, ...KEYS].map(([keys, what]) =>
    element("tr", {}, element("th", { scope: "row" }, keys), element("td", {}, what)),
  );
  at("help").querySelector("tbody").replaceChildren(...rows);
};

const showGiven = (name, text, lang) => {
  at(name).parentElement.hidden = text === undefined || text === null;
  putText(at(name), text ?? "", lang);
};

const showTask = (found) => {
  task = found;
  saving.saw(found.task, found.version);
  const draft = saving.draft(found.task);
  controls = (found.protocol === "preference" ? makePreference : makeRatings)(found, keep);
  controls.write(draft && !draft.stale ? draft.value : found.answer);
  if (draft?.stale) {
    saving.keepDraft(found.task, null);
    say("Answered elsewhere since: these are the saved ratings. What was changed here is left out.");
  }
  at("answers").replaceChildren(...controls.elements);
  const labels = controls.labels.map(([value, label]) =>
    element("div", {}, element("dt", {}, value), element("dd", {}, label)),
  );
  at("labels").replaceChildren(...labels);
  at("labels").hidden = !labels.length;
  showGiven("source", found.source, language(found.source ?? ""));
  showGiven("reference", found.reference, language(found.reference ?? "", ...found.outputs));
  const instructions =
    found.instructions || INSTRUCTIONS[found.protocol] + (found.checks ? CHECKS : "");
  at("instructions").querySelector("div").replaceChildren(...markdown(instructions));
  at("instructions").open = done === 0 && found.place === 1;
  at("place").textContent = `Page ${found.place} of ${found.total}`;
  at("before").disabled = !found.before;
  at("feedback").hidden = true;
  at("steps").hidden = false;
  at("end").hidden = true;
  at("work").hidden = false;
  showProgress(found.total);
  dots.show(found.task);
  showKeys();
  scrollTo(0, 0);
  controls.focus(Math.max(controls.missing(), 0));
  if (at("instructions").open) scrollTo(0, 0);
};

// Load and show; while the server is away, try again.
const open = async (load) => {
  const mine = ++visit;
  for (;;) {
    try {
      const show = await load();
      if (mine !== visit) return;
      say("");
      show();
      return;
    } catch (error) {
      if (mine !== visit) return;
      say(error.status ? error.message : `${error.message} Trying again …`);
      if (error.status && error.status < 500) return;
      await pause(RETRY);
    }
  }
};

const loadTask = (id) => api(`/api/task/${encodeURIComponent(id)}`);
const openTask = (id) => open(async () => showTask.bind(null, await loadTask(id)));
const openNext = () =>
  open(async () => {
    const next = await api("/api/next");
    done = next.done;
    last = next.last;
    if (next.task === null) return () => showEnd(next.total);
    return showTask.bind(null, await loadTask(next.task));
  });

let onward = openNext; // where the button below an explanation leads
const showFeedback = ({ right, explanation }) => {
  at("right").textContent = `The right answer is ${right}.`;
  putText(at("explanation"), explanation, language(explanation));
  at("explanation").hidden = !explanation;
  at("feedback").hidden = false;
  at("steps").hidden = true;
  at("seen").focus();
};

// Save what is shown, and then go elsewhere.
const leave = async (go) => {
  const shown = task;
  const answer = controls.read();
  if (same(answer, shown.answer)) {
    saving.keepDraft(shown.task, null);
    go();
    return;
  }
  const mine = ++visit;
  try {
    const reply = await saving.save(shown.task, answer);
    done = reply.done;
    dots.finish(shown.task);
    shown.answer = answer;
    // The rater has changed it meanwhile, or gone elsewhere.
    if (mine !== visit || task !== shown || !same(answer, controls.read())) return;
    onward = go;
    if (reply.feedback) showFeedback(reply.feedback);
    else go();
  } catch (error) {
    if (mine === visit) say(error.message);
  }
};

const forward = () => {
  const missing = controls.missing();
  if (missing >= 0) {
    say(controls.say(missing));
    controls.focus(missing);
    return;
  }
  const { after, answer } = task;
  const seen = same(answer, controls.read());
  leave(seen && after ? () => openTask(after) : openNext);
};

// What is complete is saved on the way, anything else stays as a draft.
const goTo = (id) => {
  if (controls.missing() >= 0) openTask(id);
  else leave(() => openTask(id));
};
const dots = makeDots(at("dots"), { name: "Page", open: goTo, ahead: false });

const back = () => task.before && goTo(task.before);

at("work").addEventListener("submit", (event) => {
  event.preventDefault();
  if (at("feedback").hidden) forward();
});
at("before").addEventListener("click", back);
at("last").addEventListener("click", () => openTask(last));
at("seen").addEventListener("click", () => onward());
at("to-instructions").addEventListener("click", () => {
  at("instructions").open = true;
  at("instructions").scrollIntoView({ block: "center" });
  at("instructions").querySelector("summary").focus({ preventScroll: true });
});
at("keys").addEventListener("click", () => at("help").showModal());
at("letters").checked = saving.draft(LETTERS)?.value ?? true;
at("letters").addEventListener("change", () => saving.keepDraft(LETTERS, at("letters").checked));

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || at("help").open || !task) return;
  const letters = at("letters").checked;
  const used = () => {
    if (!at("feedback").hidden) return false;
    if (controls.key(event, letters)) return true;
    if (!letters) return false;
    if (event.key === "p") back();
    else if (event.key === "i") at("instructions").open = !at("instructions").open;
    else if (event.key === "?") at("help").showModal();
    else return false;
    return true;
  };
  if (used()) event.preventDefault();
});

// What scrolls under the source and the reference is not hidden by them.
new ResizeObserver(([{ target }]) => {
  document.documentElement.style.setProperty("--given", `${target.offsetHeight}px`);
}).observe(at("given"));

saving.onState((state) => {
  now = state;
  clearTimeout(soon);
  // What takes no time is not told.
  if (now.state === "saving") soon = setTimeout(showState, 500);
  else showState();
});

if (token) saving.flush().then(openNext);
else say("This address is not complete. Open your own link: it ends in # and a token.");
