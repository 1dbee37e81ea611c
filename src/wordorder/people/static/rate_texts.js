// Texts on the page of ratings. All of it is put in as text: what looks like HTML stays text.

/** Make an element with properties and children. */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// Scripts that are used by one language, or nearly; fonts and screen readers need to know.
const SCRIPTS = [
  ["ja", /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ["ko", /\p{Script=Hangul}/u],
  ["zh", /\p{Script=Han}/u],
  ["he", /\p{Script=Hebrew}/u],
  ["ar", /\p{Script=Arabic}/u],
  ["hi", /\p{Script=Devanagari}/u],
  ["th", /\p{Script=Thai}/u],
];

/** The language that texts seem to be in; empty if the script does not tell. */
export function language(...texts) {
  const all = texts.join(" ");
  return SCRIPTS.find(([, letters]) => letters.test(all))?.[0] ?? "";
}

/** Put a sentence of the data into an element. */
export function putText(place, text, lang) {
  place.lang = lang;
  place.classList.toggle("empty", !text.trim());
  place.textContent = text.trim() ? text : "(empty)";
}

const INLINE = /(\*\*[^*]+\*\*|\*[^*]+\*|`[^`]+`)/;
const inline = (text) =>
  text.split(INLINE).map((part, index) => {
    if (index % 2 === 0) return part;
    if (part.startsWith("**")) return element("strong", {}, part.slice(2, -2));
    return element(part[0] === "*" ? "em" : "code", {}, part.slice(1, -1));
  });

const ITEM = /^\s*(?:[-*+]|(\d+)[.)])\s+/;
const block = (text) => {
  const lines = text.split("\n");
  const heading = /^(#{1,6})\s+(.*)/.exec(text);
  if (heading && lines.length === 1) return [element("h2", {}, ...inline(heading[2]))];
  if (heading) return [...block(lines[0]), ...block(lines.slice(1).join("\n"))];
  const first = lines.findIndex((line) => ITEM.test(line));
  if (first > 0) {
    return [...block(lines.slice(0, first).join("\n")), ...block(lines.slice(first).join("\n"))];
  }
  if (first < 0) return [element("p", {}, ...inline(lines.join(" ")))];
  const items = [];
  for (const line of lines) {
    if (ITEM.test(line)) items.push(line.replace(ITEM, ""));
    else items.push(`${items.pop()} ${line.trim()}`);
  }
  const name = ITEM.exec(lines[0])[1] ? "ol" : "ul";
  return [element(name, {}, ...items.map((item) => element("li", {}, ...inline(item))))];
};

/** Read a small part of Markdown: headings, paragraphs, lists, *emphasis*, **strength**, `code`. */
export const markdown = (text) =>
  text
    .replace(/\r\n?/g, "\n")
    .split(/\n\s*\n/)
    .filter((each) => each.trim())
    .flatMap((each) => block(each.trim()));
