// The graph: names that never overlap, the strongest variables first.
const MOST_NAMES = 500;
const FEW_UNITS = 40;
const LABEL_FONT = p > MOST_IN_SVG ? 11 : 12;
const pen = make("canvas").getContext("2d");
const FONTS = getComputedStyle(document.body).fontFamily;
const fontOf = (pixels, weight = 400) => `${weight} ${pixels}px ${FONTS}`;
const measured = new Map();
const measure = (text) => {
  if (!measured.has(text)) {
    pen.font = fontOf(LABEL_FONT);
    const told = pen.measureText(text);
    measured.set(text, { w: told.width, up: told.fontBoundingBoxAscent, h: told.fontBoundingBoxAscent + told.fontBoundingBoxDescent });
  }
  return measured.get(text);
};
// A little more than the letters: their halo belongs to them.
const HALO = 1.5;
const boxAt = (x, y, { w, h }) => ({ left: x - HALO, top: y - HALO, right: x + w + HALO, bottom: y + h + HALO });
const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
const touches = (box, one) => {
  const dx = one.x - Math.min(Math.max(one.x, box.left), box.right);
  const dy = one.y - Math.min(Math.max(one.y, box.top), box.bottom);
  return dx * dx + dy * dy < one.r * one.r;
};
const around = ({ x, y, r }, { w, h }) => {
  const inside = (v) => Math.min(Math.max(v, 3), size.w - w - 3);
  const [d, e] = [r + 3, 0.75 * r + 2];
  return [
    [inside(x - w / 2), y + d], [inside(x - w / 2), y - d - h], [x + d, y - h / 2], [x - d - w, y - h / 2],
    [x + e, y + e - 2], [x - e - w, y + e - 2], [x + e, y - e - h + 2], [x - e - w, y - e - h + 2],
  ];
};
const labelGround = () => ground(48);
const addBox = (cells, box) => {
  for (let x = box.left; x < box.right + 48; x += 48)
    for (const y of [box.top, box.bottom]) cells.add(Math.min(x, box.right), y, box);
};
const isFree = (cells, box) => !cells.some(box.left - 48, box.top - 48, box.right + 48, box.bottom + 48, (other) => overlap(box, other));
const onStage = (box) => box.left >= 1 && box.top >= 1 && box.right <= size.w - 1 && box.bottom <= size.h - 1 && !(box.right > size.w - corner.w && box.top < corner.h);

// Everything that a name keeps clear of: nodes always, edges if there are few.
const surroundings = (units) => {
  const nodes = ground(40);
  const reach = units.reduce((most, one) => Math.max(most, one.r), 0);
  for (const one of units) nodes.add(one.x, one.y, one);
  const lines = ground(24);
  if (units.length <= MOST_IN_SVG)
    for (const { a, b, cx, cy } of scene.lines.slice(0, 400))
      for (let t = 0.04; t < 1; t += 0.04) {
        const point = onCurve(a, b, cx, cy, t);
        lines.add(...point, point);
      }
  return {
    onNode: (box, own) => nodes.some(box.left - reach, box.top - reach, box.right + reach, box.bottom + reach, (one) => one !== own && touches(box, one)),
    crossed(box) {
      let n = 0;
      lines.some(box.left, box.top, box.right, box.bottom, ([x, y]) => { if (x > box.left && x < box.right && y > box.top && y < box.bottom) n++; return false; });
      return n;
    },
  };
};
const labelFor = (unit, taken, near, must) => {
  const extent = measure(unit.text);
  let best = null;
  let least = Infinity;
  around(unit, extent).forEach(([x, y], n) => {
    const box = boxAt(x, y, extent);
    if (!onStage(box) || !isFree(taken, box)) return;
    const onNode = near.onNode(box, unit);
    if (onNode && !must) return;
    const cost = near.crossed(box) + 0.6 * n + (onNode ? 100 : 0);
    if (cost < least) { least = cost; best = { unit, box, x, y, up: extent.up }; }
  });
  return best;
};
const byImportance = (units) => [...units].sort((a, b) => (b.inside ? 1e6 + b.r : state.strength[b.node]) - (a.inside ? 1e6 + a.r : state.strength[a.node]) || a.id - b.id);
let surrounded = null;
const placeLabels = () => {
  const units = [...scene.supers, ...scene.nodes].filter((one) => one.x > -20 && one.y > -20 && one.x < size.w + 20 && one.y < size.h + 20);
  surrounded = surroundings(units);
  const taken = labelGround();
  scene.labels = [];
  for (const unit of byImportance(units).slice(0, MOST_NAMES)) {
    const label = labelFor(unit, taken, surrounded, units.length <= FEW_UNITS && scene.supers.length < 16);
    if (!label) continue;
    addBox(taken, label.box);
    scene.labels.push(label);
  }
};
// The names while something is lit: what is lit is named first, and nothing moves that need not.
// What is lit in the graph; a neighbourhood is by itself what was selected.
let glow = null;
const litUnit = (unit) => !glow || (unit.node === undefined ? unit.community === glow.by.community || members[unit.community].some((i) => glow.nodes.has(i)) : glow.nodes.has(unit.node));
const seenLabels = () => {
  if (!glow) return scene.labels;
  const taken = labelGround();
  const seen = [];
  const add = (label) => { addBox(taken, label.box); seen.push(label); };
  const named = new Set(scene.labels.map(({ unit }) => unit));
  scene.labels.filter(({ unit }) => litUnit(unit)).forEach(add);
  for (const unit of byImportance(scene.nodes.filter((one) => !named.has(one) && litUnit(one))).slice(0, 60)) {
    const label = labelFor(unit, taken, surrounded, true);
    if (label) add(label);
  }
  scene.labels.filter(({ unit, box }) => !litUnit(unit) && isFree(taken, box)).forEach(add);
  return seen;
};
