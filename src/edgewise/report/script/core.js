// What every part of the page uses: the data, the state, and how parts hear of changes.
const $ = (id) => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const names = data.names.map((name) => (name.trim() ? name : "(unnamed)"));
const labels = data.short.map((name) => (name.trim() ? name : "(unnamed)"));
const p = names.length;

// ---- numbers ---------------------------------------------------------------------------------
const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
const doubles = (text) => new Float64Array(bytes(text));
const singles = (text) => (text ? new Float32Array(bytes(text)) : null);

// Tested pairs are numbered along the rows of the upper triangle; the others have no number.
const m = singles(data.tests[0].rho).length;
const first = new Uint16Array(m);
const second = new Uint16Array(m);
if (data.pairs) data.pairs.forEach(([i, j], k) => { first[k] = i; second[k] = j; });
else
  for (let i = 0, k = 0; i < p; i++)
    for (let j = i + 1; j < p; j++, k++) { first[k] = i; second[k] = j; }
const numbered = data.pairs && new Map(data.pairs.map(([i, j], k) => [i * p + j, k]));
const pairOf = (i, j) => {
  if (i > j) return pairOf(j, i);
  if (numbered) return numbered.has(i * p + j) ? numbered.get(i * p + j) : -1;
  return i * p - (i * (i + 1)) / 2 + j - i - 1;
};
const sortedBy = (value) => {
  const order = Array.from({ length: m }, (_, k) => k);
  return order.sort((a, b) => value(a) - value(b) || a - b);
};

// ---- the test that is shown: the one that was asked for, or the one that fits the data ---------
let test, rho, low, high, effects, maxt, byStrength, strongest;
const useTest = (which) => {
  test = data.tests[which];
  rho = singles(test.rho);
  low = singles(test.low);
  high = singles(test.high);
  maxt = test.maxt ? doubles(test.maxt) : null;
  effects = test.effects.map((e) => ({ value: e.value, label: e.label, logp: e.single ? Float64Array.from(singles(e.logp)) : doubles(e.logp) }));
  byStrength = sortedBy((k) => -Math.abs(rho[k]));
  strongest = m ? Math.abs(rho[byStrength[0]]) : 0;
};
useTest(0);

// ---- sampled rows: variable i of row r given all others, up to its scale ------------------------------
const roots = data.sample && new Int8Array(bytes(data.sample.roots));
const score = (r, i) => { const t = roots[r * p + i] / 127; return data.sample.scale[i] * t * Math.abs(t); };

// ---- state: what a reader has chosen -----------------------------------------------------------
const state = {
  test: 0,
  alpha: data.alpha,
  correction: test.correction,
  effect: test.effect,
  least: 0, // the smallest |partial correlation| that the graph shows
  top: Infinity, // how many edges the graph shows at most, the strongest
  hops: 0, // if not 0, the graph shows only this neighbourhood of the selected variable
  selected: null, // { node }, { pair } or { community }
  hovered: null,
  isEdge: new Uint8Array(m),
  edges: [], // pairs that are edges, the strongest first
  degree: new Uint16Array(p),
  strength: new Float64Array(p),
};

// ---- parts of the page -------------------------------------------------------------------------
// draw(): the edges, the test or the colours have changed. light(): what is selected or hovered has.
const parts = [];
const part = (made) => { parts.push(made); };
const relight = () => { focus = focused(); for (const one of parts) one.light?.(); };
const select = (what) => {
  state.selected = same(what, state.selected) ? null : what;
  state.hovered = null;
  relight();
  remember();
};
const hover = (what) => {
  if (same(what, state.hovered)) return;
  state.hovered = what;
  relight();
};
const same = (a, b) => a === b || Boolean(a && b && a.node === b.node && a.pair === b.pair && a.community === b.community);

// What is lit: variables and pairs as sets, and what they were lit by; null if nothing is.
let focus = null;
const focused = () => {
  const by = state.hovered || state.selected;
  if (!by) return null;
  const nodes = new Set();
  const pairs = new Set();
  if (by.pair !== undefined) {
    pairs.add(by.pair);
    nodes.add(first[by.pair]).add(second[by.pair]);
  } else if (by.node !== undefined) {
    nodes.add(by.node);
    for (const k of state.edges)
      if (first[k] === by.node || second[k] === by.node) { pairs.add(k); nodes.add(first[k]).add(second[k]); }
  } else {
    communities.forEach((c, i) => { if (c === by.community) nodes.add(i); });
    for (const k of state.edges) if (nodes.has(first[k]) && nodes.has(second[k])) pairs.add(k);
  }
  return { by, nodes, pairs };
};

// ---- communities, as they were found at the tested level ---------------------------------------
const communities = data.communities;
const KNOWN_COLOURS = 8;
const colourName = (c) => (c >= 0 && c < KNOWN_COLOURS ? `--c${c}` : "--c-none");
// A colour of the style sheet as it is now, for a canvas.
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const chip = (c) => {
  const made = make("i", undefined, `chip c${c >= 0 && c < KNOWN_COLOURS ? c : "-none"}`);
  made.title = c < 0 ? "in no community" : `community ${data.communityNames[c]}`;
  return made;
};

// ---- elements and text -------------------------------------------------------------------------
const make = (tag, text, className) => {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
};
const SVG = "http://www.w3.org/2000/svg";
const draw = (tag, attributes, ...children) => {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
  node.append(...children);
  return node;
};
const button = (text, act, className) => {
  const made = make("button", text, className);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
};
const probability = (logp) => {
  if (logp > Math.log(0.001)) return Math.exp(logp).toPrecision(2);
  const exponent = Math.floor(logp / Math.LN10);
  const mantissa = Math.exp(logp - exponent * Math.LN10);
  return mantissa >= 9.95 ? `1.0e${exponent + 1}` : `${mantissa.toFixed(1)}e${exponent}`;
};
const count = (n, one, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
const rounded = (v) => String(Number(v.toPrecision(3)));
const signed = (v, digits = 3) => (v < 0 ? "−" : "+") + Math.abs(v).toFixed(digits);
const rhoCell = (tag, v) => make(tag, signed(v), `right number ${v < 0 ? "negative" : "positive"}`);
const interval = (k) => `${signed(low[k])} to ${signed(high[k])}`;
const pairText = (k) => `${names[first[k]]} – ${names[second[k]]}`;
const shortPair = (k) => `${labels[first[k]]} – ${labels[second[k]]}`;
const nodeText = (i) => `${names[i]}: ${count(state.degree[i], "edge")}`;
const edgeText = (k) => `${pairText(k)}: ${signed(rho[k])}${low ? ` (${interval(k)})` : ""}, adjusted p ${probability(adjusted()[k])}`;

const tip = (event, text) => {
  const box = $("tip");
  box.textContent = text;
  box.hidden = false;
  box.style.left = `${Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 8)}px`;
  box.style.top = `${Math.min(event.clientY + 14, innerHeight - box.offsetHeight - 8)}px`;
};
const hideTip = () => { $("tip").hidden = true; };
// Files that a reader saves.
const save = (blob, name) => {
  const link = make("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};

// ---- the view in the address, so that a link shows what its sender saw ----------------------------
const kept = [];
// get() gives text, or "" for the usual; set() takes such text, which anybody may have written.
const keep = (key, get, set) => { kept.push({ key, get, set }); };
let remembering = 0;
const remember = () => {
  clearTimeout(remembering);
  remembering = setTimeout(() => {
    const told = new URLSearchParams();
    for (const { key, get } of kept) if (get()) told.set(key, get());
    const text = told.toString();
    if (`#${text}` !== location.hash && (text || location.hash.includes("=")))
      history.replaceState(null, "", text ? `#${text}` : location.href.split("#")[0]);
  }, 250);
};
const recall = () => {
  if (!location.hash.includes("=")) return;
  const told = new URLSearchParams(location.hash.slice(1));
  for (const { key, set } of kept) if (told.has(key)) set(told.get(key));
};
const whole = (text, below) => (/^\d{1,7}$/.test(text) && Number(text) < below ? Number(text) : -1);
keep(
  "select",
  () => (state.selected ? Object.entries(state.selected).filter(([, v]) => v !== undefined).flat().join(".") : ""),
  (text) => {
    const [kind, number] = text.split(".");
    const most = { node: p, pair: m, community: data.communityNames.length }[kind];
    if (most && whole(number, most) >= 0) state.selected = { [kind]: whole(number, most) };
  },
);
