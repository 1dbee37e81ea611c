// The owner's page: the state of the project as `progress --html` shows it, and its exports.

import { api } from "./saving.js";
import { element } from "./words.js";

const $ = (id) => document.getElementById(id);

async function refresh() {
  try {
    const { page, exports } = await api("/api/owner");
    // Text of the project is escaped in the page, and the policy of this one runs no script of it.
    const found = new DOMParser().parseFromString(page, "text/html");
    document.title = found.title;
    const main = [...found.querySelectorAll("header > *, main > *")];
    // The commands of the file are buttons here.
    main.at(-1).querySelectorAll(".command, h2 + p").forEach((node) => node.remove());
    $("shown").replaceChildren(...main);
    $("exports").replaceChildren(...exports.map(exportButton).flatMap((button) => [button, " "]));
    notice("");
  } catch (error) {
    notice(error.message);
  }
}

function exportButton([what, format]) {
  const button = element("button", { type: "button" }, `Download ${what} (${format})`);
  button.addEventListener("click", () => download(what, format));
  return button;
}

async function download(what, format) {
  try {
    const { text } = await api(`/api/owner/${what}/${format}`);
    const href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    element("a", { href, download: `${what}.${format}` }).click();
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
