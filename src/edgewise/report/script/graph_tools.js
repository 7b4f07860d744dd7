// The graph: its legend, its key of widths, and what a reader can choose to see of it.
const KEY = [0.05, 0.1, 0.3, 0.6];
const LINK_KEY = [0.5, 2, 8];
const swatch = (c) => draw("svg", { class: "swatch", viewBox: "0 0 12 12", "aria-hidden": "true" }, draw("circle", { cx: 6, cy: 6, r: 5, fill: `var(${colourName(c)})`, stroke: "var(--node-line)" }));
const legendButtons = data.communityNames.map((name, c) => {
  const made = button("", () => select({ community: c }), "community");
  made.append(swatch(c), make("span", name));
  made.title = superText(c);
  made.addEventListener("pointerenter", () => hover({ community: c }));
  made.addEventListener("pointerleave", () => hover(null));
  return made;
});
$("legend").append(...legendButtons);
if (communities.includes(-1)) {
  const rest = make("em");
  rest.append(swatch(-1), make("span", legendButtons.length ? "no edge as tested" : "No edges, so no communities."));
  $("legend").append(rest);
}
$("legend").hidden = !$("legend").childElementCount;

// Lines as wide as in the graph, with the strength beside each; negative ones are dashed.
const keyShapes = () => {
  const made = [];
  let x = 0;
  const text = (told, wide) => { made.push({ text: told, x, y: 12 }); x += wide; };
  const stroke = (width, colour, dash) => { made.push({ path: `M${x},8h26`, width, colour, dash }); x += 30; };
  if (scene.supers.length) {
    text("sum of |ρ|:", 64);
    for (const sum of LINK_KEY) { stroke(linkWidth(sum), "--soft", null); text(String(sum), 26); }
    return { shapes: made, wide: x };
  }
  for (const r of KEY) { stroke(edgeWidth(r), "--positive", null); text(String(r), 30); }
  for (const r of [0.3]) { stroke(edgeWidth(r), "--negative", dashes(edgeWidth(r))); text("negative", 52); }
  return { shapes: made, wide: x };
};
const keyElements = (colourOf) => keyShapes().shapes.map(({ text, x, y, path, width, colour, dash }) => {
  if (path) return draw("path", { d: path, fill: "none", stroke: colourOf(colour), "stroke-width": width.toFixed(2), "stroke-dasharray": dashText(dash) });
  return pictureText(text, { x, y, "font-size": 11, fill: colourOf("--soft") });
});
const tellKey = () => {
  const { wide } = keyShapes();
  setAll($("key"), { viewBox: `0 0 ${wide} 16`, width: String(wide), height: "16" });
  $("key").replaceChildren(...keyElements((name) => `var(${name})`));
};
const tellDrawn = () => {
  const all = state.edges.length;
  const lines = scene.lines.filter((line) => !line.pairs).length;
  const of = `${lines.toLocaleString("en")} of ${count(all, "edge")}`;
  let told = all > 1 ? `All ${count(all, "edge")} are drawn.` : all ? "The one edge is drawn." : "No edges at this level.";
  if (lines < all) told = `${lines === state.top && !state.selected ? "The strongest " : ""}${of} drawn; the table has all.`;
  if (inNeighbourhood()) told = `${count(scene.nodes.length, "variable")} within ${count(state.hops, "step")}, ${of}.`;
  else if (scene.supers.length) told = `${count(scene.supers.length, "community", "communities")} as nodes: click one to open it.`;
  else if (state.hops) told = "Select a variable to see what is around it.";
  $("drawn").textContent = told;
};

const choice = (id, values, read, change) => {
  for (const [value, label] of values) option($(id), value, label);
  $(id).addEventListener("change", (event) => { change(event.target.value); redraw(); });
  return () => { $(id).value = read(); };
};
const TOPS = ["50", "100", "200", "600", "2000", "all"];
const asTop = (text) => (text === "all" ? Infinity : Number(text));
const topText = () => (state.top === Infinity ? "all" : String(state.top));
const showTop = choice("top", TOPS.map((value) => [value, value === "all" ? "all edges" : `top ${value}`]), topText, (value) => { state.top = asTop(value); });
const showHops = choice("hops", [["0", "whole graph"], ["1", "1 step around"], ["2", "2 steps around"]], () => String(state.hops), (value) => { state.hops = Number(value); aim(); });
// In a neighbourhood the picture holds what is left of the graph.
let aimed = "";
let looked = null;
const aim = () => {
  const key = inNeighbourhood() ? sceneKey() : "";
  if (key === aimed) return lookAt();
  aimed = key;
  if (!key) showAll();
  else {
    const as = shownAs(shownEdges(Infinity));
    showOnly([...as.keys()].filter((i) => as[i]));
  }
};
// What is selected elsewhere comes into sight.
const lookAt = () => {
  const node = state.selected?.node;
  if (node === looked) return;
  looked = node;
  if (node === undefined) return;
  const [x, y] = onScreen(place[node]);
  if (x > 0 && y > 0 && x < size.w && y < size.h) return;
  [view.x, view.y] = place[node];
  scene.key = "";
};
$("least").max = String(Math.max(0.1, Math.ceil(100 * strongest) / 100));
const showLeast = () => { $("least").value = String(state.least); $("least-number").textContent = state.least.toFixed(2); };
$("least").addEventListener("input", (event) => { state.least = Number(event.target.value); redraw(); });
$("collapse").addEventListener("change", (event) => { state.collapsed = event.target.checked; redraw(); });
$("collapse-box").hidden = data.communityNames.length < 2;
const showChoices = () => {
  showTop();
  showHops();
  showLeast();
  $("collapse").checked = state.collapsed;
  legendButtons.forEach((made, c) => {
    made.setAttribute("aria-pressed", String(Boolean(state.selected) && state.selected.community === c));
    made.classList.toggle("faded", Boolean(focus) && focus.by.community !== c && !members[c].some((i) => focus.nodes.has(i)));
  });
};

// ---- a variable by its name -------------------------------------------------------------------------
$("find").hidden = !onCanvas;
$("find").addEventListener("focus", () => {
  if ($("found").childElementCount) return;
  for (const name of names) option($("found"), name);
}, { once: true });
$("find").addEventListener("change", (event) => {
  const wanted = event.target.value.trim().toLowerCase();
  if (!wanted) return select(null);
  const fits = (test) => names.findIndex((name, i) => test(name.toLowerCase()) || test(labels[i].toLowerCase()));
  const exact = fits((name) => name.trim() === wanted);
  const i = exact >= 0 ? exact : fits((name) => name.includes(wanted));
  event.target.setCustomValidity(i < 0 ? "No variable has this name." : "");
  if (i < 0) return event.target.reportValidity();
  if (!same(state.selected, { node: i })) select({ node: i });
});
$("find").addEventListener("input", (event) => event.target.setCustomValidity(""));

// ---- in the address ---------------------------------------------------------------------------------
const usual = { top: state.top, collapsed: state.collapsed };
keep("least", () => (state.least ? String(state.least) : ""), (text) => { if (Number(text) >= 0 && Number(text) <= 1) state.least = Number(text); });
keep("top", () => (state.top === usual.top ? "" : topText()), (text) => { if (TOPS.includes(text)) state.top = asTop(text); });
keep("hops", () => (state.hops ? String(state.hops) : ""), (text) => { if (whole(text, 3) >= 0) state.hops = whole(text, 3); });
keep("collapsed", () => (state.collapsed === usual.collapsed ? "" : String(Number(state.collapsed))), (text) => { if (whole(text, 2) >= 0 && data.communityNames.length > 1) state.collapsed = text === "1"; });
keep(
  "zoom",
  () => (view.k === 1 && view.x === 0.5 && view.y === 0.5 ? "" : [view.k, view.x, view.y].map((v) => v.toFixed(3)).join("_")),
  (text) => {
    const [k, x, y] = text.split("_").map(Number);
    if (k >= 0.5 && k <= 20 && Math.abs(x) <= 9 && Math.abs(y) <= 9) Object.assign(view, { k, x, y });
    aimed = inNeighbourhood() ? sceneKey() : "";
  },
);
