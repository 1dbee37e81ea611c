// What a person has done, on its way to the server: answers that are not saved yet, and drafts.
//
// An answer is first written into the browser's storage, under a key of its own, and removed when
// the server has acknowledged it. The server takes a key once, so an answer may be sent again after
// a reply was lost, by a reloaded page, or by two tabs at a time.
//
//   saving.save(task, answer)   sends an answer; resolves to the server's reply
//   saving.onState(callback)    calls with { state, unsaved, message } now and after each change
//   saving.draft(task)          the unfinished answer, or null
//   saving.keepDraft(task, x)   keeps it; null removes it, and the steps
//   saving.steps(task)          the steps that can be undone in it, or null
//   saving.keepSteps(task, x)   keeps them for as long as the draft
//   saving.flush()              tries to send what waits; resolves when all is sent or one try failed
//   api(path, { method, body }) a request with the person's token; resolves to the reply's JSON

const FIRST_WAIT = 500;
const LONGEST_WAIT = 30_000;
const PATIENCE = 20_000;

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
const namesOfAnswers = () => {
  let names = [...unkept.keys()];
  try {
    names = names.concat(Object.keys(localStorage));
  } catch {
    // No storage.
  }
  return names.filter((name) => name.startsWith(ANSWER));
};

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
  for (const name of namesOfAnswers()) {
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

// A random UUID; crypto.randomUUID is missing where the page came over plain HTTP from another machine.
const uniqueKey = () => {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
};

// No answer, too many requests, a server in trouble: the same answer may succeed later.
const passes = (status) => status === 0 || status === 408 || status === 429 || status >= 500;
// The answer itself is at fault.
const illegal = (status) => status === 400 || status === 413 || status === 422;

const send = async ({ task, key, answer }) => {
  const reply = await api("/api/answers", { method: "POST", body: { task, key, answer } });
  if (!Number.isInteger(reply.event)) throw new RequestError("The reply names no event.", 0);
  return reply;
};

const finish = (entry) => {
  drop(ANSWER + entry.key);
  // A draft that was changed since the answer was given is the next answer's.
  if (JSON.stringify(saving.draft(entry.task)) === entry.draft) saving.keepDraft(entry.task, null);
};

const refuse = (entry, error) => {
  refusal = error.message;
  if (illegal(error.status)) {
    if (saving.draft(entry.task) === null) saving.keepDraft(entry.task, entry.answer);
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
  /** Keep an answer and send it until the server has it; fails if the server refuses it. */
  save(task, answer) {
    const number = 1 + Math.max(0, ...queue().map((entry) => entry.number));
    const draft = JSON.stringify(saving.draft(task));
    const entry = { task, key: uniqueKey(), answer, number, draft };
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

  /** The unfinished answer of a task, as it was given to keepDraft; null if there is none. */
  draft: (task) => kept(DRAFT + task),

  /** Keep an unfinished answer until the task's answer is saved; null removes it. */
  keepDraft(task, value) {
    if (value !== null) return keep(DRAFT + task, value);
    drop(DRAFT + task);
    return drop(STEPS + task);
  },

  /** The steps that were given to keepSteps; null if there are none. */
  steps: (task) => kept(STEPS + task),

  /** Keep the steps of a draft. */
  keepSteps: (task, value) => keep(STEPS + task, value),

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
