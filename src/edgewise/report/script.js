"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const names = data.names.map((name) => (name.trim() ? name : "(unnamed)"));
  const p = names.length;
  const MOST_DRAWN = 3000;
  const MOST_DASHED = 600;
  const PAGE = 50;
  const SVG = "http://www.w3.org/2000/svg";

  // ---- numbers -------------------------------------------------------------------------------
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  const doubles = (text) => new Float64Array(bytes(text));
  const singles = (text) => new Float32Array(bytes(text));
  const rho = singles(data.rho);
  const low = data.low ? singles(data.low) : null;
  const high = data.high ? singles(data.high) : null;
  const m = rho.length;
  const effects = data.effects.map((e) => ({ value: e.value, label: e.label, logp: doubles(e.logp) }));
  const maxt = data.maxt ? doubles(data.maxt) : null;

  // Tested pairs are numbered along the rows of the upper triangle; the others have no number.
  const first = new Uint16Array(m);
  const second = new Uint16Array(m);
  if (data.pairs) data.pairs.forEach(([i, j], k) => { first[k] = i; second[k] = j; });
  else
    for (let i = 0, k = 0; i < p; i++)
      for (let j = i + 1; j < p; j++, k++) { first[k] = i; second[k] = j; }
  const chosen = data.pairs && new Map(data.pairs.map(([i, j], k) => [i * p + j, k]));
  const pairOf = (i, j) => {
    if (i > j) return pairOf(j, i);
    if (chosen) return chosen.has(i * p + j) ? chosen.get(i * p + j) : -1;
    return i * p - (i * (i + 1)) / 2 + j - i - 1;
  };

  const sortedBy = (value) => {
    const order = Array.from({ length: m }, (_, k) => k);
    return order.sort((a, b) => value(a) - value(b) || a - b);
  };
  const byStrength = sortedBy((k) => -Math.abs(rho[k]));

  // ---- corrections: the same steps as edgewise.inference.corrections, on logarithms ----------
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
  const stepped = (logp, fill) => {
    const out = new Float64Array(m);
    fill(out, sortedBy((k) => logp[k]));
    return out;
  };
  const stepUp = (logp, extra) => stepped(logp, (out, order) => {
    let best = Infinity;
    for (let r = m - 1; r >= 0; r--) {
      best = Math.min(best, logp[order[r]] + Math.log(m / (r + 1)) + extra);
      out[order[r]] = Math.min(best, 0);
    }
  });
  const cache = new Map();
  const adjusted = () => {
    const key = `${state.effect} ${state.correction}`;
    if (!cache.has(key)) {
      const made = state.correction === "maxt" ? maxt : adjusters[state.correction](effects[state.effect].logp);
      cache.set(key, made);
    }
    return cache.get(key);
  };

  // ---- state ---------------------------------------------------------------------------------
  const state = {
    alpha: data.alpha,
    correction: data.correction,
    effect: data.effect,
    chosen: -1,
    search: "",
    all: false,
    page: 0,
    sort: "rho",
    descending: true,
    isEdge: new Uint8Array(m),
    edges: [],
  };
  const logLow = Math.log(data.smallestAlpha);
  const logHigh = Math.log(data.largestAlpha);
  const sliderToAlpha = (v) => Math.exp(logLow + ((logHigh - logLow) * v) / 1000);
  const alphaToSlider = (a) => Math.round((1000 * (Math.log(a) - logLow)) / (logHigh - logLow));

  const decide = () => {
    const adj = adjusted();
    const level = Math.log(state.alpha);
    state.isEdge = new Uint8Array(m);
    state.edges = [];
    for (const k of byStrength)
      if (adj[k] <= level) { state.isEdge[k] = 1; state.edges.push(k); }
  };

  // ---- text ----------------------------------------------------------------------------------
  const LOG10 = Math.LN10;
  const probability = (logp) => {
    if (logp > Math.log(0.001)) return Math.exp(logp).toPrecision(2);
    const exponent = Math.floor(logp / LOG10);
    let mantissa = Math.exp(logp - exponent * LOG10);
    if (mantissa >= 9.95) return `1.0e${exponent + 1}`;
    return `${mantissa.toFixed(1)}e${exponent}`;
  };
  const signed = (v, digits = 3) => (v < 0 ? "−" : "+") + Math.abs(v).toFixed(digits);
  const make = (tag, text, className) => {
    const node = document.createElement(tag);
    if (text !== undefined) node.textContent = text;
    if (className) node.className = className;
    return node;
  };
  const rhoCell = (tag, v) => make(tag, signed(v), `right number ${v < 0 ? "negative" : "positive"}`);
  const interval = (k) => `${signed(low[k])} to ${signed(high[k])}`;
  const isText = (k) => `${names[first[k]]} – ${names[second[k]]}`;
  const pairs = m === 1 ? "pair" : "pairs";
  const count = () => {
    const n = state.edges.length;
    const effect = effects[state.effect].value;
    const beyond = effect ? ` with |partial correlation| above ${effect}` : "";
    const of = `${n.toLocaleString("en")} of ${m.toLocaleString("en")} ${pairs}`;
    $("count").textContent = `${of} ${n === 1 ? "is an edge" : "are edges"}${beyond} at α = ${short(state.alpha)}`;
    $("answer").textContent = `${of} ${n === 1 ? "is" : "are"} connected${beyond}.${n ? ` ${promise()}` : ""}`;
  };
  const short = (v) => String(Number(v.toPrecision(3)));
  const promise = () => {
    const text = data.promises[data.bound ? "bound" : state.correction] || "";
    return text.replace("{alpha}", short(state.alpha)).replace("{percent}", short(100 * state.alpha));
  };

  const tip = (event, text) => {
    const box = $("tip");
    box.textContent = text;
    box.hidden = false;
    box.style.left = `${Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 8)}px`;
    box.style.top = `${Math.min(event.clientY + 14, innerHeight - box.offsetHeight - 8)}px`;
  };
  const hideTip = () => { $("tip").hidden = true; };

  // ---- the graph -----------------------------------------------------------------------------
  const place = data.positions.map(([x, y]) => [60 + 880 * x, 45 + 660 * y]);
  const radius = p <= 30 ? 11 : p <= 80 ? 7 : 4;
  const lines = [];
  const nodes = names.map((name, i) => {
    const group = document.createElementNS(SVG, "g");
    group.setAttribute("class", "node");
    group.setAttribute("tabindex", "0");
    group.setAttribute("role", "button");
    group.setAttribute("aria-label", name);
    group.setAttribute("aria-pressed", "false");
    const circle = document.createElementNS(SVG, "circle");
    const label = document.createElementNS(SVG, "text");
    label.textContent = name.length > 18 ? `${name.slice(0, 17)}…` : name;
    if (p > 80) label.style.fontSize = "10px";
    group.append(circle, label);
    group.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(i); }
      if (event.key === "Escape") choose(-1);
    });
    group.addEventListener("pointerenter", (event) => tip(event, nodeTip(i)));
    group.addEventListener("pointermove", (event) => tip(event, nodeTip(i)));
    group.addEventListener("pointerleave", hideTip);
    $("nodes").append(group);
    return group;
  });
  let degree = new Uint16Array(p);
  const nodeTip = (i) => `${names[i]}: ${degree[i]} ${degree[i] === 1 ? "edge" : "edges"}`;
  // Names and nodes keep their size on the screen, whatever its width and at any zoom.
  const svg = $("graph");
  const view = { x: 0, y: 0, k: 1 };
  const screenUnit = () => 1000 / Math.max(svg.clientWidth || 720, 1);
  const placeNode = (i, unit = screenUnit()) => {
    nodes[i].setAttribute("transform", `translate(${place[i][0]},${place[i][1]}) scale(${unit / view.k})`);
    // A name that would stick out at a side is written inwards; a letter is about 8 pixels wide.
    const label = nodes[i].lastChild;
    const at = view.x + view.k * place[i][0];
    const half = 4 * label.textContent.length * unit;
    label.style.textAnchor = at < half ? "start" : at > 1000 - half ? "end" : "middle";
  };
  const line = (at) => {
    while (lines.length <= at) {
      const made = document.createElementNS(SVG, "line");
      const index = lines.length;
      const text = () => { const k = state.edges[index]; return `${isText(k)}: ${signed(rho[k])}${low ? ` (${interval(k)})` : ""}, adjusted p ${probability(adjusted()[k])}`; };
      made.addEventListener("pointerenter", (event) => tip(event, text()));
      made.addEventListener("pointermove", (event) => tip(event, text()));
      made.addEventListener("pointerleave", hideTip);
      lines.push(made);
    }
    return lines[at];
  };
  const placeLine = (element, k) => {
    const [x1, y1] = place[first[k]];
    const [x2, y2] = place[second[k]];
    element.setAttribute("x1", x1); element.setAttribute("y1", y1);
    element.setAttribute("x2", x2); element.setAttribute("y2", y2);
  };
  const strongest = Math.max(...byStrength.slice(0, 1).map((k) => Math.abs(rho[k])), 1e-9);
  const drawEdges = () => {
    const drawn = Math.min(state.edges.length, MOST_DRAWN);
    degree = new Uint16Array(p);
    for (const k of state.edges) { degree[first[k]]++; degree[second[k]]++; }
    const fragment = document.createDocumentFragment();
    // Many edges are drawn thin, and so are those on a small screen.
    const thin = Math.min(1, Math.max(0.2, Math.sqrt(250 / Math.max(drawn, 1)))) * Math.min(1, 1.3 / screenUnit());
    // The weak ones first, so that the strong ones lie on top.
    for (let at = drawn - 1; at >= 0; at--) {
      const k = state.edges[at];
      const element = line(at);
      const strength = Math.abs(rho[k]) / strongest;
      placeLine(element, k);
      const off = state.chosen >= 0 && first[k] !== state.chosen && second[k] !== state.chosen;
      element.setAttribute("class", `edge${rho[k] < 0 ? " negative" : ""}${off ? " faded" : ""}`);
      const width = Math.max(0.7, (0.8 + 8 * strength) * thin);
      element.setAttribute("stroke-width", width.toFixed(2));
      // Thousands of dashes take longer to paint than anyone waits for; the colour is still there.
      if (rho[k] < 0 && drawn <= MOST_DASHED) element.setAttribute("stroke-dasharray", `${(2.2 * width + 3).toFixed(1)} ${(width + 2).toFixed(1)}`);
      else element.removeAttribute("stroke-dasharray");
      element.style.strokeOpacity = (0.35 + 0.6 * strength * Math.max(thin, 0.4)).toFixed(2);
      fragment.append(element);
    }
    $("edges").replaceChildren(fragment);
    const near = new Set([state.chosen]);
    if (state.chosen >= 0) for (let i = 0; i < p; i++) if (i !== state.chosen && state.isEdge[pairOf(i, state.chosen)]) near.add(i);
    nodes.forEach((node, i) => {
      const off = state.chosen >= 0 && !near.has(i);
      node.setAttribute("class", `node${degree[i] ? "" : " alone"}${off ? " faded" : ""}${i === state.chosen ? " chosen" : ""}`);
      node.setAttribute("aria-pressed", String(i === state.chosen));
      node.setAttribute("aria-label", nodeTip(i));
    });
    $("drawn").hidden = drawn === state.edges.length;
    $("drawn").textContent = `The ${drawn.toLocaleString("en")} strongest of ${state.edges.length.toLocaleString("en")} edges are drawn; the table has them all.`;
  };
  const choose = (i) => {
    state.chosen = i === state.chosen ? -1 : i;
    drawEdges();
    drawSide();
  };
  const drawSide = () => {
    const side = $("side");
    const i = state.chosen;
    side.classList.toggle("empty", i < 0);
    if (i < 0) {
      side.replaceChildren(make("h3", "Choose a variable"), make("p", "Click a node, or focus it and press Enter, to see its neighbours.", "muted"));
      return;
    }
    const near = state.edges.filter((k) => first[k] === i || second[k] === i);
    const list = make("ul");
    for (const k of near) {
      const other = first[k] === i ? second[k] : first[k];
      const item = make("li");
      const button = make("button", names[other]);
      button.type = "button";
      button.addEventListener("click", () => { choose(other); nodes[other].focus(); });
      item.append(button, rhoCell("span", rho[k]));
      if (low) item.append(make("small", interval(k), "number"));
      list.append(item);
    }
    side.replaceChildren(make("h3", names[i]), make("p", `${near.length} ${near.length === 1 ? "neighbour" : "neighbours"}, by strength${low ? `, with ${data.intervalLabel}` : ""}`, "muted"), list);
  };

  // ---- moving, zooming -----------------------------------------------------------------------
  const showView = () => {
    $("view").setAttribute("transform", `translate(${view.x},${view.y}) scale(${view.k})`);
    // Asked for once: after every change the browser would have to lay out the page for it.
    const unit = screenUnit();
    const size = unit > 2 ? Math.min(radius, 7) : radius;
    nodes.forEach((node, i) => {
      placeNode(i, unit);
      node.firstChild.setAttribute("r", String(size));
      node.lastChild.setAttribute("y", String(-size - 4));
    });
  };
  addEventListener("resize", () => { showView(); drawEdges(); });
  const point = (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [at.x, at.y];
  };
  const zoom = (factor, [x, y] = [500, 375]) => {
    const k = Math.min(Math.max(view.k * factor, 0.3), 20);
    view.x = x - ((x - view.x) * k) / view.k;
    view.y = y - ((y - view.y) * k) / view.k;
    view.k = k;
    showView();
  };
  svg.addEventListener("wheel", (event) => { event.preventDefault(); zoom(Math.exp(-event.deltaY / 400), point(event)); }, { passive: false });
  $("zoom-in").addEventListener("click", () => zoom(1.4));
  $("zoom-out").addEventListener("click", () => zoom(1 / 1.4));
  $("zoom-reset").addEventListener("click", () => { Object.assign(view, { x: 0, y: 0, k: 1 }); showView(); });
  const pointers = new Map();
  let held = null;
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    pointers.set(event.pointerId, point(event));
    svg.setPointerCapture(event.pointerId);
    const node = nodes.indexOf(event.target.closest(".node"));
    held = { node, moved: false, start: point(event) };
  });
  svg.addEventListener("pointermove", (event) => {
    if (!pointers.has(event.pointerId)) return;
    const before = pointers.get(event.pointerId);
    const now = point(event);
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const distance = (a) => Math.hypot(a[0] - other[0], a[1] - other[1]);
      zoom(distance(now) / Math.max(distance(before), 1), other);
      if (held) held.moved = true;
    } else if (held) {
      if (Math.hypot(now[0] - held.start[0], now[1] - held.start[1]) > 4) held.moved = true;
      if (held.moved && held.node >= 0) {
        place[held.node] = [(now[0] - view.x) / view.k, (now[1] - view.y) / view.k];
        placeNode(held.node);
        const drawn = Math.min(state.edges.length, MOST_DRAWN);
        for (let at = 0; at < drawn; at++) {
          const k = state.edges[at];
          if (first[k] === held.node || second[k] === held.node) placeLine(lines[at], k);
        }
      } else if (held.moved) {
        view.x += now[0] - before[0];
        view.y += now[1] - before[1];
        showView();
      }
    }
    pointers.set(event.pointerId, now);
  });
  const release = (event) => {
    pointers.delete(event.pointerId);
    if (held && !held.moved && event.type === "pointerup") choose(held.node >= 0 ? held.node : -1);
    if (!pointers.size) held = null;
  };
  svg.addEventListener("pointerup", release);
  svg.addEventListener("pointercancel", release);
  // ---- the table -----------------------------------------------------------------------------
  const collator = new Intl.Collator("en", { numeric: true });
  const alphabetical = new Uint16Array(p);
  names.map((_, i) => i).sort((a, b) => collator.compare(names[a], names[b]) || a - b).forEach((i, rank) => { alphabetical[i] = rank; });
  const columns = [
    { key: "source", label: "variable", value: (k) => names[first[k]], rank: (k) => alphabetical[first[k]], text: true },
    { key: "target", label: "variable", value: (k) => names[second[k]], rank: (k) => alphabetical[second[k]], text: true },
    { key: "rho", label: "partial correlation", value: (k) => rho[k], rank: (k) => Math.abs(rho[k]) },
    ...(low ? [{ key: "interval", label: data.intervalLabel, value: interval, rank: (k) => high[k] - low[k] }] : []),
    { key: "p", label: "p-value", value: (k) => probability(effects[state.effect].logp[k]), rank: (k) => effects[state.effect].logp[k] },
    { key: "adjusted", label: "adjusted p", value: (k) => probability(adjusted()[k]), rank: (k) => adjusted()[k] },
  ];
  const wanted = () => {
    const needle = state.search.toLowerCase();
    const pool = state.all ? byStrength : state.edges;
    const hit = names.map((name) => name.toLowerCase().includes(needle));
    const found = pool.filter((k) => hit[first[k]] || hit[second[k]]);
    if (state.sort === "rho" && state.descending) return found;
    const { rank } = columns.find((c) => c.key === state.sort);
    const ranks = new Float64Array(m);
    for (const k of found) ranks[k] = rank(k);
    const sign = state.descending ? -1 : 1;
    return found.sort((a, b) => sign * (ranks[a] - ranks[b]) || a - b);
  };
  const drawTable = () => {
    const found = wanted();
    const last = Math.max(0, Math.ceil(found.length / PAGE) - 1);
    state.page = Math.min(state.page, last);
    const body = document.createDocumentFragment();
    for (const k of found.slice(state.page * PAGE, (state.page + 1) * PAGE)) {
      const row = make("tr", undefined, state.isEdge[k] ? "" : "no");
      for (const column of columns) {
        if (column.key === "rho") row.append(rhoCell("td", rho[k]));
        else row.append(make("td", String(column.value(k)), column.text ? "" : "right number"));
      }
      body.append(row);
    }
    $("rows").replaceChildren(body);
    const from = found.length ? state.page * PAGE + 1 : 0;
    $("page").textContent = `${from}–${Math.min((state.page + 1) * PAGE, found.length)} of ${found.length.toLocaleString("en")}`;
    $("previous").disabled = state.page === 0;
    $("next").disabled = state.page >= last;
    [...$("headings").children].forEach((cell, c) => {
      const sorted = columns[c].key === state.sort;
      cell.setAttribute("aria-sort", sorted ? (state.descending ? "descending" : "ascending") : "none");
      cell.querySelector("span").textContent = sorted ? (state.descending ? " ↓" : " ↑") : "";
    });
  };
  for (const column of columns) {
    const cell = make("th", undefined, column.text ? "" : "right");
    cell.scope = "col";
    const button = make("button", column.label);
    button.type = "button";
    button.append(make("span"));
    button.addEventListener("click", () => {
      state.descending = state.sort === column.key ? !state.descending : column.key === "rho";
      state.sort = column.key;
      state.page = 0;
      drawTable();
    });
    cell.append(button);
    $("headings").append(cell);
  }
  $("search").addEventListener("input", (event) => { state.search = event.target.value; state.page = 0; drawTable(); });
  $("all").addEventListener("change", (event) => { state.all = event.target.checked; state.page = 0; drawTable(); });
  $("previous").addEventListener("click", () => { state.page--; drawTable(); });
  $("next").addEventListener("click", () => { state.page++; drawTable(); });
  // A spreadsheet must not read a name as a formula, and a comma or a quote is part of the name.
  const csvName = (name) => {
    const safe = /^[=+\-@\t\r\n＝＋－＠]/.test(name) ? `'${name}` : name;
    return /[",#\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  $("download").addEventListener("click", () => {
    const adj = adjusted();
    const logp = effects[state.effect].logp;
    const remarks = low ? [`# interval_low and interval_high: ${data.intervalLabel}`] : [];
    // What follows a space does not begin a cell that is a formula.
    if (data.meaning) remarks.push(`# ${data.meaning}`);
    if (data.given) remarks.push(`# adjusted for: ${data.given.replace(/([,;])(?=\S)/g, "$1 ")}`);
    const head = ["source", "target", "partial_correlation", ...(low ? ["interval_low", "interval_high"] : []), "log_pvalue", "log_adjusted_pvalue", "edge"];
    const ends = (k) => (low ? [low[k].toPrecision(7), high[k].toPrecision(7)] : []);
    const rows = wanted().map((k) => [csvName(names[first[k]]), csvName(names[second[k]]), rho[k].toPrecision(7), ...ends(k), logp[k], adj[k], Boolean(state.isEdge[k])].join(","));
    const blob = new Blob([`${[...remarks, head.join(","), ...rows].join("\r\n")}\r\n`], { type: "text/csv" });
    const link = make("a");
    link.href = URL.createObjectURL(blob);
    link.download = "edges.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });

  // ---- the heat map --------------------------------------------------------------------------
  const canvas = $("heat");
  canvas.width = canvas.height = p; // one dot per pair; the style sheet makes them squares
  const context = canvas.getContext("2d");
  const POSITIVE = [0, 114, 178];
  const NEGATIVE = [179, 71, 0];
  const UNTESTED = 0xffd2d2d2 | 0;
  // Red, green, blue, opaque, as bytes of one number.
  const shade = (v, isEdge) => {
    const t = Math.sqrt(Math.min(1, Math.abs(v) / strongest)) * (isEdge ? 1 : 0.22);
    const colour = v < 0 ? NEGATIVE : POSITIVE;
    const part = (c) => Math.round(247 + (colour[c] - 247) * t) << (8 * c);
    return part(0) | part(1) | part(2) | (255 << 24);
  };
  const drawHeat = () => {
    const image = context.createImageData(p, p);
    const pixels = new Int32Array(image.data.buffer);
    for (let a = 0; a < p; a++) {
      pixels[a * p + a] = 0xff787878 | 0;
      for (let b = a + 1; b < p; b++) {
        const k = pairOf(data.order[a], data.order[b]);
        pixels[a * p + b] = pixels[b * p + a] = k < 0 ? UNTESTED : shade(rho[k], state.isEdge[k]);
      }
    }
    context.putImageData(image, 0, 0);
  };
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    const at = (v, start, size) => data.order[Math.min(p - 1, Math.max(0, Math.floor(((v - start) / size) * p)))];
    const [i, j] = [at(event.clientY, box.top, box.height), at(event.clientX, box.left, box.width)];
    if (i === j) { tip(event, names[i]); return; }
    const k = pairOf(i, j);
    if (k < 0) { tip(event, `${names[i]} – ${names[j]}: not tested`); return; }
    tip(event, `${isText(k)}: ${signed(rho[k])}${state.isEdge[k] ? ", an edge" : ""}`);
  });
  canvas.addEventListener("pointerleave", hideTip);
  $("scale-low").textContent = $("scale-high").textContent = strongest.toFixed(2);

  // ---- controls ------------------------------------------------------------------------------
  const update = () => {
    const began = performance.now();
    decide();
    count();
    drawEdges();
    drawSide();
    drawTable();
    drawHeat();
    document.documentElement.dataset.updateMs = (performance.now() - began).toFixed(1);
  };
  const option = (select, value, label) => {
    const made = make("option", label);
    made.value = value;
    select.append(made);
  };
  const fillCorrections = () => {
    const select = $("correction");
    select.replaceChildren();
    if (data.bound) option(select, "none", "none needed: one bound for all pairs");
    else {
      if (maxt && state.effect === data.effect) option(select, "maxt", "max-|T| (family-wise)");
      option(select, "holm", "Holm (family-wise)");
      option(select, "bonferroni", "Bonferroni (family-wise)");
      option(select, "bh", "Benjamini–Hochberg (FDR)");
      option(select, "by", "Benjamini–Yekutieli (FDR)");
      option(select, "none", "none");
    }
    if (![...select.options].some((o) => o.value === state.correction)) state.correction = select.options[0].value;
    select.value = state.correction;
    select.disabled = data.bound;
  };
  effects.forEach((e, k) => option($("effect"), String(k), e.label));
  $("effect").value = String(state.effect);
  $("effect").disabled = effects.length === 1;
  $("effect").addEventListener("change", (event) => { state.effect = Number(event.target.value); fillCorrections(); update(); });
  $("correction").addEventListener("change", (event) => { state.correction = event.target.value; update(); });
  $("alpha").addEventListener("input", (event) => {
    state.alpha = sliderToAlpha(Number(event.target.value));
    $("alpha-number").value = state.alpha.toPrecision(3);
    // What the box shows is what is tested.
    state.alpha = Number($("alpha-number").value);
    update();
  });
  $("alpha-number").addEventListener("change", (event) => {
    const typed = Number(event.target.value);
    if (!(typed > 0 && typed <= data.largestAlpha)) { event.target.value = String(state.alpha); return; }
    state.alpha = typed;
    $("alpha").value = String(alphaToSlider(typed));
    update();
  });
  $("controls").addEventListener("submit", (event) => event.preventDefault());
  $("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  $("alpha").value = String(alphaToSlider(state.alpha));
  $("alpha-number").value = String(state.alpha);
  fillCorrections();
  showView();
  update();
})();
