// What the lines and the matrix say about a word, and small things that both build.

import { endOf, isDoubtful, linksOf, otherSide } from "./alignment.js";

/** Build an element; properties are set, texts are texts and never markup. */
export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** Set attributes; null takes one away. */
export function attributes(node, values) {
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === false) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : value);
  }
}

/** Keep as many children in a parent as there are values, made by make() where they lack. */
export function children(parent, number, make) {
  while (parent.children.length > number) parent.lastElementChild.remove();
  while (parent.children.length < number) parent.append(make(parent.children.length));
  return [...parent.children];
}

/** What kind of link it is, in words. */
export function kindName(link) {
  if (link.confirmed) return link.kind;
  return `${link.kind}, suggested${isDoubtful(link) ? `, doubtful: ${Math.round(100 * link.score)} %` : ""}`;
}

/** The name of a word for people who hear the page. */
export function wordName(alignment, side, at, { fault, picked, digit }) {
  const other = otherSide(side);
  const links = linksOf(alignment, side, at).map(
    (link) => `${alignment[other][link[endOf(other)]]} (${kindName(link)})`,
  );
  const parts = [
    alignment[side][at],
    `${side} word ${at + 1} of ${alignment[side].length}`,
    links.length ? `linked with ${links.join(", ")}` : "no link",
  ];
  if (picked) parts.push("picked");
  if (digit !== null) parts.push(`digit ${digit}`);
  if (fault) parts.push(fault);
  return parts.join("; ");
}
