// Which pairs are edges: the same steps as edgewise.inference.corrections, on logarithms.
// Corrections share the order of the p-values: with a thousand variables it takes a while to find.
const orders = new Map();
const stepped = (logp, fill) => {
  if (!orders.has(logp)) orders.set(logp, sortedBy((k) => logp[k]));
  const out = new Float64Array(m);
  fill(out, orders.get(logp));
  return out;
};
const stepUp = (logp, extra) => stepped(logp, (out, order) => {
  let best = Infinity;
  for (let r = m - 1; r >= 0; r--) {
    best = Math.min(best, logp[order[r]] + Math.log(m / (r + 1)) + extra);
    out[order[r]] = Math.min(best, 0);
  }
});
const adjusters = {
  none: (logp) => logp,
  bonferroni: (logp) => logp.map((v) => Math.min(v + Math.log(m), 0)),
  holm: (logp) => stepped(logp, (out, order) => {
    let worst = -Infinity;
    for (let r = 0; r < m; r++) {
      worst = Math.max(worst, logp[order[r]] + Math.log(m - r));
      out[order[r]] = Math.min(worst, 0);
    }
  }),
  bh: (logp) => stepUp(logp, 0),
  by: (logp) => {
    let harmonic = 0;
    for (let k = 1; k <= m; k++) harmonic += 1 / k;
    return stepUp(logp, Math.log(harmonic));
  },
};
const adjustedBefore = new Map();
// The logarithms of the adjusted p-values under the chosen correction and effect.
const adjusted = () => {
  const key = `${state.test} ${state.effect} ${state.correction}`;
  if (!adjustedBefore.has(key))
    adjustedBefore.set(key, state.correction === "maxt" ? maxt : adjusters[state.correction](effects[state.effect].logp));
  return adjustedBefore.get(key);
};

const decide = () => {
  const adj = adjusted();
  const level = Math.log(state.alpha);
  state.isEdge = new Uint8Array(m);
  state.edges = [];
  state.degree = new Uint16Array(p);
  state.strength = new Float64Array(p);
  for (let n = 0; n < m; n++) {
    const k = byStrength[n];
    if (!(adj[k] <= level)) continue;
    state.isEdge[k] = 1;
    state.edges.push(k);
    for (const i of [first[k], second[k]]) { state.degree[i]++; state.strength[i] += Math.abs(rho[k]); }
  }
};
// What the graph shows of the edges; a neighbourhood is chosen there.
const shownEdges = (most = state.top) => {
  let end = state.edges.findIndex((k) => Math.abs(rho[k]) < state.least);
  if (end < 0) end = state.edges.length;
  return state.edges.slice(0, Math.min(end, most));
};
const asTested = () => state.test === 0 && state.alpha === data.alpha && state.correction === test.correction && state.effect === test.effect;
