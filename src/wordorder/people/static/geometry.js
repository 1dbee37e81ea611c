// Sizes that the page shares with the pictures of reports, and which words have digits.
//
// The tests compare the numbers with wordorder.drawing; the style sheet gets them as properties.

export const GEOMETRY = {
  margin: 12,
  gap: 8,
  box: 24,
  font: 14,
  cell: 28,
  mark: 8,
  tilt: 60,
  nearest: 84,
  farthest: 224,
  perWord: 5,
};

// As many words have a digit at a time.
const DIGITS = 10;

/** Distance of the two rows of words: rows of many words are further apart. */
export function rowDistance(words) {
  const { nearest, farthest, perWord } = GEOMETRY;
  return Math.min(Math.max(nearest, perWord * words), farthest);
}

/** The digit of a word: the last one of its number, counted from 1. */
export function digitOf(at) {
  return (at + 1) % DIGITS;
}

/** The first of the ten words that have a digit, around the word that is expected next. */
export function digitsStart(expected, moved, size) {
  return clamp(unlimitedStart(expected, moved), 0, Math.max(0, size - DIGITS));
}

/** The same in a line without ends. */
export function unlimitedStart(expected, moved) {
  return expected - DIGITS / 2 + moved;
}

/** The position that a digit means, or -1. */
export function positionOf(digit, start, size) {
  for (let at = start; at < Math.min(start + DIGITS, size); at++) {
    if (digitOf(at) === digit) return at;
  }
  return -1;
}

/** Whether a word is among the ten. */
export function hasDigit(at, start) {
  return at >= start && at < start + DIGITS;
}

/** The word of the other side that is as far along. */
export function diagonal(at, size, otherSize) {
  return clamp(Math.round(((at + 0.5) / size) * otherSize - 0.5), 0, Math.max(0, otherSize - 1));
}

/** The nearest number of a range. */
export function clamp(value, least, most) {
  return Math.min(Math.max(value, least), most);
}
