// Searches the index in search/index.js; needs no server, so the site also works as a folder.
"use strict";

function words(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) || [];
}

// Every word must begin a word of the section; one in the title counts more, a whole one too.
function score(section, wanted) {
  const title = words(section.title);
  const text = words(section.text);
  let sum = section.title.toLowerCase().includes(wanted.join(" ")) ? 50 : 0;
  for (const word of wanted) {
    const begins = (each) => each.startsWith(word);
    const inText = text.filter(begins).length;
    if (!title.some(begins) && !inText) return 0;
    sum += (title.some(begins) ? 20 : 0) + (title.includes(word) ? 20 : 0) + Math.min(inText, 10);
  }
  // Guides before the reference.
  return section.location.startsWith("reference/") ? sum / 2 : sum;
}

// The text around the first word that was found.
function excerpt(text, wanted) {
  const places = wanted.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - 80);
  return (start ? "… " : "") + text.slice(start, start + 240) + (start + 240 < text.length ? " …" : "");
}

function show(query) {
  const wanted = words(query);
  const results = document.getElementById("mkdocs-search-results");
  const found = searchIndex
    .map((section) => ({ section, score: wanted.length ? score(section, wanted) : 0 }))
    .filter((each) => each.score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, 50);
  results.replaceChildren(...found.map(({ section }) => {
    const article = document.createElement("article");
    const link = document.createElement("a");
    link.href = base_url + "/" + section.location;
    link.textContent = section.title;
    const heading = document.createElement("h3");
    heading.append(link);
    const text = document.createElement("p");
    text.textContent = excerpt(section.text, wanted);
    article.append(heading, text);
    return article;
  }));
  if (!found.length) results.textContent = results.dataset.noResultsText;
}

addEventListener("DOMContentLoaded", () => {
  const field = document.getElementById("mkdocs-search-query");
  if (!field) return;
  const index = document.createElement("script");
  index.src = base_url + "/search/index.js";
  index.onload = () => {
    field.value = new URLSearchParams(location.search).get("q") || "";
    field.addEventListener("input", () => show(field.value));
    show(field.value);
  };
  document.head.append(index);
});
