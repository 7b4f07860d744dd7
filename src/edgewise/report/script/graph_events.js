// The graph: pointing, dragging, zooming.
const picture = $("picture");
const pointAt = (event) => {
  const box = picture.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
};
const distanceTo = ({ a, b, cx, cy }, x, y) => {
  let best = Infinity;
  for (let s = 0, px = a.x, py = a.y; s <= 12; s++) {
    const [qx, qy] = onCurve(a, b, cx, cy, s / 12);
    const [dx, dy] = [qx - px, qy - py];
    const along = Math.min(1, Math.max(0, ((x - px) * dx + (y - py) * dy) / (dx * dx + dy * dy || 1)));
    best = Math.min(best, Math.hypot(px + along * dx - x, py + along * dy - y));
    [px, py] = [qx, qy];
  }
  return best;
};
// What is under a pointer: a unit, else the nearest line; a finger is broader than a mouse.
const under = (event) => {
  const element = event.target.closest?.(".node");
  if (element) return (element.what.node === undefined ? scene.supers : scene.nodes).find((one) => same(whatOf(one), element.what));
  if (event.target.line) return event.target.line;
  const [x, y] = pointAt(event);
  const slack = event.pointerType === "touch" ? 12 : 3;
  let [best, least] = [null, slack];
  for (const one of [...scene.supers, ...scene.nodes]) {
    const d = Math.hypot(one.x - x, one.y - y) - one.r;
    if (d < least) { least = d; best = one; }
  }
  if (best) return best;
  least = slack + 1;
  for (const line of scene.lines) {
    if (Math.min(line.a.x, line.b.x, line.cx) - 12 > x || Math.max(line.a.x, line.b.x, line.cx) + 12 < x) continue;
    const d = distanceTo(line, x, y) - line.width / 2;
    if (d < least) { least = d; best = line; }
  }
  return best;
};
const whatOf = (thing) => {
  if (!thing || thing.pairs) return null;
  const { node, pair, community } = thing;
  return pair !== undefined ? { pair } : node !== undefined ? { node } : { community };
};
const textOf = (thing) => (thing.pairs ? linkText(thing) : thing.pair !== undefined ? edgeText(thing.pair) : thing.node !== undefined ? nodeText(thing.node) : superText(thing.community));

// ---- when the wheel and a finger are the graph's: after a click into it, until one leaves it -----------
let active = false;
const setActive = (now) => {
  active = now;
  picture.classList.toggle("active", now);
};
let hinting = 0;
const hint = () => {
  $("hint").hidden = false;
  clearTimeout(hinting);
  hinting = setTimeout(() => { $("hint").hidden = true; }, 1500);
};
picture.addEventListener("wheel", (event) => {
  if (!event.ctrlKey && !event.metaKey && !active) return hint();
  event.preventDefault();
  zoomTo(view.k * Math.exp(-event.deltaY * (event.deltaMode ? 16 : 1) / 400), pointAt(event));
  redraw();
}, { passive: false });
addEventListener("keydown", (event) => { if (event.key === "Escape") setActive(false); });
addEventListener("pointerdown", (event) => { if (!picture.contains(event.target)) setActive(false); });
$("zoom-in").addEventListener("click", () => { zoomTo(view.k * 1.4); redraw(); });
$("zoom-out").addEventListener("click", () => { zoomTo(view.k / 1.4); redraw(); });
$("zoom-reset").addEventListener("click", () => { showAll(); redraw(); });

// ---- holding ---------------------------------------------------------------------------------------
const pointers = new Map();
let held = null;
picture.addEventListener("pointerdown", (event) => {
  if (event.button !== 0 || event.target.closest("button")) return;
  pointers.set(event.pointerId, pointAt(event));
  held = { thing: under(event), moved: Boolean(held), start: pointAt(event), touch: event.pointerType === "touch" };
  picture.setPointerCapture(event.pointerId);
});
const moveThing = (thing, from, to) => {
  const [[x0, y0], [x1, y1]] = [onGround(from), onGround(to)];
  for (const i of thing.node === undefined ? members[thing.community] : [thing.node]) place[i] = [place[i][0] + x1 - x0, place[i][1] + y1 - y0];
  scene.moves++;
};
const drag = (event) => {
  const before = pointers.get(event.pointerId);
  const now = pointAt(event);
  pointers.set(event.pointerId, now);
  if (pointers.size === 2) {
    const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
    const far = ([x, y]) => Math.max(Math.hypot(x - other[0], y - other[1]), 1);
    zoomTo((view.k * far(now)) / far(before), other);
    held.moved = true;
    return redraw();
  }
  if (Math.hypot(now[0] - held.start[0], now[1] - held.start[1]) > 4) held.moved = true;
  // A finger that scrolls the page does not pull at the graph.
  if (!held.moved || (held.touch && !active)) return undefined;
  const what = whatOf(held.thing);
  if (what && what.pair === undefined) moveThing(held.thing, before, now);
  else {
    const [a, b] = [onGround(before), onGround(now)];
    view.x -= b[0] - a[0];
    view.y -= b[1] - a[1];
  }
  return redraw();
};
picture.addEventListener("pointermove", (event) => {
  if (held && pointers.has(event.pointerId)) return drag(event);
  const thing = event.target.closest("button") ? null : under(event);
  hover(whatOf(thing));
  picture.classList.toggle("pointing", Boolean(thing && !thing.pairs));
  return thing ? tip(event, textOf(thing)) : hideTip();
});
picture.addEventListener("pointerleave", (event) => {
  hideTip();
  hover(null);
  if (event.pointerType === "mouse") setActive(false);
});
const release = (event) => {
  if (!pointers.delete(event.pointerId)) return;
  if (held && !held.moved && event.type === "pointerup") {
    setActive(true);
    const what = whatOf(held.thing);
    if (what || state.selected) select(what);
  }
  if (!pointers.size) held = null;
};
picture.addEventListener("pointerup", release);
picture.addEventListener("pointercancel", release);
