// The graph: what is drawn of it, in pixels of the picture. Colours are names of the style sheet.
const MOST_BENT = 800;
// The same width for the same strength, in every report; as in view/style.py, but in pixels.
const PIXELS_PER_POINT = 1.25;
const edgeWidth = (r) => (0.2 + 8 * Math.abs(r)) * PIXELS_PER_POINT;
const linkWidth = (sum) => 2.6 * Math.sqrt(sum);
const dashes = (width) => [2.2 * width + 3, width + 2.5];
const dashText = (dash) => (dash ? dash.map((v) => v.toFixed(1)).join(" ") : "none");
const members = data.communityNames.map(() => []);
communities.forEach((c, i) => { if (c >= 0) members[c].push(i); });

const scene = { key: "", nodes: [], supers: [], lines: [], hulls: [], labels: [], inside: 0, moves: 0 };

// What a reader has selected as variables.
const chosenOnes = () => {
  const one = state.selected;
  if (!one) return [];
  if (one.node !== undefined) return [one.node];
  return one.pair !== undefined ? [first[one.pair], second[one.pair]] : members[one.community];
};
// Which variables are drawn by themselves: 1, inside their community: 2, or not at all: 0.
const shownAs = (edges) => {
  const as = new Uint8Array(p).fill(1);
  if (inNeighbourhood()) {
    as.fill(0);
    let edge = new Set(chosenOnes());
    for (const i of edge) as[i] = 1;
    for (let step = 0; step < state.hops; step++) {
      const next = new Set();
      for (const k of edges)
        for (const [a, b] of [[first[k], second[k]], [second[k], first[k]]]) if (edge.has(a) && !as[b]) next.add(b);
      for (const i of next) as[i] = 1;
      edge = next;
    }
  } else if (state.collapsed) {
    const open = new Set(chosenOnes().map((i) => communities[i]));
    communities.forEach((c, i) => { if (c >= 0 && !open.has(c)) as[i] = 2; });
  }
  return as;
};

const nodeRadius = (i, crowd) => crowd * (4 + 5 * Math.sqrt(Math.min(state.strength[i], 9)));
const crowding = (n) => Math.min(1.2, Math.max(0.4, (Math.sqrt((size.w * size.h) / Math.max(n, 1)) / 95) * Math.sqrt(view.k)));

const setUnits = (as) => {
  const area = room();
  const own = as.reduce((n, v) => n + (v === 1), 0);
  const crowd = crowding(state.collapsed ? Math.max(own, 60) : Math.max(own, 12));
  scene.nodes = [];
  const units = new Array(p).fill(null);
  for (let i = 0; i < p; i++) {
    if (as[i] !== 1) continue;
    const [x, y] = onScreen(place[i], area);
    units[i] = { node: i, id: i, x, y, r: nodeRadius(i, crowd), colour: colourName(communities[i]), text: labels[i] };
    scene.nodes.push(units[i]);
  }
  scene.supers = [];
  // Many communities are smaller.
  const big = Math.min(1.15, (Math.sqrt((size.w * size.h) / members.length) / 150) * Math.sqrt(view.k));
  members.forEach((inside, c) => {
    if (!inside.length || as[inside[0]] !== 2) return;
    const middle = [0, 1].map((axis) => inside.reduce((sum, i) => sum + place[i][axis], 0) / inside.length);
    const [x, y] = onScreen(middle, area);
    const made = { community: c, id: p + c, x, y, r: (6 + 2.4 * Math.sqrt(inside.length)) * big, colour: colourName(c), text: data.communityNames[c], inside: String(inside.length) };
    scene.supers.push(made);
    for (const i of inside) units[i] = made;
  });
  return units;
};

const setLines = (edges, units) => {
  const links = new Map();
  scene.lines = [];
  scene.inside = 0;
  for (const k of edges) {
    const [a, b] = [units[first[k]], units[second[k]]];
    if (!a || !b) continue;
    if (a === b) { scene.inside++; continue; }
    const strength = Math.abs(rho[k]);
    if (a.node !== undefined && b.node !== undefined) {
      const width = edgeWidth(strength);
      scene.lines.push({ pair: k, a, b, strength, width, negative: rho[k] < 0, colour: rho[k] < 0 ? "--negative" : "--positive", dash: rho[k] < 0 ? dashes(width) : null });
      continue;
    }
    const key = Math.min(a.id, b.id) * 65536 + Math.max(a.id, b.id);
    const link = links.get(key) || { a, b, sum: 0, pairs: [], negative: 0, colour: "--soft", dash: null };
    link.sum += strength;
    link.pairs.push(k);
    if (rho[k] < 0) link.negative++;
    links.set(key, link);
  }
  for (const link of links.values()) {
    link.width = linkWidth(link.sum);
    link.strength = link.sum / link.pairs.length;
    scene.lines.push(link);
  }
  // Many edges are paler, the weak ones most.
  const pale = Math.min(1, Math.max(0.55, Math.sqrt(250 / Math.max(scene.lines.length, 1))));
  for (const line of scene.lines) line.opacity = line.pairs ? 0.55 : pale * Math.min(0.9, 0.45 + 1.5 * line.strength);
};

// A point of a curve from a to b, t of the way.
const onCurve = (a, b, cx, cy, t) => [(1 - t) ** 2 * a.x + 2 * t * (1 - t) * cx + t * t * b.x, (1 - t) ** 2 * a.y + 2 * t * (1 - t) * cy + t * t * b.y];

// ---- lines that would pass through a node go around it --------------------------------------------
const BENDS = [0, 0.13, -0.13, 0.24, -0.24, 0.38, -0.38];
// In a crowd, a line that leaves its way far is worse than one behind a node.
const mostAside = () => (scene.nodes.length + scene.supers.length > 60 ? 25 : 90);
let bends = new Map();
let bentFor = "";
const obstacles = () => {
  const all = [...scene.nodes, ...scene.supers];
  const reach = all.reduce((most, one) => Math.max(most, one.r), 0) + 3;
  const cells = ground(Math.max(2 * reach, 12));
  for (const one of all) cells.add(one.x, one.y, one);
  // How many points of a curve lie in or near a node that is not its end.
  return ({ a, b }, cx, cy) => {
    const steps = Math.min(60, Math.max(4, Math.ceil(Math.hypot(a.x - b.x, a.y - b.y) / 6)));
    let hits = 0;
    for (let s = 1; s < steps; s++) {
      const [x, y] = onCurve(a, b, cx, cy, s / steps);
      if (cells.some(x - reach, y - reach, x + reach, y + reach, (one) => one !== a && one !== b && (one.x - x) ** 2 + (one.y - y) ** 2 < (one.r + 3) ** 2)) hits++;
    }
    return hits;
  };
};
const control = ({ a, b }, bend) => [(a.x + b.x) / 2 - bend * (b.y - a.y), (a.y + b.y) / 2 + bend * (b.x - a.x)];
const bendLines = () => {
  const stamp = [size.w, size.h, view.k.toFixed(2), scene.moves, scene.supers.map((one) => one.id), scene.nodes.length].join();
  if (stamp !== bentFor) { bends = new Map(); bentFor = stamp; }
  let touched = null;
  scene.lines.forEach((line, n) => {
    const key = line.a.id * 65536 + line.b.id;
    let bend = bends.get(key);
    if (bend === undefined && n >= MOST_BENT) bend = 0;
    if (bend === undefined) {
      touched = touched || obstacles();
      let fewest = Infinity;
      const far = Math.hypot(line.a.x - line.b.x, line.a.y - line.b.y) / 2;
      for (const one of BENDS) {
        if (Math.abs(one) * far > mostAside()) continue;
        const hits = touched(line, ...control(line, one));
        if (hits < fewest) { fewest = hits; bend = one; }
        if (!hits) break;
      }
      bends.set(key, bend);
    }
    [line.cx, line.cy] = control(line, bend);
    const at = (v) => v.toFixed(1);
    line.bent = bend !== 0;
    line.path = `M${at(line.a.x)},${at(line.a.y)}` + (bend ? `Q${at(line.cx)},${at(line.cy)} ${at(line.b.x)},${at(line.b.y)}` : `L${at(line.b.x)},${at(line.b.y)}`);
  });
};

// ---- communities: a hull if only members lie in it, else a band along their shortest tree ----------
const turn = (o, a, b) => (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
const hullOf = (units) => {
  const sorted = [...units].sort((a, b) => a.x - b.x || a.y - b.y);
  const half = (list) => {
    const out = [];
    for (const one of list) {
      while (out.length > 1 && turn(out[out.length - 2], out[out.length - 1], one) <= 0) out.pop();
      out.push(one);
    }
    return out.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
};
const treeOf = (units) => {
  const left = units.slice(1).map((one) => ({ one, from: units[0], d: Infinity }));
  const made = [];
  let last = units[0];
  while (left.length) {
    let best = 0;
    left.forEach((item, n) => {
      const d = Math.hypot(item.one.x - last.x, item.one.y - last.y);
      if (d < item.d) { item.d = d; item.from = last; }
      if (item.d < left[best].d) best = n;
    });
    const [item] = left.splice(best, 1);
    made.push([item.from, item.one]);
    last = item.one;
  }
  return made;
};
// Points on a circle around each corner: their hull has round corners.
const ROUND = Array.from({ length: 16 }, (_, n) => [Math.cos((n * Math.PI) / 8), Math.sin((n * Math.PI) / 8)]);
const setHulls = () => {
  const own = data.communityNames.map(() => []);
  for (const one of scene.nodes) if (communities[one.node] >= 0) own[communities[one.node]].push(one);
  const point = (one) => `${one.x.toFixed(1)},${one.y.toFixed(1)}`;
  scene.hulls = own.flatMap((units, c) => {
    if (units.length < 2) return [];
    const pad = Math.max(...units.map((one) => one.r)) + 7;
    const corners = hullOf(units);
    const inside = (one) => corners.every((a, n) => turn(a, corners[(n + 1) % corners.length], one) > 0);
    const others = [...scene.nodes, ...scene.supers].some((one) => communities[one.node] !== c && inside(one));
    if (others) return [{ community: c, path: treeOf(units).map(([a, b]) => `M${point(a)}L${point(b)}`).join(""), width: 2 * pad, colour: colourName(c) }];
    const outline = hullOf(corners.flatMap((one) => ROUND.map(([x, y]) => ({ x: one.x + pad * x, y: one.y + pad * y }))));
    return [{ community: c, path: `M${outline.map(point).join("L")}Z`, width: 0, colour: colourName(c) }];
  });
};

const inNeighbourhood = () => Boolean(state.hops && state.selected);
const sceneKey = () => {
  const depends = state.collapsed || state.hops || state.edges.length > state.top;
  return [state.collapsed, state.hops, depends && state.selected ? JSON.stringify(state.selected) : ""].join();
};
// The strongest edges, and all of what is selected. Links of communities stand for all their edges.
const edgesToDraw = (all) => {
  if (state.collapsed && !inNeighbourhood()) return all;
  const few = all.slice(0, state.top);
  if (!state.selected || few.length === all.length) return few;
  const own = new Set(chosenOnes());
  const both = state.selected.node === undefined;
  return few.concat(all.slice(state.top).filter((k) => (both ? own.has(first[k]) && own.has(second[k]) : own.has(first[k]) || own.has(second[k]))));
};
const setScene = () => {
  scene.key = sceneKey();
  const all = shownEdges(Infinity);
  const as = shownAs(all);
  const units = setUnits(as);
  setLines(edgesToDraw(inNeighbourhood() ? all.filter((k) => as[first[k]] && as[second[k]]) : all), units);
  bendLines();
  setHulls();
  placeLabels();
};
