// The owner's page: the state of the project as `progress --html` shows it, and its exports.

import { api } from "./saving.js";
import { element } from "./words.js";

const $ = (id) => document.getElementById(id);

async function refresh() {
  try {
    const { page, exports } = await api("/api/owner");
    // Its style is that of this page; text of the project is escaped in it.
    const found = new DOMParser().parseFromString(page.slice(page.indexOf("<body>")), "text/html");
    // The commands of the file are buttons here.
    const buttons = element("p", { className: "controls" }, ...exports.map(exportButton));
    const [first, ...others] = found.querySelectorAll(".command");
    first.replaceWith(buttons);
    others.forEach((node) => node.remove());
    $("shown").replaceChildren(...found.querySelectorAll("header > *, main > *"));
    notice("");
  } catch (error) {
    notice(error.message);
  }
}

function exportButton([what, format, rater]) {
  const name = rater ? `${what} of ${rater}` : what;
  const button = element("button", { type: "button" }, `Download ${name} (${format})`);
  button.addEventListener("click", () => download(what, format, rater));
  return button;
}

async function download(what, format, rater) {
  try {
    const path = [what, format, ...(rater ? [encodeURIComponent(rater)] : [])].join("/");
    const { text } = await api(`/api/owner/${path}`);
    const href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    element("a", { href, download: `${rater ? `${what}-${rater}` : what}.${format}` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 1000);
    notice("");
  } catch (error) {
    notice(error.message);
  }
}

function notice(text) {
  $("notice").textContent = text;
}

$("refresh").addEventListener("click", refresh);
refresh();
