// What every page has: the choice of light or dark colours, and buttons that copy a block.
"use strict";

const schemes = ["system", "light", "dark"];

// A page that is opened as a file may have no storage.
function kept(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function colour(scheme) {
  if (scheme === "light" || scheme === "dark") document.documentElement.dataset.theme = scheme;
  else delete document.documentElement.dataset.theme;
}

// What a reader types: of a session the commands without their prompts and without the output.
function typed(text) {
  const lines = text.replace(/\n$/, "").split("\n");
  const prompt = lines.some((line) => line.startsWith(">>> ")) ? /^(>>>|\.\.\.) ?/ : /^[$>] /;
  if (!lines.some((line) => /^(\$|>>>) /.test(line))) return lines.join("\n");
  return lines.filter((line) => prompt.test(line)).map((line) => line.replace(prompt, "")).join("\n");
}

colour(kept("colours"));

addEventListener("DOMContentLoaded", () => {
  const place = document.querySelector(".wy-side-nav-search");
  if (place) {
    const button = document.createElement("button");
    button.className = "colours";
    let scheme = schemes.includes(kept("colours")) ? kept("colours") : "system";
    const show = () => { button.textContent = `Colours: ${scheme}`; };
    button.addEventListener("click", () => {
      scheme = schemes[(schemes.indexOf(scheme) + 1) % schemes.length];
      kept("colours", scheme);
      colour(scheme);
      show();
    });
    show();
    place.append(button);
  }
  for (const block of document.querySelectorAll(".rst-content pre")) {
    const button = document.createElement("button");
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const text = typed(block.textContent);
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        // Without leave to write to the clipboard: by way of a selection.
        const field = document.createElement("textarea");
        field.value = text;
        document.body.append(field);
        field.select();
        document.execCommand("copy");
        field.remove();
      }
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    const around = document.createElement("div");
    around.className = "copied";
    block.replaceWith(around);
    around.append(block, button);
  }
});
