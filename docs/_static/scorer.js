/* Results of the search: pages that answer a question first, then methods; lists of everything last. */
var Scorer = {
  score: ([page, title, anchor, description, score]) =>
    score +
    (page.startsWith("questions/") || page === "citing" ? 8 : 0) +
    (page.startsWith("methods/") ? 4 : 0) -
    (page === "api" || page === "changelog" ? 20 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
