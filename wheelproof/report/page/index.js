// The first page, and the way between the views. Each view knows its own address and keys.
(() => {
  const views = [stepper, explorer];
  // Whether a view, or the place that the page was left at, is there.
  function route() {
    const open = views.filter((view) => view.route());
    if (open.length) return true;
    return $("index").hidden ? leave() : false;
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input, textarea")) return;
    const action = views.find((view) => view.open())?.keys[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  $("index").addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#trace="], a[href^="#graph="]');
    if (link) left = { link, top: scrollY };
  });
  addEventListener("beforeprint", () => {
    stepper.draw(true);
    for (const part of document.querySelectorAll("#index details")) part.open = true;
  });
  // The filter of the first page hides the rows without the text, and counts the others.
  let folds = null; // which sections were open before it
  $("filter").addEventListener("input", (event) => {
    const text = event.target.value.toLowerCase();
    const lines = [...document.querySelectorAll("[data-filter]")];
    const parts = [...document.querySelectorAll("details:has([data-filter])")];
    folds ??= parts.map((part) => part.open);
    for (const row of lines)
      row.hidden = text !== "" && !row.dataset.filter.toLowerCase().includes(text);
    parts.forEach((part, at) => {
      part.open = text ? !!part.querySelector("[data-filter]:not([hidden])") : folds[at];
    });
    if (!text) folds = null;
    count(text, lines);
  });
  function count(text, lines) {
    const matches = $("matches");
    matches.replaceChildren();
    if (!text) return;
    const there = lines.filter((row) => !row.hidden), parts = new Map();
    for (const row of there) {
      const part = row.closest("details.mechanism");
      parts.set(part, (parts.get(part) ?? 0) + 1);
    }
    matches.append(`shows ${there.length} of ${lines.length}` + (there.length ? ": " : ""));
    for (const [part, number] of parts) {
      const link = make("a", "", part.dataset.name);
      link.href = "#" + part.id;
      matches.append(link, ` ${number} `);
    }
  }
  // A link to a part of a folded section opens it.
  const unfold = () => {
    const target = location.hash.length > 1 && document.getElementById(
      location.hash.slice(1));
    for (let part = target; part; part = part.parentElement)
      if (part.tagName === "DETAILS") part.open = true;
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", () => { if (!route()) unfold(); });
  if (!route()) unfold();
})();
