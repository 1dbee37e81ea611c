// What a person has done, on its way to the server: answers that are not saved yet, and drafts.
//
// An answer is first written into the browser's storage, under a key of its own, and removed when
// the server has acknowledged it. The server takes a key once, so an answer may be sent again after
// a reply was lost, by a reloaded page, or by two tabs at a time. It goes with the key of the answer
// that it replaces, and the server refuses it (409) if another answer has come since.
//
//   saving.saw(task, version)   notes the version of a task that this page shows
//   saving.save(task, answer)   sends an answer; resolves to the server's reply
//   saving.onState(callback)    calls with { state, unsaved, message } now and after each change
//   saving.draft(task)          the unfinished answer: { value, steps, stale }, or null
//   saving.keepDraft(task, x)   keeps it; null removes it, and the steps
//   saving.keepSteps(task, x)   keeps the steps that can be undone, for as long as the draft
//   saving.flush()              tries to send what waits; resolves when all is sent or one try failed
//   api(path, { method, body }) a request with the person's token; resolves to the reply's JSON

const FIRST_WAIT = 500;
const LONGEST_WAIT = 30_000;
const PATIENCE = 20_000;
// Drafts of other tabs that can serve no more are removed after a day.
const DAY = 86_400_000;

/** The token of the person's link. */
export const token = location.hash.slice(1);

// Another link in the same tab changes the fragment alone, and the page would keep its person.
addEventListener("hashchange", () => location.reload());

/** A request that failed; the status is 0 if no server answered. */
export class RequestError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** Ask the server, as the person whose link this is. */
export async function api(path, { method = "GET", body } = {}) {
  const headers = { Authorization: `Bearer ${token}` };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response, reply;
  try {
    response = await fetch(path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      signal: AbortSignal.timeout(PATIENCE),
    });
    reply = await response.text();
  } catch {
    throw new RequestError("The server does not answer.", 0);
  }
  let read = null;
  try {
    read = JSON.parse(reply);
  } catch {
    // A proxy's page, or a reply cut short.
  }
  if (response.ok && read !== null) return read;
  const message = read?.error ?? `The server's reply is not understood (${response.status}).`;
  throw new RequestError(message, response.ok ? 0 : response.status);
}

// Storage. Names start with a number made of the token, so that projects that use the same port
// one after the other, and raters who share a browser, stay apart.
const fingerprint = [...token].reduce(
  (number, letter) => Math.imul(number ^ letter.codePointAt(0), 0x01000193) >>> 0,
  0x811c9dc5,
);
const ANSWER = `wordorder/${fingerprint}/answer/`;
const DRAFT = `wordorder/${fingerprint}/draft/`;
const STEPS = `wordorder/${fingerprint}/steps/`;
const unkept = new Map(); // what the browser refuses to keep, for as long as the page is open

const keep = (name, value) => {
  const text = JSON.stringify(value);
  try {
    localStorage.setItem(name, text);
    unkept.delete(name);
  } catch {
    unkept.set(name, text);
  }
};
const kept = (name) => {
  let text = unkept.get(name) ?? null;
  try {
    text ??= localStorage.getItem(name);
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
};
const drop = (name) => {
  unkept.delete(name);
  try {
    localStorage.removeItem(name);
  } catch {
    // Nothing was kept.
  }
};
const namesFrom = (start) => {
  let names = [...unkept.keys()];
  try {
    names = names.concat(Object.keys(localStorage));
  } catch {
    // No storage.
  }
  return names.filter((name) => name.startsWith(start));
};

// A random UUID; crypto.randomUUID is missing where the page came over plain HTTP from another machine.
const uniqueKey = () => {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
};

// The name of this tab: the same after a reload. It is stored only while the page is away, since a
// copied tab gets a copy of the storage.
const TAB = `wordorder/${fingerprint}/tab`;
let tab = uniqueKey();
try {
  tab = sessionStorage.getItem(TAB) ?? tab;
  addEventListener("pageshow", () => sessionStorage.removeItem(TAB));
  addEventListener("pagehide", () => sessionStorage.setItem(TAB, tab));
} catch {
  // No storage: a reload is another tab.
}
const draftOf = (task, owner = tab) => `${DRAFT}${task}/${owner}`;
const stepsOf = (task, owner = tab) => `${STEPS}${task}/${owner}`;

// task → the version that this page knows: the one it shows, or its own answer since.
const versions = new Map();
const versionOf = (task) => versions.get(task) ?? null;

// The queue: all answers of this person in the storage, from whatever tab, and those of this page.
const own = new Map(); // key → { entry, resolve, reject }
const refused = new Set(); // keys that the server refuses; kept, and sent again by the next page
let refusal = null;
let failed = false;
let wait = FIRST_WAIT;
let timer = 0;
let busy = false;
let delivery = Promise.resolve();
const listeners = [];

const queue = () => {
  const entries = new Map([...own].map(([key, { entry }]) => [key, entry]));
  for (const name of namesFrom(ANSWER)) {
    const entry = kept(name);
    if (entry) entries.set(entry.key, entry);
  }
  return [...entries.values()]
    .filter((entry) => !refused.has(entry.key))
    .sort((a, b) => a.number - b.number || (a.key < b.key ? -1 : 1));
};

const count = (number) => (number === 1 ? "1 answer is" : `${number} answers are`);
const state = () => {
  const unsaved = queue().length;
  if (unsaved && failed) {
    const where = unkept.size ? "Leave this tab open: the browser keeps nothing." : "Kept in this browser.";
    const message = `${count(unsaved)} not saved yet. ${where} Sent when the server is back.`;
    return { state: "unsaved", unsaved, message };
  }
  if (unsaved) return { state: "saving", unsaved, message: "Saving …" };
  if (refusal) return { state: "refused", unsaved, message: `Not saved: ${refusal}` };
  return { state: "saved", unsaved, message: "All answers are saved." };
};
const tell = () => {
  const now = state();
  for (const listener of listeners) listener(now);
};

// No answer, too many requests, a server in trouble: the same answer may succeed later.
const passes = (status) => status === 0 || status === 408 || status === 429 || status >= 500;
// The answer itself is at fault, or comes too late.
const isFinal = (status) => [400, 409, 413, 422].includes(status);

const send = async ({ task, key, answer, version }) => {
  const reply = await api("/api/answers", { method: "POST", body: { task, key, answer, version } });
  if (!Number.isInteger(reply.event)) throw new RequestError("The reply names no event.", 0);
  return reply;
};

const finish = (entry) => {
  drop(ANSWER + entry.key);
  // A draft that was changed since the answer was given is the next answer's.
  const name = draftOf(entry.task, entry.tab);
  if (JSON.stringify(kept(name)) === entry.draft) removeDraft(entry.task, entry.tab);
};

const removeDraft = (task, owner = tab) => {
  drop(draftOf(task, owner));
  drop(stepsOf(task, owner));
};

const refuse = (entry, error) => {
  refusal = error.message;
  if (versionOf(entry.task) === entry.key) versions.set(entry.task, entry.version);
  if (isFinal(error.status)) {
    const name = draftOf(entry.task, entry.tab);
    const draft = kept(name) ?? { value: entry.answer, time: Date.now() };
    keep(name, { ...draft, version: entry.version });
    drop(ANSWER + entry.key);
  } else {
    refused.add(entry.key);
  }
};

const deliver = async () => {
  for (let entry = queue()[0]; entry; entry = queue()[0]) {
    const waiting = own.get(entry.key);
    try {
      const reply = await send(entry);
      failed = false;
      wait = FIRST_WAIT;
      finish(entry);
      own.delete(entry.key);
      waiting?.resolve(reply);
    } catch (error) {
      if (passes(error.status)) {
        failed = true;
        timer = setTimeout(saving.flush, wait * (0.5 + Math.random() / 2));
        wait = Math.min(2 * wait, LONGEST_WAIT);
        break;
      }
      refuse(entry, error);
      own.delete(entry.key);
      waiting?.reject(error);
    }
    tell();
  }
  // At once, not when the promise is done: an answer may be given in between.
  busy = false;
  tell();
};

export const saving = {
  /** Note the version of a task's answer that this page shows; its next answer replaces that one. */
  saw: (task, version) => versions.set(task, version),

  /** Keep an answer and send it until the server has it; fails if the server refuses it. */
  save(task, answer) {
    const number = 1 + Math.max(0, ...queue().map((entry) => entry.number));
    const draft = JSON.stringify(kept(draftOf(task)));
    const entry = { task, key: uniqueKey(), answer, number, draft, tab, version: versionOf(task) };
    versions.set(task, entry.key);
    keep(ANSWER + entry.key, entry);
    refusal = null;
    const promise = new Promise((resolve, reject) => own.set(entry.key, { entry, resolve, reject }));
    tell();
    saving.flush();
    return promise;
  },

  /** Call with the state now and after each change; `message` is a sentence to show. */
  onState(callback) {
    listeners.push(callback);
    callback(state());
  },

  /**
   * The unfinished answer of a task: `value` and `steps` as they were given to keepDraft and
   * keepSteps, and `stale`, true if the task was answered since; null if there is none.
   *
   * It is this tab's own, or the newest of another tab, which may be closed, unless that is stale.
   */
  draft(task) {
    const owners = namesFrom(draftOf(task, "")).map((name) => name.slice(draftOf(task, "").length));
    const drafts = owners.map((owner) => {
      const { value, version, time } = kept(draftOf(task, owner)) ?? {};
      return { owner, value, time, stale: version !== versionOf(task) };
    });
    const own = drafts.find(({ owner }) => owner === tab);
    for (const { owner, time, stale } of drafts) {
      if (owner !== tab && stale && time < Date.now() - DAY) removeDraft(task, owner);
    }
    const others = drafts.filter(({ stale }) => !stale).sort((a, b) => b.time - a.time);
    const draft = own ?? others[0];
    if (!draft) return null;
    return { value: draft.value, steps: kept(stepsOf(task, draft.owner)), stale: draft.stale };
  },

  /** Keep an unfinished answer until the task's answer is saved; null removes it. */
  keepDraft(task, value) {
    if (value === null) return removeDraft(task);
    return keep(draftOf(task), { value, version: versionOf(task), time: Date.now() });
  },

  /** Keep the steps of a draft. */
  keepSteps: (task, value) => keep(stepsOf(task), value),

  /** Send what waits; resolves when all is sent or a try has failed. */
  flush() {
    clearTimeout(timer);
    if (!busy) {
      busy = true;
      delivery = deliver();
    }
    return delivery;
  },
};

addEventListener("online", saving.flush);
document.addEventListener("visibilitychange", () => document.hidden || saving.flush());
addEventListener("beforeunload", (event) => {
  if (queue().length) event.preventDefault();
});
saving.flush();
