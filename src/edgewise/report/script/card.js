// The card of an edge: its numbers, what each method says, and its residuals as points.
const cardFacts = (k) => {
  const facts = make("dl");
  const fact = (name, value, className) => facts.append(make("dt", name), make("dd", value, className));
  fact("partial correlation", signed(rho[k]), `number ${rho[k] < 0 ? "negative" : "positive"}`);
  if (low) {
    fact("interval", interval(k), "number");
    facts.append(make("dd", test.intervalLabel, "muted"));
  }
  fact("p-value", probability(effects[state.effect].logp[k]), "number");
  fact("adjusted p", probability(adjusted()[k]), "number");
  fact(`at α = ${rounded(state.alpha)}`, state.isEdge[k] ? "an edge" : "not an edge");
  return facts;
};
const cardMethods = (k) => {
  if (!data.agreement) return [];
  const { methods, pairs, found, more } = data.agreement;
  const at = pairs.indexOf(k);
  const made = make("div", undefined, "says");
  if (at < 0) {
    const told = more ? `The methods were compared only on the ${count(pairs.length, "strongest pair")}.` : `None of ${methods.length} methods calls it an edge.`;
    made.append(make("p", told, "muted"));
    return [make("h4", "What each method says"), made];
  }
  const says = (is) => methods.filter((_, index) => (found[index][at] === "1") === is);
  for (const [mark, is, words] of [["✓", true, "an edge"], ["–", false, "no edge"]]) {
    const told = says(is);
    if (!told.length) continue;
    const list = make("ul");
    for (const name of told) list.append(make("li", `${mark} ${name}`));
    made.append(make("p", `${told.length} of ${methods.length} methods find ${words}`, "muted"), list);
  }
  return [make("h4", `What each method says at α = ${rounded(data.alpha)}`), made];
};
// Both variables given all others, each in standard deviations of its own.
const residuals = (k) => {
  const standard = (values) => {
    const mean = values.reduce((sum, v) => sum + v, 0) / values.length;
    const spread = Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / values.length) || 1;
    return values.map((v) => (v - mean) / spread);
  };
  const given = (i) => standard(Array.from({ length: data.sample.rows }, (_, r) => score(r, i)));
  const [a, b] = [given(first[k]), given(second[k])];
  return [standard(a.map((v, r) => v + rho[k] * b[r])), standard(b.map((v, r) => v + rho[k] * a[r]))];
};
const FARTHEST_POINT = 6;
const cardScatter = (k) => {
  if (!data.sample) return [make("p", "No rows in this page.", "muted")];
  const [xs, ys] = residuals(k);
  const farthest = Math.max(...xs.map(Math.abs), ...ys.map(Math.abs));
  const end = Math.min(Math.max(3, Math.ceil(farthest)), FARTHEST_POINT);
  const outside = xs.filter((x, r) => Math.max(Math.abs(x), Math.abs(ys[r])) > end).length;
  // A square of 180 units, with room for names and numbers at the left and below.
  const [px, py] = [(v) => 36 + 90 * (1 + v / end), (v) => 4 + 90 * (1 - v / end)];
  const words = (text, x, y, more) => { const made = draw("text", { x, y, ...more }); made.textContent = text; return made; };
  const points = draw("g", { class: "points" });
  xs.forEach((x, r) => { if (Math.max(Math.abs(x), Math.abs(ys[r])) <= end) points.append(draw("circle", { cx: px(x).toFixed(1), cy: py(ys[r]).toFixed(1), r: 1.7 })); });
  const tall = Math.max(1, Math.abs(rho[k]));
  const line = draw("line", { class: `slope ${rho[k] < 0 ? "negative" : "positive"}`, x1: px(-end / tall), y1: py((-end * rho[k]) / tall), x2: px(end / tall), y2: py((end * rho[k]) / tall) });
  const picture = draw(
    "svg",
    { class: "scatter", viewBox: "0 0 220 216", role: "img", "aria-label": `Residuals of ${pairText(k)}: ${data.sample.rows} points and a line of slope ${signed(rho[k])}` },
    draw("path", { class: "axis", d: `M36 4V184H216M36 94H216M126 4V184` }),
    points,
    line,
  );
  for (const v of [-end, 0, end]) {
    const text = String(v).replace("-", "−");
    picture.append(words(text, px(v), 196, { "text-anchor": "middle" }), words(text, 32, py(v) + (v > 0 ? 8 : 3), { "text-anchor": "end" }));
  }
  picture.append(
    words(`${labels[first[k]]} given all others`, 126, 212, { "text-anchor": "middle" }),
    words(`${labels[second[k]]} given all others`, 0, 0, { "text-anchor": "middle", transform: "translate(11 94) rotate(-90)" }),
  );
  const beyond = outside ? ` ${count(outside, "point lies", "points lie")} outside.` : "";
  return [picture, make("p", `${count(data.sample.rows, "sampled row")}, in standard deviations; the line has slope ${signed(rho[k])}.${beyond}`, "muted")];
};
// The edge in plain words, as `Edge.sentence` says it.
const sentence = (k) => {
  const two = (value) => value.toFixed(2).replace(/^-0\.00$/, "0.00").replace("-", "−");
  const n = test.others.length ? test.others[k] : test.others;
  const both = `${names[first[k]]} and ${names[second[k]]}`;
  const ends = low ? ` (${two(low[k])} to ${two(high[k])})` : "";
  const after = n ? `, after accounting for the ${n > 1 ? `${n} others` : "other one"}` : "";
  const says = state.isEdge[k] ? `${both} ${n ? "still " : ""}move ${rho[k] > 0 ? "together" : "in opposite directions"}` : `No association of ${both} is clear`;
  return `${says}, ${two(rho[k])}${ends}${after}.`;
};
// Copy the text of an element; where the browser does not let a page do that, select it.
const copy = (element) => async (event) => {
  try {
    await navigator.clipboard.writeText(element.innerText);
    event.target.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(element);
  }
};
$("copy-methods").addEventListener("click", copy($("methods")));
const edgeCard = (k) => {
  const ends = make("p", undefined, "ends");
  for (const i of [first[k], second[k]]) {
    const one = button("", () => select({ node: i }));
    one.append(chip(communities[i]), labels[i]);
    ends.append(one);
  }
  const words = make("p", sentence(k), "words");
  const card = [make("h3", pairText(k)), ends, words, button("Copy", copy(words)), cardFacts(k)];
  if (low && test.intervalLabel.includes("pointwise")) card.push(make("p", "This interval is for a pair chosen beforehand. It is too optimistic for an edge picked because it is strong.", "care"));
  return [...card, ...cardScatter(k), ...cardMethods(k)];
};
