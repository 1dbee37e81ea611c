// An alignment while it is made: plain values, and functions that return a new one.
//
// An alignment is {source: [word], target: [word], links: [{s, t, kind, confirmed, score}], nothing},
// with kind "sure" or "possible". Links are sorted; a pair of words has one link at most. A link that
// an aligner suggested may have a score: how probably it is right. `nothing` is true if the annotator
// said that there is nothing to align; a confirmed link unsays it.

// Of suggestions with this score one in four is wrong; those below it are shown as doubtful.
export const DOUBT = 0.75;

/** Return whether a link is suggested by an aligner that is not sure of it. */
export const isDoubtful = ({ confirmed, score }) => !confirmed && score < DOUBT;

/** Make an alignment from the task's JSON: a saved answer, or words with suggested links. */
export function fromTask(task) {
  const given = task.answer ?? { source: task.source, target: task.target };
  const pairs = task.answer ? (given.links ?? []) : (task.suggestions ?? []);
  const sureOf = (i) => (task.answer ? (given.confirmed?.[i] ?? true) : false);
  // An answer has no scores; it has those of the suggestions as long as the words are the same.
  const same = ["source", "target"].every((it) => `${given[it]}` === `${task[it]}`);
  const scores = new Map(same ? task.suggestions?.map(([s, t, , score]) => [`${s}-${t}`, score]) : []);
  return {
    source: [...given.source],
    target: [...(given.target ?? [])],
    links: sorted(
      pairs.map(([s, t, kind], i) => {
        return { s, t, kind, confirmed: sureOf(i), score: scores.get(`${s}-${t}`) };
      }),
    ),
    nothing: task.answer?.nothing ?? false,
  };
}

/** Return whether a link is confirmed. */
export const isLinked = ({ links }) => links.some((link) => link.confirmed);

/** Return the JSON that the server keeps. */
export function toAnswer({ source, target, links, nothing }) {
  const answer = { source, target, links: links.map(({ s, t, kind }) => [s, t, kind]) };
  if (links.some((link) => !link.confirmed)) answer.confirmed = links.map((link) => link.confirmed);
  if (nothing && !isLinked({ links })) answer.nothing = true;
  return answer;
}

/** Find the link of a pair of words. */
export function linkOf(alignment, s, t) {
  return alignment.links.find((link) => link.s === s && link.t === t);
}

/** Return the links of a word. */
export function linksOf(alignment, side, at) {
  const end = endOf(side);
  return alignment.links.filter((link) => link[end] === at);
}

/** Link two words; a suggestion becomes confirmed. */
export function link(alignment, s, t, kind) {
  const others = alignment.links.filter((other) => other.s !== s || other.t !== t);
  return { ...alignment, links: sorted([...others, { s, t, kind, confirmed: true }]) };
}

/** Take the link of two words away. */
export function unlink(alignment, s, t) {
  return { ...alignment, links: alignment.links.filter((it) => it.s !== s || it.t !== t) };
}

/** Take all links of a word away. */
export function unlinkWord(alignment, side, at) {
  const end = endOf(side);
  return { ...alignment, links: alignment.links.filter((it) => it[end] !== at) };
}

/** Make the links of a word possible, or sure if all are possible. */
export function changeKind(alignment, side, at) {
  const end = endOf(side);
  const all = linksOf(alignment, side, at);
  const kind = all.every((it) => it.kind === "possible") ? "sure" : "possible";
  const changed = (it) => (it[end] === at ? { ...it, kind, confirmed: true } : it);
  return { ...alignment, links: alignment.links.map(changed) };
}

/** Confirm the suggestions of a word, or all of them. */
export function confirm(alignment, side = null, at = null) {
  const chosen = (it) => side === null || it[endOf(side)] === at;
  const changed = (it) => (chosen(it) ? { ...it, confirmed: true } : it);
  return { ...alignment, links: alignment.links.map(changed) };
}

/** Split a word into parts; each part has the links of the word. */
export function split(alignment, side, at, parts) {
  const words = [...alignment[side]];
  words.splice(at, 1, ...parts);
  const places = alignment[side].map((_, i) =>
    i < at ? [i] : i > at ? [i + parts.length - 1] : parts.map((_, part) => at + part),
  );
  return moved({ ...alignment, [side]: words }, side, places);
}

/** Join a word with the next one; the new word has the links of both. */
export function join(alignment, side, at) {
  const words = [...alignment[side]];
  words.splice(at, 2, words[at] + words[at + 1]);
  const places = alignment[side].map((_, i) => [i <= at ? i : i - 1]);
  return moved({ ...alignment, [side]: words }, side, places);
}

/** Replace the words of a side; links stay with the words that stay. */
export function retype(alignment, side, words) {
  const kept = commonWords(alignment[side], words);
  const places = alignment[side].map((_, i) => (kept.has(i) ? [kept.get(i)] : []));
  return moved({ ...alignment, [side]: words }, side, places);
}

/** Cut a text at blanks into words. */
export function words(text) {
  return text.split(/\s+/u).filter(Boolean);
}

/** The other side. */
export const otherSide = (side) => (side === "source" ? "target" : "source");

/** The name of a side in a link. */
export const endOf = (side) => (side === "source" ? "s" : "t");

// Move the links of a side: places[i] has the new positions of word i.
function moved(alignment, side, places) {
  const end = endOf(side);
  const links = new Map();
  for (const it of alignment.links) {
    for (const place of places[it[end]]) {
      const next = { ...it, [end]: place };
      const pair = `${next.s}-${next.t}`;
      const old = links.get(pair);
      if (old?.kind === "sure") next.kind = "sure";
      if (old?.confirmed) next.confirmed = true;
      links.set(pair, next);
    }
  }
  return { ...alignment, links: sorted([...links.values()]) };
}

function sorted(links) {
  return links.sort((a, b) => a.s - b.s || a.t - b.t);
}

// A longest common subsequence: a map from old to new positions.
function commonWords(old, next) {
  const best = Array.from({ length: old.length + 1 }, () => new Uint16Array(next.length + 1));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = next.length - 1; j >= 0; j--) {
      best[i][j] =
        old[i] === next[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
    }
  }
  const kept = new Map();
  for (let i = 0, j = 0; i < old.length && j < next.length; ) {
    if (old[i] === next[j]) kept.set(i++, j++);
    else if (best[i + 1][j] >= best[i][j + 1]) i++;
    else j++;
  }
  return kept;
}
