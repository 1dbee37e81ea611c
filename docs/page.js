// What the theme lacks: a search that works in files and wants all words, fewer landmarks.
"use strict";

// Where a page is opened as a file no worker may start: it runs in a hidden frame instead.
class FrameWorker extends EventTarget {
  constructor(address) {
    super();
    const frame = document.createElement("iframe");
    frame.hidden = true;
    document.body.append(frame);
    this.inside = frame.contentWindow;
    this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
    this.ready = new Promise((resolve) => {
      const script = frame.contentDocument.createElement("script");
      script.src = address;
      script.onload = resolve;
      frame.contentDocument.head.append(script);
    });
  }

  postMessage(data) {
    this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
  }
}

// A section must have all words of a question, or words that begin so; signs around them, as of
// --kbest, do not count. Short words are mostly those that the index leaves out.
function allWords(question) {
  const words = question.match(/[\p{L}\p{N}]([^\s:~^*+-]*[\p{L}\p{N}])?/gu) || [];
  return words.map((word) => (/^[\p{L}\p{N}]{3,}$/u.test(word) ? `+${word}*` : word)).join(" ");
}

window.Worker = class extends (location.protocol === "file:" ? FrameWorker : Worker) {
  postMessage(message) {
    const { data } = message;
    super.postMessage(typeof data === "string" ? { ...message, data: allWords(data) } : message);
  }
};

// The theme makes these when a block or a table comes into view: bars of buttons that count as
// landmarks, and wide tables that the keyboard cannot scroll.
new MutationObserver(() => {
  for (const bar of document.querySelectorAll("nav.md-code__nav:not([role])")) bar.role = "none";
  for (const table of document.querySelectorAll(".md-typeset__scrollwrap")) table.tabIndex = 0;
}).observe(document, { childList: true, subtree: true });
