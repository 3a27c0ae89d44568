// Steps by choice: from any state of a scenario's graph, the reader picks the thread that moves.
const explorer = (() => {
  const view = $("explorer");
  let graph = null, name = "", start = 0, path = [], pinned = new Set(), wanted = "";

  // The address: #graph=MECHANISM/SCENARIO&state=N&path=A.B, the steps by their places among those
  // that are enabled.
  const address = () => `#graph=${encodeURIComponent(name)}` +
    (start ? `&state=${start + 1}` : "") + (path.length ? `&path=${path.join(".")}` : "");

  function route() {
    const match = /^#graph=([^&]*)(?:&state=(\d+))?(?:&path=([\d.]+))?$/.exec(location.hash);
    const id = match && decoded(match[1]);
    if (id === null || !$("graph:" + id)) { graph = null; name = wanted = ""; return false; }
    enter("explorer");
    const go = () => {
      start = Math.min(Math.max(Number(match[2] ?? 1) - 1, 0), graph.edges.length - 1);
      path = [];
      for (const choice of (match[3] ?? "").split(".").filter(Boolean).map(Number))
        if (choice < steps(here()).length) path.push(choice);
      show();
    };
    wanted = id;
    if (id === name) go();
    else unpacked(id).then((made) => {
      if (wanted !== id) return;
      graph = made; name = id; pinned = new Set();
      go();
      if (left) $("moves").querySelector("button")?.focus({ preventScroll: true });
    }, (error) => { $("graph-name").textContent = `This graph cannot be unpacked: ${error}`; });
    return true;
  }

  async function unpacked(id) {
    if (cache.has("graph:" + id)) return cache.get("graph:" + id);
    const bytes = Uint8Array.from(atob($("graph:" + id).textContent), (one) => one.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const made = JSON.parse(await new Response(stream).text());
    const numbers = (row) => row ? row.split(" ").map(Number) : [];
    made.edges = made.edges.map((row) => {
      const flat = numbers(row), out = [];
      for (let at = 0; at < flat.length; at += 3) out.push(flat.slice(at, at + 3));
      return out;
    });
    made.changes = made.changes.map(numbers);
    for (const watch in made.watches) made.watches[watch] = numbers(made.watches[watch]);
    made.parents = [-1];
    made.edges.forEach((row, before) => {
      for (const [, , after] of row) if (after) made.parents[after] ??= before;
    });
    made.states = new Map();
    cache.set("graph:" + id, made);
    return made;
  }

  // The value of each place of a state: the changes along the way to it.
  function state(number) {
    const known = graph.states.get(number);
    if (known) return known;
    const way = [];
    for (let at = number; at >= 0; at = graph.parents[at]) way.push(at);
    const values = new Map();
    for (const at of way.reverse()) {
      const row = graph.changes[at];
      for (let place = 0; place < row.length; place += 2) values.set(row[place], row[place + 1]);
    }
    graph.states.set(number, values);
    return values;
  }
  const text = (number) => number === undefined || number < 0 ? "" : graph.values[number];
  const value = (number, place) => text(state(number).get(graph.places.indexOf(place)));

  const steps = (number) => graph.edges[number];
  function visited() {
    const out = [start];
    for (const choice of path) out.push(steps(out.at(-1))[choice][2]);
    return out;
  }
  const here = () => visited().at(-1);

  function choose(choice) {
    if (choice >= steps(here()).length) return;
    path.push(choice);
    write();
  }
  function cut(length) {
    path.length = Math.max(0, Math.min(length, path.length));
    write();
  }
  function write() {
    history.replaceState(null, "", address());
    show();
  }

  // The shortest way from here to a state in which a formula has another value.
  function nearest(watch) {
    const values = graph.watches[watch], first = here(), from = new Map([[first, null]]);
    const waiting = [first];
    for (const at of waiting) {
      if (values[at] !== values[first]) {
        const way = [];
        for (let one = at; from.get(one); one = from.get(one)[0]) way.unshift(from.get(one)[1]);
        return way;
      }
      steps(at).forEach(([, , after], choice) => {
        if (!from.has(after)) { from.set(after, [at, choice]); waiting.push(after); }
      });
    }
    return null;
  }

  function show() {
    const states = visited(), now = states.at(-1), before = states.at(-2);
    document.title = `${name}: state ${now + 1}`;
    $("graph-name").textContent = name;
    $("graph-about").textContent = graph.about;
    $("explorer-close").textContent = `back to the ${origin ? "counterexample" : "review"} (Esc)`;
    $("graph-state").value = now + 1;
    $("graph-state").max = graph.edges.length;
    $("graph-count").textContent = `of ${graph.edges.length}, after ${path.length} ` +
      (path.length === 1 ? "step" : "steps") + (start ? ` from state ${start + 1}` : "");
    moves(now);
    history_(states);
    watches(now, before);
    const last = path.length ? graph.kinds[steps(before)[path.at(-1)][1]] : null;
    excerpt($("graph-spec"), "specification", last && last[2]);
    excerpt($("graph-code"), "implementation", last && last[3]);
    table(now, before);
  }

  // A line for each thread: the steps that it can take, or where it waits.
  function moves(now) {
    const list = $("moves"), focus = document.activeElement?.dataset?.choice;
    list.replaceChildren();
    graph.threads.forEach((thread, index) => {
      const line = make("tr"), cell = make("td");
      line.append(make("th", "", thread), cell);
      steps(now).forEach(([mover, kind], choice) => {
        if (mover !== index) return;
        const [label, sort] = graph.kinds[kind];
        const button = make("button", "", label + (sort ? " " + sort : ""));
        button.dataset.choice = choice;
        if (choice < 9) button.append(" ", make("kbd", "", choice + 1));
        button.addEventListener("click", () => choose(choice));
        cell.append(button, " ");
      });
      if (!cell.children.length) {
        const pc = value(now, `pc[${thread}]`).replaceAll('"', "");
        const ended = !graph.kinds.some(([label]) => label.split(" ")[0] === pc);
        cell.append(make("span", "where", ended ? "has ended" : "waits at " + pc));
      }
      list.append(line);
    });
    const end = $("graph-end");
    const waits = [...list.querySelectorAll(".where")].some((one) => one.textContent !== "has ended");
    end.textContent = steps(now).length ? "" : waits ? "No thread can move: a deadlock." :
      "Every thread has ended.";
    end.className = waits ? "bad" : "";
    if (focus !== undefined) list.querySelector("button")?.focus({ preventScroll: true });
  }

  function history_(states) {
    const lines = path.map((choice, at) => {
      const [thread, kind] = steps(states[at])[choice], line = make("li");
      const button = make("button", "link", `${graph.threads[thread]}: ${graph.kinds[kind][0]}`);
      button.title = "back to the state after this step";
      button.addEventListener("click", () => cut(at + 1));
      line.append(button);
      return line;
    });
    $("graph-path").replaceChildren(...lines);
    $("graph-path").lastElementChild?.scrollIntoView({ block: "nearest" });
    $("undo").disabled = !path.length;
  }

  // The formulas of the model, with their values here and before the step.
  function watches(now, before) {
    const table = $("watches");
    table.replaceChildren();
    for (const [watch, values] of Object.entries(graph.watches)) {
      const changed = before !== undefined && values[before] !== values[now];
      const line = make("tr", changed ? "changed" : ""), cell = make("td");
      const button = make("button", "", "to another value");
      button.title = "the shortest way to a state in which it has another value";
      button.addEventListener("click", () => {
        const way = nearest(watch);
        if (way) { path.push(...way); write(); }
        else { button.textContent = "never from here"; button.disabled = true; }
      });
      cell.append(button);
      const head = make("th", "mono", watch);
      head.title = graph.says[watch] ?? "";
      line.append(head, make("td", "mono", text(values[now])), cell);
      table.append(line);
    }
    table.parentElement.hidden = !table.children.length;
  }

  // The places, those that are pinned first.
  function table(now, before) {
    const values = state(now), old = before === undefined ? values : state(before);
    const order = graph.places.map((place, at) => at)
      .sort((one, other) => pinned.has(other) - pinned.has(one));
    $("graph-places").replaceChildren(...order.flatMap((at) => {
      const [past, present] = [text(old.get(at)), text(values.get(at))];
      if (!past && !present) return [];
      const line = make("tr", past === present ? "" : "changed"), cell = make("td");
      const box = make("input");
      box.type = "checkbox"; box.checked = pinned.has(at);
      box.setAttribute("aria-label", "keep " + graph.places[at] + " on top");
      box.addEventListener("change", () => {
        if (box.checked) pinned.add(at); else pinned.delete(at);
        show();
      });
      cell.append(box);
      line.append(cell, make("td", "", graph.places[at]),
        make("td", "", past === present ? "" : past), make("td", "", present));
      return [line];
    }));
  }

  const keys = {
    k: () => cut(path.length - 1), ArrowUp: () => cut(path.length - 1),
    Backspace: () => cut(path.length - 1), Home: () => cut(0),
    Escape: () => back(view.dataset.back ?? ""),
  };
  for (let number = 1; number <= 9; number++) keys[number] = () => choose(number - 1);
  $("undo").addEventListener("click", keys.k);
  $("restart").addEventListener("click", () => { start = 0; path = []; write(); });
  $("explorer-close").addEventListener("click", keys.Escape);
  $("graph-state").addEventListener("change", (event) => {
    start = Math.min(Math.max(Math.trunc(Number(event.target.value)) - 1, 0), graph.edges.length - 1);
    path = [];
    write();
  });
  return { route, keys, open: () => graph !== null };
})();
