// The graph: where variables stand. Places lie between 0 and 1 on both axes and fit every window.
const MOST_IN_SVG = 80;
state.top = 600;
state.collapsed = p >= 200 && data.communityNames.length > 1;

// Things that are found by where they are.
const ground = (size) => {
  const cells = new Map();
  const of = (v) => Math.floor(v / size) + 4096;
  return {
    add(x, y, what) {
      const key = of(x) * 8192 + of(y);
      const cell = cells.get(key);
      if (cell) cell.push(what);
      else cells.set(key, [what]);
    },
    // Whether visit() says true for anything in or near a box.
    some(left, top, right, bottom, visit) {
      for (let a = of(left); a <= of(right); a++)
        for (let b = of(top); b <= of(bottom); b++) {
          const cell = cells.get(a * 8192 + b);
          if (cell) for (const one of cell) if (visit(one)) return true;
        }
      return false;
    },
  };
};

// The edges as they were tested, whatever the address says: places do not depend on the level.
const testedEdges = (() => { decide(); return state.edges; })();
const REFERENCE = [620, 400];

const centres = (at) => {
  const made = data.communityNames.map(() => [0, 0, 0]);
  communities.forEach((c, i) => { if (c >= 0) { made[c][0] += at[i][0]; made[c][1] += at[i][1]; made[c][2]++; } });
  for (const one of made) { one[0] /= one[2] || 1; one[1] /= one[2] || 1; }
  return made;
};
const pushApart = (at, who, spacing) => {
  const cells = ground(spacing);
  for (const i of who) cells.add(at[i][0], at[i][1], i);
  for (const i of who) {
    const [x, y] = at[i];
    cells.some(x - spacing, y - spacing, x + spacing, y + spacing, (j) => {
      if (j <= i) return false;
      // Two in one place part in a direction of their own.
      const dx = at[j][0] - at[i][0] || 1e-3 * Math.cos(i + j);
      const dy = at[j][1] - at[i][1] || 1e-3 * Math.sin(i + j);
      const d = Math.hypot(dx, dy);
      if (d >= spacing) return false;
      const move = (0.45 * (spacing - d)) / d;
      at[i][0] -= move * dx; at[i][1] -= move * dy;
      at[j][0] += move * dx; at[j][1] += move * dy;
      return false;
    });
  }
};
// Communities as discs that keep clear of each other.
const partDiscs = (at, spacing) => {
  const discs = centres(at);
  const moved = discs.map(() => [0, 0]);
  for (let a = 0; a < discs.length; a++)
    for (let b = 0; b < a; b++) {
      const dx = discs[a][0] - discs[b][0] || 1e-3;
      const dy = discs[a][1] - discs[b][1] || 1e-3;
      const d = Math.hypot(dx, dy);
      const wanted = spacing * (0.55 * (Math.sqrt(discs[a][2]) + Math.sqrt(discs[b][2])) + 0.5);
      if (d >= wanted) continue;
      const move = (0.4 * (wanted - d)) / d;
      moved[a][0] += move * dx; moved[a][1] += move * dy;
      moved[b][0] -= move * dx; moved[b][1] -= move * dy;
    }
  discs.forEach((disc, c) => {
    const r = 0.6 * spacing * Math.sqrt(disc[2]);
    // Inside the box, or rather a little beside it than squeezed.
    for (const axis of [0, 1]) {
      const to = disc[axis] + moved[c][axis];
      moved[c][axis] += 0.5 * (Math.min(Math.max(to, r), Math.max(1.15 * REFERENCE[axis] - r, r)) - to);
    }
  });
  communities.forEach((c, i) => { if (c >= 0) { at[i][0] += moved[c][0]; at[i][1] += moved[c][1]; } });
};
const pullTogether = (at, spacing, force) => {
  const middle = centres(at);
  communities.forEach((c, i) => { if (c >= 0) for (const axis of [0, 1]) at[i][axis] += 0.1 * force * (middle[c][axis] - at[i][axis]); });
  for (const k of testedEdges) {
    const [a, b] = [at[first[k]], at[second[k]]];
    const d = Math.hypot(b[0] - a[0], b[1] - a[1]);
    if (d <= spacing) continue;
    const move = (0.3 * force * (d - spacing)) / (d * Math.sqrt(Math.max(state.degree[first[k]], state.degree[second[k]])));
    for (const axis of [0, 1]) {
      const by = move * (b[axis] - a[axis]);
      a[axis] += by;
      b[axis] -= by;
    }
  }
};
// Places between 0 and 1; a small graph does not fill the whole width.
const stretch = (at, who, share, [top, bottom]) => {
  const few = Math.min(1, 0.25 + 0.15 * share);
  for (const axis of [0, 1]) {
    const values = who.map((i) => at[i][axis]);
    const low = Math.min(...values);
    const wide = Math.max(...values) - low;
    for (const i of who) {
      const v = wide > 1e-9 ? 0.5 + few * ((at[i][axis] - low) / wide - 0.5) : 0.5;
      at[i][axis] = axis ? top + (bottom - top) * v : v;
    }
  }
};
// Variables without an edge stand in rows at the bottom, so that no edge passes them.
const rowsBelow = (at, who) => {
  const [w, h] = REFERENCE;
  const apart = Math.max(Math.min(p > MOST_IN_SVG ? 26 : 70, Math.sqrt((w * 0.3 * h) / who.length)), 8);
  const columns = Math.ceil(who.length / Math.ceil(who.length / Math.max(Math.floor(w / apart), 1)));
  const rows = Math.ceil(who.length / columns);
  const high = Math.min(apart, 34) / h;
  who.forEach((i, n) => {
    const row = Math.floor(n / columns);
    const inRow = row < rows - 1 ? columns : who.length - columns * (rows - 1);
    at[i] = [0.5 + (((n % columns) - (inRow - 1) / 2) * Math.min(apart, w / columns)) / w, 1 - (rows - 1 - row) * high];
  });
  return 1 - rows * high - 0.05;
};
const settled = () => {
  const [w, h] = REFERENCE;
  const at = data.positions.map(([x, y]) => [x * w, y * h]);
  const linked = communities.flatMap((c, i) => (c >= 0 ? [i] : []));
  const alone = communities.flatMap((c, i) => (c >= 0 ? [] : [i]));
  const all = linked.length ? linked : alone;
  const spacing = Math.min(0.8 * Math.sqrt((w * h) / all.length), 90);
  const steps = p > MOST_IN_SVG ? 60 : 100;
  for (let step = 0; step < steps; step++) {
    const force = 1 - step / steps;
    pullTogether(at, spacing, force);
    partDiscs(at, spacing);
    pushApart(at, all, spacing);
  }
  const bottom = linked.length && alone.length ? rowsBelow(at, alone) : 1;
  stretch(at, all, all.length, [0, bottom]);
  return at;
};
const place = settled();

// ---- the part of it that is seen -----------------------------------------------------------------
const size = { w: 690, h: 460 };
// Where the buttons for zooming are; no name is written there.
const corner = { w: 44, h: 104 };
// k times as large, with the place (x, y) in the middle.
const view = { k: 1, x: 0.5, y: 0.5 };
const room = () => {
  const side = Math.min(52, 0.1 * size.w);
  return { w: Math.max(size.w - 2 * side, 1), h: Math.max(size.h - 58, 1), x: size.w / 2, y: (size.h - 8) / 2 };
};
const onScreen = ([x, y], { w, h, x: mx, y: my } = room()) => [mx + view.k * (x - view.x) * w, my + view.k * (y - view.y) * h];
const onGround = ([x, y], { w, h, x: mx, y: my } = room()) => [view.x + (x - mx) / (view.k * w), view.y + (y - my) / (view.k * h)];
const zoomTo = (k, [x, y] = [room().x, room().y]) => {
  const at = onGround([x, y]);
  view.k = Math.min(Math.max(k, 0.5), 20);
  const now = onGround([x, y]);
  view.x += at[0] - now[0];
  view.y += at[1] - now[1];
};
const showAll = () => Object.assign(view, { k: 1, x: 0.5, y: 0.5 });
// As large as some variables allow.
const showOnly = (who) => {
  const spread = [0, 1].map((axis) => who.map((i) => place[i][axis]));
  const [[x0, x1], [y0, y1]] = spread.map((values) => [Math.min(...values), Math.max(...values)]);
  view.k = Math.min(Math.max(0.9 / Math.max(x1 - x0, y1 - y0, 1e-6), 1), 3);
  view.x = (x0 + x1) / 2;
  view.y = (y0 + y1) / 2;
};
