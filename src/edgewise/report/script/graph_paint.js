// The graph: on the screen, as elements for a keyboard (few variables) or on a canvas (many).
const onCanvas = p > MOST_IN_SVG;
$("graph").toggleAttribute("hidden", onCanvas);
$("canvas").hidden = !onCanvas;
const FADED = 0.12;
const isLit = (line) => !glow || (line.pairs ? line.pairs.some((k) => glow.pairs.has(k)) || [line.a, line.b].some((one) => one.inside && one.community === glow.by.community) : glow.pairs.has(line.pair));
const isChosen = (unit) => Boolean(state.selected) && (unit.node === undefined ? state.selected.community === unit.community : state.selected.node === unit.node);
const superText = (c) => `${data.communityNames[c]}: ${count(members[c].length, "variable")}`;
const linkText = ({ a, b, sum, pairs, negative }) => `${a.text} – ${b.text}: ${count(pairs.length, "edge")}${negative ? `, ${negative} of them negative` : ""}; sum of |ρ| ${sum.toFixed(2)}`;

const pictureText = (text, attributes) => {
  const made = draw("text", attributes);
  made.textContent = text;
  return made;
};

// ---- elements -------------------------------------------------------------------------------------
const nodeOf = (kind, what, text) => {
  const group = draw("g", { class: `node ${kind}`.trim(), tabindex: "0", role: "button", "aria-pressed": "false" }, draw("circle"));
  if (what.community !== undefined) group.append(pictureText(String(members[what.community].length), { class: "inside", y: 4 }));
  group.append(pictureText(text));
  group.what = what;
  group.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); select(what); }
    if (event.key === "Escape") select(null);
  });
  return group;
};
const nodeElements = onCanvas ? [] : names.map((_, i) => nodeOf("", { node: i }, labels[i]));
const superElements = onCanvas ? [] : members.map((_, c) => nodeOf("super", { community: c }, data.communityNames[c]));
$("nodes").append(...nodeElements);
$("supers").append(...superElements);
const lineElements = [];
const setAll = (element, attributes) => { for (const [name, value] of Object.entries(attributes)) if (element.getAttribute(name) !== value) element.setAttribute(name, value); };
const placeUnit = (group, unit, label, text) => {
  group.classList.toggle("hidden", !unit);
  if (!unit) return;
  setAll(group, { transform: `translate(${unit.x.toFixed(1)},${unit.y.toFixed(1)})`, "aria-label": text, "aria-pressed": String(isChosen(unit)) });
  group.classList.toggle("faded", !litUnit(unit));
  group.classList.toggle("chosen", isChosen(unit));
  group.classList.toggle("alone", unit.node !== undefined && !state.degree[unit.node]);
  setAll(group.firstChild, { r: unit.r.toFixed(1), fill: `var(${unit.colour})` });
  placeName(group.lastChild, unit, label);
};
const placeName = (text, unit, label) => {
  text.classList.toggle("hidden", !label);
  if (label) setAll(text, { x: (label.x - unit.x).toFixed(1), y: (label.y + label.up - unit.y).toFixed(1) });
};
const paintElements = () => {
  const named = new Map(seenLabels().map((label) => [label.unit, label]));
  setAll($("graph"), { viewBox: `0 0 ${size.w} ${size.h}` });
  $("hulls").replaceChildren(...scene.hulls.map((hull) => hullElement(hull, (name) => `var(${name})`)));
  // The weak ones first, so that the strong ones lie on top.
  const drawn = scene.lines.map((line, n) => {
    const element = lineElements[n] || (lineElements[n] = draw("path"));
    element.line = line;
    setAll(element, { class: `edge${line.pairs ? " link" : line.negative ? " negative" : ""}${isLit(line) ? "" : " faded"}`, d: line.path, "stroke-width": line.width.toFixed(2), "stroke-opacity": line.opacity.toFixed(2), "stroke-dasharray": dashText(line.dash) });
    return element;
  });
  $("edges").replaceChildren(...drawn.reverse());
  const units = new Map(scene.nodes.map((unit) => [unit.node, unit]));
  nodeElements.forEach((group, i) => placeUnit(group, units.get(i), named.get(units.get(i)), nodeText(i)));
  const big = new Map(scene.supers.map((unit) => [unit.community, unit]));
  superElements.forEach((group, c) => placeUnit(group, big.get(c), named.get(big.get(c)), superText(c)));
};
const hullLight = ({ community }) => (!glow || glow.by.community === community || (glow.by.community === undefined && members[community].some((i) => glow.nodes.has(i))) ? 0.2 : 0.07);
// A hull is filled; a band along a tree is a broad line.
const hullElement = (hull, paint) => {
  const drawn = hull.width ? { fill: "none", stroke: paint(hull.colour), "stroke-width": hull.width.toFixed(1), "stroke-linejoin": "round", "stroke-linecap": "round" } : { fill: paint(hull.colour) };
  return draw("path", { d: hull.path, class: "hull", opacity: hullLight(hull), ...drawn });
};

// ---- a canvas -------------------------------------------------------------------------------------
let palette = new Map();
const resolved = (name) => {
  if (!palette.has(name)) palette.set(name, css(name));
  return palette.get(name);
};
const canvas = $("canvas");
const brush = canvas.getContext("2d");
const paintHulls = (to) => {
  to.lineJoin = to.lineCap = "round";
  for (const hull of scene.hulls) {
    to.globalAlpha = hullLight(hull);
    to.strokeStyle = to.fillStyle = resolved(hull.colour);
    to.lineWidth = hull.width;
    if (hull.width) to.stroke(new Path2D(hull.path));
    else to.fill(new Path2D(hull.path));
  }
};
const trace = (to, { a, b, cx, cy, bent }) => {
  to.moveTo(a.x, a.y);
  if (bent) to.quadraticCurveTo(cx, cy, b.x, b.y);
  else to.lineTo(b.x, b.y);
};
// Lines that look alike are one stroke: many times faster than one by one.
const paintLines = (to) => {
  to.lineCap = "butt";
  const alike = new Map();
  for (let n = scene.lines.length - 1; n >= 0; n--) {
    const line = scene.lines[n];
    const key = `${isLit(line)} ${line.colour} ${line.width.toFixed(line.width < 2 ? 1 : 0)}`;
    if (!alike.has(key)) alike.set(key, []);
    alike.get(key).push(line);
  }
  const faint = [...alike.values()].sort((a, b) => isLit(a[0]) - isLit(b[0]));
  for (const group of faint) {
    const { colour, width, dash, opacity } = group[0];
    to.globalAlpha = isLit(group[0]) ? opacity : FADED * opacity;
    to.strokeStyle = resolved(colour);
    to.lineWidth = width;
    to.setLineDash(dash || []);
    to.beginPath();
    for (const line of group) trace(to, line);
    to.stroke();
  }
  to.setLineDash([]);
};
const paintUnits = (to) => {
  for (const unit of [...scene.supers, ...scene.nodes].sort((a, b) => litUnit(a) - litUnit(b))) {
    if (unit.x < -60 || unit.y < -60 || unit.x > size.w + 60 || unit.y > size.h + 60) continue;
    to.globalAlpha = litUnit(unit) ? 1 : 0.25;
    to.beginPath();
    to.arc(unit.x, unit.y, unit.r, 0, 7);
    to.fillStyle = resolved(unit.colour);
    to.fill();
    to.lineWidth = isChosen(unit) ? 3.5 : Math.min(1.3, 0.3 * unit.r);
    to.strokeStyle = resolved(isChosen(unit) ? "--ink" : "--node-line");
    to.stroke();
    if (unit.inside && unit.r > 9) {
      to.font = fontOf(LABEL_FONT, 600);
      to.textAlign = "center";
      to.fillStyle = "#1b1f24";
      to.fillText(unit.inside, unit.x, unit.y + 0.36 * LABEL_FONT);
    }
  }
};
const paintNames = (to, seen) => {
  to.font = fontOf(LABEL_FONT);
  to.textAlign = "left";
  to.lineJoin = "round";
  to.lineWidth = 3;
  to.strokeStyle = resolved("--panel");
  to.fillStyle = resolved("--ink");
  for (const { unit, x, y, up } of seen) {
    to.globalAlpha = litUnit(unit) ? 1 : 0.3;
    to.strokeText(unit.text, x, y + up);
    to.fillText(unit.text, x, y + up);
  }
  to.globalAlpha = 1;
};
const paintCanvas = () => {
  const dots = devicePixelRatio || 1;
  const [w, h] = [Math.round(size.w * dots), Math.round(size.h * dots)];
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
  brush.setTransform(dots, 0, 0, dots, 0, 0);
  brush.clearRect(0, 0, size.w, size.h);
  paintHulls(brush);
  paintLines(brush);
  paintUnits(brush);
  const seen = seenLabels();
  paintNames(brush, seen);
  // For whoever wants to know where names are: a canvas does not tell.
  $("stage").labelBoxes = seen.map(({ box }) => box);
};

// ---- when to paint: elements at once, a canvas once in a frame --------------------------------------
let waiting = 0;
const paint = () => {
  glow = inNeighbourhood() && !state.hovered ? null : focus;
  if (!onCanvas) return paintElements();
  if (!waiting) waiting = requestAnimationFrame(() => { waiting = 0; paintCanvas(); });
};
