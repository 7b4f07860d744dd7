// How central each variable is: three numbers as dots on the same rows, the strongest first.
(() => {
  const { whenSeen, linked, rowName, roundTicks } = pictures;
  const box = $("centrality");
  // Without a script there is only a title, which nobody needs.
  $("centrality-section").hidden = false;
  const found = data.centrality || null;
  const FEW = 20;
  let everyone = false;
  // The strength of the edges that leave a community, by the rule that is shown.
  const bridges = () => {
    const sum = new Float64Array(p);
    for (const k of state.edges)
      if (communities[first[k]] !== communities[second[k]]) { sum[first[k]] += Math.abs(rho[k]); sum[second[k]] += Math.abs(rho[k]); }
    return sum;
  };
  const panels = () => {
    const ends = found && asTested() ? found : {};
    return [
      { name: "degree", value: state.degree, text: String },
      { name: "strength", value: state.strength, low: ends.strengthLow, high: ends.strengthHigh, text: (v) => v.toFixed(2) },
      { name: "bridge", value: bridges(), low: ends.bridgeLow, high: ends.bridgeHigh, text: (v) => v.toFixed(2) },
    ];
  };
  const hasEnds = (panel, i) => Boolean(panel.low && panel.high && Number.isFinite(panel.low[i]) && Number.isFinite(panel.high[i]));
  const told = (panel, i) => {
    const within = hasEnds(panel, i) ? ` (${panel.text(panel.low[i])} to ${panel.text(panel.high[i])})` : "";
    return `${panel.name} ${panel.text(panel.value[i])}${within}`;
  };
  const percent = (panel, v) => `${(100 * Math.max(0, v)) / panel.most}%`;
  const dots = (panel, i) => {
    const svg = draw("svg", { "aria-hidden": "true" });
    for (const v of panel.ticks) svg.append(draw("line", { class: "rule", x1: percent(panel, v), x2: percent(panel, v), y1: "0", y2: "100%" }));
    if (hasEnds(panel, i)) svg.append(draw("line", { class: "reach", x1: percent(panel, panel.low[i]), x2: percent(panel, panel.high[i]), y1: "50%", y2: "50%" }));
    const dot = draw("circle", { cx: percent(panel, panel.value[i]), cy: "50%", r: 4.5 });
    dot.style.fill = `var(${colourName(communities[i])})`;
    svg.append(dot);
    return svg;
  };
  const scale = (panel) => {
    const svg = draw("svg", { "aria-hidden": "true" });
    for (const v of panel.ticks) {
      const text = draw("text", { x: percent(panel, v), y: "80%" });
      text.textContent = String(v);
      svg.append(text);
    }
    return svg;
  };
  const head = (all) => {
    const row = make("tr");
    row.append(make("td"));
    for (const panel of all) {
      const cell = make("th", panel.name);
      cell.scope = "col";
      cell.append(scale(panel));
      row.append(cell);
    }
    const made = make("thead");
    made.append(row);
    return made;
  };
  const line = (all, i) => {
    const row = make("tr");
    row.dataset.node = i;
    const name = rowName(labels[i], names[i]);
    name.firstChild.prepend(chip(communities[i]));
    row.append(name);
    for (const panel of all) {
      const cell = make("td");
      cell.append(dots(panel, i), make("span", panel.text(panel.value[i]), "number"));
      row.append(cell);
    }
    linked(row, { node: i }, () => `${names[i]}: ${all.map((panel) => told(panel, i)).join(", ")}`);
    return row;
  };
  const note = () => {
    if (!found || !found.strengthHigh.some(Number.isFinite)) return "";
    if (!asTested()) return "Intervals belong to the rule that was tested; what you see now has none.";
    return `A line is the ${found.label}; a degree counts decisions and has none.`;
  };
  const show = () => {
    const order = Array.from({ length: p }, (_, i) => i).filter((i) => state.degree[i]);
    order.sort((a, b) => state.strength[b] - state.strength[a] || a - b);
    const rows = everyone ? order : order.slice(0, FEW);
    $("centrality-note").textContent = rows.length ? note() : "";
    if (!rows.length) { box.replaceChildren(make("p", "There is no edge, so no variable is more central than another.")); return; }
    const all = panels();
    const most = (panel) => Math.max(...rows.map((i) => Math.max(panel.value[i], hasEnds(panel, i) ? panel.high[i] : 0)));
    const [degree, strength, bridge] = all;
    degree.most = most(degree);
    // A bridge strength is a part of a strength: the same scale.
    strength.most = bridge.most = Math.max(most(strength), most(bridge));
    degree.ticks = roundTicks(degree.most, 1);
    strength.ticks = bridge.ticks = roundTicks(strength.most);
    const table = make("table", undefined, "dots");
    table.setAttribute("aria-labelledby", "centrality-title");
    const body = make("tbody");
    body.append(...rows.map((i) => line(all, i)));
    table.append(head(all), body);
    box.replaceChildren(table);
    if (order.length > FEW)
      box.append(button(everyone ? `Only the first ${FEW}` : `All ${order.length.toLocaleString("en")} with an edge`, () => { everyone = !everyone; show(); light(); }));
  };
  const light = () => {
    for (const row of box.querySelectorAll("tr[data-node]")) row.classList.toggle("lit", Boolean(focus && focus.nodes.has(Number(row.dataset.node))));
  };
  const changed = whenSeen(box, () => { show(); light(); });
  // At first it is drawn at once, so that what lies below it does not jump.
  part({ draw: () => (box.firstChild ? changed() : show()), light });
})();
