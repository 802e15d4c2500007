"use strict";
// Links open what they lead to, also when it is inside closed parts.
const openTo = (element) => {
  for (let part = element; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
};
const follow = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  openTo(target);
  target.scrollIntoView();
};
addEventListener("hashchange", follow);
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (!link) return;
  if (narrow.matches) contents.open = false;
  if (link.getAttribute("href") === location.hash) follow();
});

// The contents are closed on narrow screens, and open for printing is everything but the lists of cases.
const contents = document.querySelector(".contents details");
const narrow = matchMedia("(max-width: 64rem)");
const fit = () => { if (contents) contents.open = !narrow.matches; };
narrow.addEventListener("change", fit);
fit();
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("main details:not([open]):not(.cases)")];
  for (const part of closed) part.open = true;
});
addEventListener("afterprint", () => { for (const part of closed) part.open = false; });

// Search: the contents keep the entries whose name or text has all words.
const search = document.getElementById("search"), found = document.getElementById("found");
const entries = [...document.querySelectorAll("#entries li")].map((item) => {
  const link = item.querySelector("a");
  return { item, name: link.textContent.toLowerCase(), target: document.getElementById(link.hash.slice(1)), text: null };
});
const textOf = (entry) => {
  const isLeaf = !entry.item.querySelector("li") && entry.target && entry.target.id !== "main";
  entry.text ??= `${entry.name} ${isLeaf ? entry.target.textContent.toLowerCase() : ""}`;
  return entry.text;
};
search?.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  document.getElementById("entries").classList.toggle("searching", words.length > 0);
  const matching = entries.filter((entry) => words.every((word) => textOf(entry).includes(word)));
  const shown = new Set();
  for (const { item } of matching) for (let part = item; part.id !== "entries"; part = part.parentElement) shown.add(part);
  for (const { item } of entries) item.hidden = words.length > 0 && !shown.has(item);
  found.textContent = words.length === 0 ? "" : matching.length === 1 ? "1 place" : `${matching.length} places`;
});
search?.addEventListener("keydown", (event) => {
  const first = entries.find((entry) => !entry.item.hidden && search.value && textOf(entry).includes(search.value.toLowerCase()));
  if (event.key === "Enter" && first) location.hash = first.item.querySelector("a").hash;
});

// Lists of cases are made when they are opened; a row stays if it has all words of the filter.
const lists = JSON.parse(document.getElementById("case-lists")?.textContent ?? "{}");
const heads = ["Case", "Call", "Seed", "Recorded", "Live", "Worst LRE", "What differs"];
const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
const fill = (part) => {
  const name = part.dataset.function;
  const rows = lists[name].map((cells) => make("tr", {}, ...cells.map((cell, column) => {
    const kind = cell === "differs" ? "bad" : column === 2 || column === 5 ? "n" : "";
    return make("td", { className: kind }, column === 5 ? cell.toFixed(1) : String(cell || (column === 4 ? "not compared" : "")));
  })));
  const filter = make("input", { type: "search", placeholder: "differs, tolerance, K=3 ..." });
  filter.setAttribute("aria-label", `Filter the cases of ${name}`);
  const count = make("span", { className: "none" });
  const sift = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
    count.textContent = ` ${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
  };
  filter.addEventListener("input", sift);
  const head = make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text))));
  const wide = make("div", { className: "wide" }, make("table", {}, head, make("tbody", {}, ...rows)));
  wide.tabIndex = 0;
  part.append(make("p", { className: "filter" }, filter, count), wide);
  sift();
};
for (const part of document.querySelectorAll("details.cases")) {
  part.addEventListener("toggle", () => { if (part.open && !part.querySelector("table")) fill(part); });
}
follow();
