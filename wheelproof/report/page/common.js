"use strict";
// Shared by the parts of the page. All text of the project is put in as text, never as HTML.
const $ = (id) => document.getElementById(id);
const title = document.title;
const cache = new Map();
// The data of a counterexample is parsed when it is opened.
function parsed(id) {
  if (!cache.has(id)) cache.set(id, JSON.parse($(id).textContent));
  return cache.get(id);
}

function make(tag, kind, text) {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  if (text !== undefined) made.textContent = text;
  return made;
}

function excerpt(target, heading, key) {
  target.replaceChildren(make("h3", "", heading));
  const found = key && parsed("excerpts")[key];
  target.hidden = !found;
  if (!found) return;
  target.append(make("p", "file", found.file));
  const code = make("pre");
  found.lines.forEach((line, at) => {
    const marked = found.marked.includes(at);
    const made = make("span", marked ? "line ran" : "line");
    made.append(make("i", "", (marked ? "\u25b8" : " ") +
      String(found.first + at).padStart(5)), " " + line);
    code.append(made);
  });
  target.append(code);
}

function decoded(text) {
  try { return decodeURIComponent(text); } catch { return null; }
}

// The first page comes back as it was left: its place, and the focus on the link that was followed.
let left = null;
// The step of a counterexample that has led into a graph.
let origin = "";
function enter(view) {
  for (const main of document.querySelectorAll("main")) main.hidden = main.id !== view;
  if (left && view !== "index") scrollTo(0, 0);
}
function leave() {
  enter("index");
  origin = "";
  document.title = title;
  if (!left) return false;
  scrollTo(0, left.top);
  left.link.focus({ preventScroll: true });
  left = null;
  return true;
}
// Escape: back to the link, or to the section of a view that an address has opened.
function back(section) {
  if (origin) { location.hash = origin; origin = ""; return; }
  if (!left) { location.hash = "#" + section; return; }
  history.pushState(null, "", "#");
  dispatchEvent(new Event("hashchange"));
}
