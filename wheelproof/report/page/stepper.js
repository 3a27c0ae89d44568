// The stepper: a counterexample, step by step.
const stepper = (() => {
  const HEIGHT = 28; // pixels of a row
  const MARGIN = 20; // rows drawn above and below those in sight
  const viewer = $("viewer"), picture = $("picture"), rows = $("rows");
  let trace = null, name = "", step = 0, silent = false, whole = false, shown = [], place = 0;
  let drawn = new Map(), racing = [];

  // The address: #trace=NAME&step=N, with N from 1; N.M is the silent step M after step N.
  const address = (to, at) => "#trace=" + encodeURIComponent(to) + "&step=" + at;
  const counted = (each) => each.kind !== "silent";

  // Whether the place in the page is settled.
  function route() {
    const match = /^#trace=([^&]*)(?:&step=(\d+(?:\.\d+)?))?$/.exec(location.hash);
    const wanted = match && decoded(match[1]);
    if (wanted === null || !$("trace:" + wanted)) { trace = null; name = ""; return false; }
    origin = "";
    if (wanted !== name) open(wanted);
    const at = trace.steps.findIndex((each) => each.at === match[2]);
    go(at < 0 ? firstOfInterest() : at, false);
    return true;
  }

  function open(wanted) {
    name = wanted; trace = parsed("trace:" + wanted);
    silent = false; whole = false; place = 0;
    enter("viewer");
    picture.scrollTop = 0;
    if (left) picture.focus({ preventScroll: true });
    document.title = trace.property + ": " + trace.title;
    $("badge").textContent = trace.ok ? "violated, as expected" : "finding";
    $("badge").className = trace.ok ? "badge expected" : "badge finding";
    $("property").textContent = trace.property;
    $("length").textContent = trace.length;
    $("where").textContent = trace.title + ", scenario " + trace.scenario +
      (trace.without ? ", without " + trace.without : "") +
      (trace.idle.length ? ". Never moves: " + trace.idle.join(", ") : "");
    $("explanation").textContent = trace.explanation;
    $("command").textContent = trace.command;
    const head = $("threads");
    head.replaceChildren(make("span", "number", "#"));
    for (const thread of trace.threads) head.append(make("span", "column", thread));
    head.append(make("span", "narrow", "step"), make("span", "brief", "change"));
    viewer.style.setProperty("--columns", trace.threads.length);
    viewer.classList.toggle("wide", trace.threads.length > 2);
    const ends = $("ends");
    ends.replaceChildren(...trace.waits.map((text) => make("li", "", text)));
    ends.hidden = !trace.waits.length;
    for (const figure of document.querySelectorAll("figure[data-trace]"))
      figure.hidden = figure.dataset.trace !== name;
    racing = trace.steps.filter((each) => each.access).map((each) => each.at);
    $("accesses").replaceChildren(...trace.steps.filter((each) => each.access).map((each) => {
      const line = make("li"), link = make("a", "", "step " + each.at + ": " + each.access);
      link.href = address(name, each.at);
      line.append(link);
      return line;
    }));
    $("accesses").hidden = !racing.length;
    choose();
  }

  // Which steps have a row: those that are silent only on request.
  function choose() {
    shown = [];
    trace.steps.forEach((each, at) => {
      if (silent || counted(each) || Object.keys(each.changes).length) shown.push(at);
    });
    if (!shown.length) shown = trace.steps.map((_, at) => at);
    $("silent").textContent = silent ? "hide silent steps (s)" :
      "show " + (trace.steps.length - shown.length) + " silent steps (s)";
    $("silent").hidden = !silent && shown.length === trace.steps.length;
    rows.replaceChildren($("arrows")); drawn = new Map();
    rows.style.height = (shown.length + 1) * HEIGHT + "px";
    draw();
  }

  const firstOfInterest = () => {
    const at = trace.steps.findIndex((each) => Object.keys(each.changes).length);
    return at < 0 ? 0 : at;
  };

  function held(at, thread) {
    return trace.holds.filter((hold) =>
      hold[0] === thread && hold[2] <= at && at <= hold[3]);
  }

  // Whether a row is the step of another thread than the numbered step before it.
  function switches(number) {
    if (!counted(trace.steps[shown[number]])) return false;
    let before = number - 1;
    while (before >= 0 && !counted(trace.steps[shown[before]])) before--;
    return before >= 0 && trace.steps[shown[before]].thread !== trace.steps[shown[number]].thread;
  }

  function row(number) {
    const made = make("div", "row");
    made.style.top = number * HEIGHT + "px";
    if (number === shown.length) {
      made.classList.add("end");
      made.append(make("span", "number", ""), make("span", "stated", trace.end));
      return made;
    }
    const at = shown[number], each = trace.steps[at];
    made.dataset.at = at;
    if (switches(number)) made.classList.add("switch");
    if (trace.loop !== null && at >= trace.loop) made.classList.add("loop");
    if (each.access) { made.classList.add("race"); made.title = each.access; }
    made.append(make("span", "number", counted(each) ? each.at : ""));
    trace.threads.forEach((thread) => {
      const cell = make("span", thread === each.thread ? "column mine" : "column");
      const mine = held(at, thread);
      if (mine.length) {
        const bar = make("i", "hold");
        if (mine.some((hold) => hold[2] === at)) bar.classList.add("takes");
        if (mine.some((hold) => hold[3] === at)) bar.classList.add("last");
        bar.title = thread + " holds " + mine.map((hold) => hold[1]).join(", ");
        cell.append(bar);
      }
      if (thread === each.thread) {
        cell.append(make("span", "narrow", thread + " "), make("b", "", each.label));
        if (each.kind) cell.append(make("em", "kind " + each.kind, each.kind));
        if (each.access)
          cell.append(make("em", "kind access", "race " + (racing.indexOf(each.at) + 1)));
        cell.title = cell.textContent;
      }
      made.append(cell);
    });
    const brief = Object.entries(each.changes)
      .map(([where, [, after]]) => where + " := " + after).join("; ");
    const last = make("span", "brief", brief.slice(0, 300));
    last.title = brief.slice(0, 2000);
    if (each.access) last.prepend(make("strong", "bad", each.access + " "));
    for (const pair of trace.wakes) if (pair[1] === at)
      last.prepend(make("strong", "wake", `woken by ${trace.steps[pair[0]].at} `));
    made.append(last);
    made.addEventListener("click", () => go(at, true));
    return made;
  }

  // Only the rows in sight are in the document: a run of 10,000 steps scrolls as one of ten.
  function draw(all = false) {
    if (!trace) return;
    const first = all ? 0 : Math.max(0, Math.floor(picture.scrollTop / HEIGHT) - MARGIN);
    const last = all ? shown.length :
      Math.min(shown.length, Math.ceil((picture.scrollTop + picture.clientHeight) / HEIGHT) + MARGIN);
    for (const [number, made] of drawn)
      if (number < first || number > last) { made.remove(); drawn.delete(number); }
    for (let number = first; number <= last; number++)
      if (!drawn.has(number)) {
        const made = row(number);
        drawn.set(number, made);
        rows.append(made);
      }
    arrows(first, last);
    mark();
  }

  // The arrows of the rows that are drawn, each beside the columns of its two threads.
  function arrows(first, last) {
    const picture = $("arrows");
    const rowOf = (at) => shown.findIndex((one) => one >= at);
    const seen = trace.wakes.map((pair) => pair.map(rowOf))
      .filter(([from, to]) => from >= 0 && to >= from && from <= last && to >= first);
    const ways = [], heads = [];
    const cells = [...$("threads").querySelectorAll(".column")];
    for (const [from, to] of seen) {
      const [start, end] = [from, to].map((number) => {
        const cell = cells[trace.threads.indexOf(trace.steps[shown[number]].thread)];
        return [cell.offsetLeft + 9, number * HEIGHT + HEIGHT / 2];
      });
      const turn = end[1] - HEIGHT / 2 - 2;
      ways.push(`M${start[0]} ${start[1] + 8}V${turn}H${end[0]}V${end[1] - 8}`);
      heads.push(`M${end[0] - 4} ${end[1] - 9}h8l-4 7z`);
    }
    picture.setAttribute("height", shown.length * HEIGHT);
    [ways, heads].forEach((lines, at) => picture.children[at].setAttribute("d", lines.join("")));
  }

  function mark() {
    for (const made of drawn.values()) {
      const here = made.dataset.at !== undefined && Number(made.dataset.at) === step;
      made.classList.toggle("here", here);
      if (here) made.setAttribute("aria-current", "step"); else made.removeAttribute("aria-current");
    }
  }

  function go(to, write) {
    if (!trace.steps.length) { card(-1); return; }
    step = Math.min(Math.max(to, 0), trace.steps.length - 1);
    let number = shown.findIndex((at) => at >= step);
    if (number < 0) number = shown.length - 1;
    if (shown[number] !== step) { silent = true; choose(); number = step; }
    place = number;
    const top = number * HEIGHT;
    if (top < picture.scrollTop + HEIGHT) picture.scrollTop = Math.max(0, top - HEIGHT);
    else if (top > picture.scrollTop + picture.clientHeight - 3 * HEIGHT)
      picture.scrollTop = top - picture.clientHeight + 3 * HEIGHT;
    if (write) history.replaceState(null, "", address(name, trace.steps[step].at));
    draw();
    card(step);
  }

  function state(at) {
    const now = { ...trace.initial };
    for (let each = 0; each <= at; each++)
      for (const [where, [, after]] of Object.entries(trace.steps[each].changes)) now[where] = after;
    return now;
  }

  function card(at) {
    const each = trace.steps[at];
    $("step").textContent = each ?
      `${counted(each) ? "Step" : "After step"} ${parseInt(each.at)} of ${trace.count}: ` +
        `${each.thread}, ${each.label} ${each.kind}`.trim() :
      "The initial state";
    const holding = trace.threads
      .map((thread) => [thread, held(at, thread).map((hold) => hold[1])])
      .filter(([, places]) => places.length)
      .map(([thread, places]) => thread + " holds " + places.join(", "));
    $("holding").textContent = holding.join("; ");
    excerpt($("spec"), "specification", each && each.spec);
    excerpt($("code"), "implementation", each && each.code);
    $("source").textContent = each && !each.code && each.source ? each.source : "";
    $("access").textContent = each ? each.access : "";
    const said = (at) => { const one = trace.steps[at];
      return `step ${one.at} (${one.thread}, ${one.label})`; };
    $("notice").textContent = trace.wakes.filter((pair) => pair.includes(at)).map((pair) =>
      pair[1] === at ? "Woken by " + said(pair[0]) + "." : "Wakes " + said(pair[1]) + ".").join(" ");
    const onward = $("onward");
    onward.hidden = !each || at >= trace.path.length;
    if (!onward.hidden) onward.href =
      `#graph=${encodeURIComponent(trace.graph)}&path=${trace.path.slice(0, at + 1).join(".")}`;
    const table = $("changes");
    table.replaceChildren();
    const changes = each ? each.changes : {};
    const head = make("tr");
    for (const text of ["variable", "before", "after"]) head.append(make("th", "", text));
    table.append(head);
    const add = (kind, texts) => {
      const made = make("tr", kind);
      for (const text of texts) made.append(make("td", "", text));
      table.append(made);
    };
    for (const [where, [before, after]] of Object.entries(changes))
      add("changed", [where, before, after]);
    if (whole)
      for (const [where, value] of Object.entries(state(at)))
        if (!(where in changes)) add("", [where, value, value]);
    if (table.children.length === 1) add("none", ["no variable changes", "", ""]);
    $("whole").textContent = whole ? "only what changes (u)" : "the whole state (u)";
    if (at === trace.steps.length - 1) $("live").textContent = $("step").textContent + ". " + trace.end;
    else $("live").textContent = $("step").textContent;
  }

  const move = (by) => go(shown[Math.min(Math.max(place + by, 0), shown.length - 1)], true);
  const nextSwitch = (by) => {
    let at = place + by;
    while (at > 0 && at < shown.length - 1 && !switches(at)) at += by;
    go(shown[Math.min(Math.max(at, 0), shown.length - 1)], true);
  };
  const keys = {
    ArrowDown: () => move(1), j: () => move(1), ArrowUp: () => move(-1), k: () => move(-1),
    PageDown: () => move(20), PageUp: () => move(-20),
    Home: () => move(-shown.length), End: () => move(shown.length),
    n: () => nextSwitch(1), p: () => nextSwitch(-1),
    u: () => { whole = !whole; card(step); },
    s: () => { silent = !silent; choose(); go(step, true); },
    Escape: () => back(trace.section || ""),
  };
  for (const [id, key] of [["previous", "k"], ["next", "j"], ["silent", "s"], ["whole", "u"]])
    $(id).addEventListener("click", () => keys[key]());
  $("close").addEventListener("click", () => keys.Escape());
  $("onward").addEventListener("click", () => { origin = location.hash; });
  $("copy").addEventListener("click", () => {
    navigator.clipboard?.writeText(trace.command).then(
      () => { $("copy").textContent = "copied"; }, () => {});
  });
  picture.addEventListener("scroll", () => requestAnimationFrame(() => draw()));
  addEventListener("resize", () => draw());
  return { route, keys, draw, open: () => trace !== null };
})();
