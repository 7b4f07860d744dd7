// The heat map: every pair as a square whose colour is read off the bar, which the same table colours.
(() => {
  const { whenSeen, canvasPen, svgPen, textWidth } = pictures;
  const [WIDEST, TALLEST] = [704, 612];
  const canvas = $("heat");
  const glow = $("heat-light");
  // By community, those without one last; inside as the clustering says.
  const last = data.communityNames.length;
  const rank = new Map(data.order.map((i, at) => [i, at]));
  const community = (i) => (communities[i] < 0 ? last : communities[i]);
  const order = [...data.order].sort((i, j) => community(i) - community(j) || rank.get(i) - rank.get(j));
  const placeOf = new Uint16Array(p);
  order.forEach((i, at) => { placeOf[i] = at; });
  const blocks = [];
  order.forEach((i, at) => {
    if (!at || community(order[at - 1]) !== community(i)) blocks.push({ community: communities[i], from: at, to: at });
    blocks[blocks.length - 1].to = at + 1;
  });
  const allTested = m === (p * (p - 1)) / 2;

  // ---- colours: one table, of which a bar and a square take the same entry for the same value -----
  const STEPS = 1000;
  let colours, most, ink;
  const parsed = (name) => [1, 3, 5].map((at) => parseInt(css(name).slice(at, at + 2), 16));
  const mixColours = () => {
    most = Math.min(1, Math.max(0.1, Math.ceil(strongest * 10 - 1e-9) / 10));
    const zero = parsed("--heat-0");
    const ends = [parsed("--negative"), parsed("--positive")];
    // The square root lets weak edges be seen; the bar stretches with it.
    colours = Array.from({ length: 2 * STEPS + 1 }, (_, at) => {
      const t = Math.sqrt(Math.abs(at - STEPS) / STEPS);
      return zero.map((z, c) => Math.round(z + (ends[Number(at > STEPS)][c] - z) * t));
    });
    ink = Object.fromEntries(["heat-0", "ink", "soft", "line", "paper", "accent"].map((name) => [name, css(`--${name}`)]));
  };
  const entry = (v) => STEPS + Math.round((STEPS * Math.max(-most, Math.min(most, v))) / most);
  const shade = (v) => `rgb(${colours[entry(v)].join(" ")})`;
  const bytesOf = ([r, g, b]) => (r | (g << 8) | (b << 16) | (255 << 24)) | 0;

  // ---- where everything lies, in pixels of the page -------------------------------------------------
  const NAME_SIZE = [9, 11];
  const MOST_NAMED = 60;
  const STRIP = 7;
  const EDGE = 2;
  let wanted = null; // whether a reader asked for the pairs that are not edges
  const geometry = (width, dots) => {
    const nameRoom = Math.ceil(Math.max(...labels.map((text) => textWidth(text, NAME_SIZE[1])))) + 4;
    const cellIn = (room) => {
      const cell = Math.min(36, Math.floor((Math.min(room, TALLEST) * dots) / p) / dots);
      // More pairs than dots: some share one.
      return cell > 0 ? cell : Math.min(room, TALLEST) / p;
    };
    let start = STRIP + EDGE + nameRoom;
    let cell = cellIn(width - start - 1);
    const named = p <= MOST_NAMED && cell >= NAME_SIZE[0];
    if (!named) { start = STRIP + EDGE; cell = cellIn(width - start - 1); }
    const left = Math.ceil(start);
    // Small squares must look small.
    const fine = cell >= 6;
    const made = { width, dots, cell, left, top: left, size: cell * p, named, fine, all: wanted ?? fine, zones: [] };
    made.nameSize = Math.min(NAME_SIZE[1], Math.max(NAME_SIZE[0], cell - 1));
    made.height = Math.ceil(placeKey(made));
    return made;
  };
  // Below the squares: the bar, then what the squares and strips are, as many in a line as fit.
  const placeKey = (g) => {
    const size = 11.5;
    g.bar = { x: g.left + 16, y: g.top + g.size + 16, w: Math.min(300, g.width - g.left - 40), h: 12 };
    // Where long names have taken the room, the words begin under them.
    const start = g.width < 480 ? 0 : g.left;
    let x = start;
    let y = g.bar.y + 50;
    g.entries = [];
    for (const one of keyEntries(g)) {
      let shown = one.text;
      while (textWidth(shown, size) > g.width - start - 20) shown = `${shown.slice(0, -2)}…`;
      const wide = 18 + textWidth(shown, size) + 16;
      if (x > start && x + wide - 16 > g.width) { x = start; y += 20; }
      g.entries.push({ ...one, shown, x, y, size });
      if (one.what) g.zones.push({ x, y: y - 10, w: wide - 16, h: 20, ...one });
      x += wide;
    }
    return y + 14;
  };
  const keyEntries = (g) => {
    const told = [];
    if (!g.fine && g.all) told.push({ square: 1, text: "every pair, an edge or not" });
    else {
      told.push({ square: 1, text: "edge" });
      if (g.all) told.push({ square: SMALL, text: "not an edge" });
      else told.push({ square: 0, text: "no edge" });
    }
    if (!allTested) told.push({ hatched: true, text: "not tested" });
    const shown = data.communityNames.slice(0, KNOWN_COLOURS);
    shown.forEach((text, c) => told.push({ colour: css(colourName(c)), text, what: { community: c } }));
    const grey = last > KNOWN_COLOURS ? count(last - KNOWN_COLOURS, "smaller community", "smaller communities") : "";
    const alone = communities.some((c) => c < 0) ? "in no community" : "";
    if (grey || alone) told.push({ colour: css("--c-none"), text: [grey, alone].filter(Boolean).join(", or ") });
    return told;
  };

  // ---- painting ---------------------------------------------------------------------------------------
  const SMALL = 0.4;
  const hatch = (pen, x, y, size) => {
    pen.rect(x, y, size, size, ink.line);
    pen.line(x + 1, y + size - 1, x + size - 1, y + 1, ink.soft);
  };
  const square = (pen, x, y, cell, share, fill) => {
    const side = share === 1 ? cell : Math.max(2, Math.round(cell * share));
    const gap = (cell - side) / 2;
    pen.rect(x + gap, y + gap, side, side, fill);
  };
  const paintSquares = (pen, g) => {
    const at = (place) => g.left + place * g.cell;
    const inner = g.cell - 1 / g.dots;
    const twice = (a, b, one) => { one(at(a), at(b)); one(at(b), at(a)); };
    for (let a = 0; a < p; a++) {
      pen.rect(at(a), at(a), inner, inner, ink.line);
      if (!allTested)
        for (let b = a + 1; b < p; b++)
          if (pairOf(order[a], order[b]) < 0) twice(a, b, (x, y) => hatch(pen, x, y, inner));
    }
    for (const k of byStrength) {
      if (!state.isEdge[k] && !g.all) continue;
      const fill = shade(rho[k]);
      twice(placeOf[first[k]], placeOf[second[k]], (x, y) => square(pen, x, y, inner, state.isEdge[k] ? 1 : SMALL, fill));
    }
  };
  let drawn = {};
  // One dot for each pair, or for several, of which the strongest is seen.
  const dotImage = (g) => {
    const side = Math.min(p, Math.round(g.size * g.dots));
    const key = [g.all, side, state.test, ink["heat-0"]].join();
    if (g.all && key === drawn.key) return drawn.board;
    const spots = Uint16Array.from(placeOf, (place) => Math.floor((place * side) / p));
    const board = make("canvas");
    board.width = board.height = side;
    const context = board.getContext("2d");
    const image = context.createImageData(side, side);
    const pixels = new Int32Array(image.data.buffer);
    const [ground, line] = ["--heat-0", "--line"].map((name) => bytesOf(parsed(name)));
    // Quiet stripes: most pairs may be untested, and edges must stand out.
    if (allTested) pixels.fill(ground);
    else for (let y = 0; y < side; y++) for (let x = 0; x < side; x++) pixels[y * side + x] = (x + y) % 4 < 2 ? line : ground;
    const packed = Int32Array.from(colours, bytesOf);
    // A dot of one pixel among blanks would be lost on the eye.
    const thick = g.all || g.cell * g.dots >= 2 ? 1 : 2;
    const put = (k, colour) => {
      const x = spots[first[k]];
      const y = spots[second[k]];
      for (let u = x; u < x + thick; u++)
        for (let v = y; v < y + thick; v++) if (u < side && v < side) pixels[v * side + u] = pixels[u * side + v] = colour;
    };
    if (!allTested) for (let k = 0; k < m; k++) put(k, ground);
    for (let i = 0; i < p; i++) pixels[spots[i] * (side + 1)] = line;
    const shown = g.all ? byStrength : state.edges;
    for (let at = shown.length - 1; at >= 0; at--) put(shown[at], packed[entry(rho[shown[at]])]);
    context.putImageData(image, 0, 0);
    drawn = { key, board };
    return board;
  };
  const paintKey = (pen, g) => {
    const { x, y, w, h } = g.bar;
    const columns = Math.round(w * g.dots);
    for (let c = 0; c < columns; c++) {
      const value = most * ((2 * (c + 0.5)) / columns - 1);
      // A column reaches under the next one, so that no seam shows.
      pen.rect(x + c / g.dots, y, Math.min(1.5 / g.dots, w - c / g.dots), h, shade(value));
    }
    for (const part of [-1, -0.5, 0, 0.5, 1]) {
      const at = x + (w * (part + 1)) / 2;
      pen.line(at, y + h, at, y + h + 4, ink.soft);
      const text = part ? `${part < 0 ? "−" : "+"}${Number((Math.abs(part) * most).toFixed(3))}` : "0";
      pen.text(at, y + h + 12, text, { size: 11, fill: ink.ink, align: "center" });
    }
    const beside = x + w + 28;
    const title = "partial correlation";
    if (beside + textWidth(title, 11.5) < g.width) pen.text(beside, y + h / 2, title, { size: 11.5, fill: ink.soft });
    for (const one of g.entries) {
      const corner = [one.x, one.y - 6];
      if (one.hatched) hatch(pen, ...corner, 12);
      else if (one.colour) pen.rect(...corner, 12, 12, one.colour);
      else {
        pen.rect(...corner, 12, 12, ink.line);
        pen.rect(one.x + 1, one.y - 5, 10, 10, ink["heat-0"]);
        if (one.square) square(pen, ...corner, 12, one.square, shade(0.6 * most));
      }
      pen.text(one.x + 18, one.y, one.shown, { size: one.size, fill: ink.ink });
    }
  };
  const paint = (pen, g) => {
    pen.rect(0, 0, g.width, g.height, ink.paper);
    pen.rect(g.left, g.top, g.size, g.size, ink["heat-0"]);
    if (g.fine) paintSquares(pen, g);
    else pen.image(dotImage(g), g.left, g.top, g.size, g.size);
    const before = g.left - STRIP - EDGE;
    for (const { community: c, from, to } of blocks) {
      const [start, long] = [g.left + from * g.cell, (to - from) * g.cell - (g.fine ? 1 : 0)];
      pen.rect(before, start, STRIP, long, css(colourName(c)));
      pen.rect(start, before, long, STRIP, css(colourName(c)));
    }
    if (g.named)
      order.forEach((i, at) => {
        const middle = g.left + (at + 0.5) * g.cell;
        pen.text(before - 3, middle, labels[i], { size: g.nameSize, fill: ink.ink, align: "end" });
        pen.text(middle, before - 3, labels[i], { size: g.nameSize, fill: ink.ink, turned: true });
      });
    paintKey(pen, g);
  };

  // ---- on the page ------------------------------------------------------------------------------------
  let g = null;
  const fit = () => {
    g = geometry(Math.min(WIDEST, Math.floor(canvas.parentElement.clientWidth)), devicePixelRatio || 1);
    for (const one of [canvas, glow]) {
      one.width = Math.round(g.width * g.dots);
      one.height = Math.round(g.height * g.dots);
      one.style.width = `${g.width}px`;
      one.style.height = `${g.height}px`;
    }
    // For tests, which read colours where they lie.
    Object.assign(canvas.dataset, { left: g.left, cell: g.cell, dots: g.dots, most, bar: [g.bar.x, g.bar.y, g.bar.w, g.bar.h].join(" "), order: order.join(" ") });
  };
  const show = () => {
    const began = performance.now();
    mixColours();
    fit();
    const context = canvas.getContext("2d");
    context.setTransform(g.dots, 0, 0, g.dots, 0, 0);
    paint(canvasPen(context), g);
    $("heat-all").checked = g.all;
    canvas.dataset.ms = (performance.now() - began).toFixed(1);
    light();
  };
  const light = () => {
    if (!g) return;
    const context = glow.getContext("2d");
    context.setTransform(g.dots, 0, 0, g.dots, 0, 0);
    context.clearRect(0, 0, g.width, g.height);
    if (!focus) return;
    const { by } = focus;
    const band = (i) => {
      const [at, wide] = [g.left + placeOf[i] * g.cell, Math.max(g.cell, 1)];
      // Beside the squares only: a tint over them would change their colours.
      context.globalAlpha = 0.3;
      context.fillStyle = ink.accent;
      context.fillRect(0, at, g.left, wide);
      context.fillRect(at, 0, wide, g.left);
      context.globalAlpha = 1;
      context.lineWidth = 1;
      context.strokeStyle = ink.accent;
      context.strokeRect(g.left - 0.5, at - 0.5, g.size, wide);
      context.strokeRect(at - 0.5, g.left - 0.5, wide, g.size);
    };
    // At least as large as a fingertip of a mouse can find.
    const outline = (a, b, wide = 1) => {
      const side = Math.max(wide * g.cell, 7);
      const start = (place) => g.left + (place + wide / 2) * g.cell - side / 2;
      context.lineWidth = 2;
      context.strokeStyle = ink.ink;
      context.strokeRect(start(b), start(a), side, side);
    };
    if (by.node !== undefined) band(by.node);
    else if (by.pair !== undefined) {
      const [i, j] = [first[by.pair], second[by.pair]];
      band(i);
      band(j);
      outline(placeOf[i], placeOf[j]);
      outline(placeOf[j], placeOf[i]);
    } else for (const one of blocks) if (one.community === by.community) outline(one.from, one.from, one.to - one.from);
  };

  // ---- what lies under a pointer ------------------------------------------------------------------------
  // Where squares are smaller than a pointer can hit, the nearest edge counts.
  const near = (a, b) => {
    const reach = g.cell >= 4 ? 0 : Math.ceil(3 / g.cell);
    let best = [a, b];
    let least = Infinity;
    for (let da = -reach; da <= reach; da++)
      for (let db = -reach; db <= reach; db++) {
        const [u, v] = [a + da, b + db];
        if (u < 0 || v < 0 || u >= p || v >= p || u === v) continue;
        const k = pairOf(order[u], order[v]);
        if (k >= 0 && state.isEdge[k] && da * da + db * db < least) { least = da * da + db * db; best = [u, v]; }
      }
    return best;
  };
  const pairTold = (k) => (state.isEdge[k] ? `${edgeText(k)}, an edge` : `${pairText(k)}: ${signed(rho[k])}, not an edge`);
  const under = (event) => {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const zone = g.zones.find((one) => x >= one.x && x < one.x + one.w && y >= one.y && y < one.y + one.h);
    if (zone) return { what: zone.what, text: `community ${zone.text}` };
    const [a, b] = [y, x].map((v) => Math.floor((v - g.left) / g.cell));
    if (a >= p || b >= p || (a < 0 && b < 0)) return { what: null, text: "" };
    if (a < 0 || b < 0) {
      const i = order[Math.max(a, b)];
      const c = communities[i];
      if (Math.min(x, y) < g.left - STRIP - EDGE || c < 0) return { what: { node: i }, text: nodeText(i) };
      return { what: { community: c }, text: `community ${data.communityNames[c]}` };
    }
    const [i, j] = near(a, b).map((place) => order[place]);
    if (i === j) return { what: { node: i }, text: nodeText(i) };
    const k = pairOf(i, j);
    return k < 0 ? { what: null, text: `${names[i]} – ${names[j]}: not tested` } : { what: { pair: k }, text: pairTold(k) };
  };
  const point = (event, act) => {
    if (!g) return;
    const { what, text } = under(event);
    act(what);
    if (text) tip(event, text);
    else hideTip();
  };
  canvas.addEventListener("pointermove", (event) => { if (event.pointerType !== "touch") point(event, hover); });
  canvas.addEventListener("pointerleave", () => { hover(null); hideTip(); });
  canvas.addEventListener("click", (event) => point(event, (what) => { if (what || state.selected) select(what); }));

  $("heat-all").addEventListener("change", (event) => { wanted = event.target.checked; show(); remember(); });
  keep("squares", () => (wanted === null ? "" : String(Number(wanted))), (text) => { if (/^[01]$/.test(text)) wanted = text === "1"; });
  // Files are as wide as the page shows it at most, so that names are in them on a phone too.
  $("heat-svg").addEventListener("click", () => {
    const whole = geometry(WIDEST, 1);
    const pen = svgPen(whole.width, whole.height);
    paint(pen, whole);
    save(new Blob([new XMLSerializer().serializeToString(pen.root)], { type: "image/svg+xml" }), "partial-correlations.svg");
  });
  $("heat-png").addEventListener("click", () => {
    const whole = geometry(WIDEST, 3);
    const board = make("canvas");
    [board.width, board.height] = [whole.width * 3, whole.height * 3];
    const context = board.getContext("2d");
    context.scale(3, 3);
    paint(canvasPen(context), whole);
    board.toBlob((blob) => save(blob, "partial-correlations.png"), "image/png");
  });
  mixColours();
  fit();
  const changed = whenSeen(canvas.parentElement, show);
  part({ draw: changed, light });
})();
