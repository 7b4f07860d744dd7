// Beside the graph: hubs, communities and the strongest edges, or what is selected.
{
  const side = $("side");
  const FEW = 5;
  let items = [];
  let shown = null;
  let everyCommunity = false;
  // What was selected before, for the way back.
  const trail = [];

  // A line that leads to `what`, and lights it, or something else.
  const item = (what, text, c, more, lights = what) => {
    const made = make("li");
    const name = button("", () => select(what));
    if (c !== undefined) name.append(chip(c));
    name.append(text);
    made.append(name, ...more);
    made.addEventListener("pointerenter", () => hover(lights));
    made.addEventListener("pointerleave", () => hover(null));
    items.push([made, lights]);
    return made;
  };
  const bar = (share) => {
    const made = make("i", undefined, "mini");
    const inside = make("i");
    inside.style.width = `${(100 * share).toFixed(1)}%`;
    made.append(inside);
    return made;
  };
  const block = (title, unit, list) => {
    const made = make("div");
    const head = make("div", undefined, "head");
    head.append(make("h3", title), make("small", unit));
    const all = make("ul");
    all.append(...list);
    made.append(head, all);
    return made;
  };
  const byDegree = () => Array.from({ length: p }, (_, i) => i).filter((i) => state.degree[i]).sort((a, b) => state.degree[b] - state.degree[a] || state.strength[b] - state.strength[a] || a - b);
  const edgeItem = (k) => item({ pair: k }, shortPair(k), undefined, [rhoCell("span", rho[k])]);

  const overview = () => {
    if (!state.edges.length)
      return [make("p", "No pair is an edge at this level.", "muted"), block("Strongest pairs", "partial correlation", byStrength.slice(0, FEW).map(edgeItem))];
    const hubs = byDegree().slice(0, FEW);
    const members = data.communityNames.map((_, c) => communities.filter((one) => one === c).length);
    const many = members.length > FEW + 1 && !everyCommunity;
    const groups = data.communityNames.slice(0, many ? FEW : undefined).map((name, c) => item({ community: c }, name, c, [make("span", String(members[c]), "number")]));
    if (many) {
      const rest = make("li");
      rest.append(button(`${members.length - FEW} more`, () => { everyCommunity = true; fill(); side.focus({ preventScroll: true }); }));
      groups.push(rest);
    }
    return [
      block("Hubs", "edges", hubs.map((i) => item({ node: i }, labels[i], communities[i], [bar(state.degree[i] / state.degree[hubs[0]]), make("span", String(state.degree[i]), "number")]))),
      ...(groups.length ? [block("Communities", "variables", groups)] : []),
      block("Strongest edges", "partial correlation", state.edges.slice(0, FEW).map(edgeItem)),
    ];
  };

  const variable = (i) => {
    const near = state.edges.filter((k) => first[k] === i || second[k] === i);
    const list = make("ul");
    for (const k of near) {
      const other = first[k] === i ? second[k] : first[k];
      // Its name leads to the neighbour, its number to the edge.
      const number = rhoCell("span", rho[k]);
      number.tabIndex = 0;
      number.setAttribute("role", "button");
      number.setAttribute("aria-label", `edge ${shortPair(k)}: ${signed(rho[k])}`);
      number.addEventListener("click", () => select({ pair: k }));
      number.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); select({ pair: k }); } });
      const ends = low ? [make("small", interval(k), "number")] : [];
      list.append(item({ node: other }, names[other], communities[other], [number, ...ends], { pair: k }));
    }
    const c = communities[i];
    const group = c < 0 ? make("div", "in no community", "muted") : button("", () => select({ community: c }), "of");
    if (c >= 0) group.append(chip(c), data.communityNames[c]);
    const order = near.length > 1 ? ", by strength" : "";
    const which = near.length && low ? `, with ${test.intervalLabel}` : "";
    return [make("h3", names[i]), group, make("p", `${count(near.length, "neighbour")}${order}${which}`, "muted"), list];
  };

  const community = (c) => {
    const members = names.map((_, i) => i).filter((i) => communities[i] === c).sort((a, b) => state.strength[b] - state.strength[a] || a - b);
    const most = state.strength[members[0]] || 1;
    const title = make("h3");
    title.append(chip(c), data.communityNames[c]);
    const own = (i) => communities[i] === c;
    const inside = state.edges.filter((k) => own(first[k]) && own(second[k])).length;
    const across = state.edges.filter((k) => own(first[k]) !== own(second[k])).length;
    const list = make("ul");
    for (const i of members) list.append(item({ node: i }, names[i], undefined, [bar(state.strength[i] / most), make("span", state.strength[i].toFixed(2), "number")]));
    return [title, make("p", `${count(members.length, "variable")}, ${count(inside, "edge")} among them, ${across.toLocaleString("en")} to others. By strength: the sum of |partial correlation| over all edges.`, "muted"), list];
  };

  const selection = ({ node, pair, community: c }) => (pair !== undefined ? edgeCard(pair) : node !== undefined ? variable(node) : community(c));
  const back = () => {
    const before = trail.pop() || null;
    const rest = [...trail];
    select(before);
    trail.splice(0, trail.length, ...rest);
  };
  const fill = () => {
    const here = side.contains(document.activeElement);
    const what = state.selected;
    items = [];
    side.classList.toggle("empty", !what);
    side.replaceChildren(...(what ? [button("← Back", back, "back"), ...selection(what)] : overview()));
    if (here) (side.querySelector(".back") || side).focus({ preventScroll: true });
  };
  const light = () => {
    if (!same(state.selected, shown)) {
      if (!state.selected) trail.length = 0;
      else if (shown) trail.push(shown);
      shown = state.selected;
      side.scrollTop = 0;
      fill();
    } else if (!side.childElementCount) fill();
    for (const [made, what] of items) made.classList.toggle("lit", Boolean(focus) && same(focus.by, what));
  };
  part({ draw: fill, light });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && state.selected && !event.defaultPrevented && !event.target.closest?.("input, select")) select(null);
  });
}
