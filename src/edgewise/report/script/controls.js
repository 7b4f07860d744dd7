// The bar that says what is called an edge, and the sentences that depend on it.
const logLow = Math.log(data.smallestAlpha);
const logHigh = Math.log(data.largestAlpha);
const sliderToAlpha = (v) => Math.exp(logLow + ((logHigh - logLow) * v) / 1000);
const alphaToSlider = (a) => Math.round((1000 * (Math.log(a) - logLow)) / (logHigh - logLow));

const promise = () => {
  const text = data.promises[test.bound ? "bound" : state.correction] || "";
  return text.replace("{alpha}", rounded(state.alpha)).replace("{percent}", rounded(100 * state.alpha));
};
const tellCount = () => {
  const n = state.edges.length;
  const effect = effects[state.effect].value;
  const beyond = effect ? ` with |partial correlation| above ${effect}` : "";
  const of = `${n.toLocaleString("en")} of ${count(m, "pair")}`;
  $("count").textContent = `${of} ${n === 1 ? "is an edge" : "are edges"}${beyond} at α = ${rounded(state.alpha)}`;
  const promised = n ? ` ${test.broken || promise()}` : "";
  $("answer").textContent = `${of} ${n === 1 ? "is" : "are"} connected${beyond}.${promised}`;
  $("tile-edges").textContent = n.toLocaleString("en");
  const top = state.edges[0];
  $("tile-strongest").textContent = n ? signed(rho[top], 2) : "–";
  $("tile-strongest-pair").textContent = n ? shortPair(top) : "no edge at this level";
  $("looking").hidden = asTested();
};

const update = () => {
  const began = performance.now();
  decide();
  tellCount();
  focus = focused();
  for (const one of parts) one.draw?.();
  for (const one of parts) one.light?.();
  document.documentElement.dataset.updateMs = (performance.now() - began).toFixed(1);
  remember();
};

const option = (choice, value, label) => {
  const made = make("option", label);
  made.value = value;
  choice.append(made);
};
const CORRECTIONS = {
  maxt: "max-|T| (family-wise)",
  holm: "Holm (family-wise)",
  bonferroni: "Bonferroni (family-wise)",
  bh: "Benjamini–Hochberg (FDR)",
  by: "Benjamini–Yekutieli (FDR)",
  none: "none",
};
const allowed = () => (test.bound ? ["none"] : Object.keys(CORRECTIONS).filter((c) => c !== "maxt" || (maxt && state.effect === test.effect)));
const fillCorrections = () => {
  const choice = $("correction");
  choice.replaceChildren();
  for (const one of allowed()) option(choice, one, test.bound ? "none needed: one bound for all pairs" : CORRECTIONS[one]);
  if (!allowed().includes(state.correction)) state.correction = choice.options[0].value;
  choice.value = state.correction;
  choice.disabled = test.bound;
};
const fillEffects = () => {
  $("effect").replaceChildren();
  effects.forEach((e, k) => option($("effect"), String(k), e.label));
  $("effect").value = String(state.effect);
  $("effect").disabled = effects.length === 1;
};
$("effect").addEventListener("change", (event) => { state.effect = Number(event.target.value); fillCorrections(); update(); });
$("correction").addEventListener("change", (event) => { state.correction = event.target.value; update(); });
$("alpha").addEventListener("input", (event) => {
  $("alpha-number").value = sliderToAlpha(Number(event.target.value)).toPrecision(3);
  // What the box shows is what is tested.
  state.alpha = Number($("alpha-number").value);
  update();
});
const setAlpha = (typed) => {
  if (!(typed > 0 && typed <= data.largestAlpha)) return false;
  state.alpha = typed;
  $("alpha").value = String(alphaToSlider(typed));
  $("alpha-number").value = String(typed);
  return true;
};
$("alpha-number").addEventListener("change", (event) => {
  const box = event.target;
  const right = setAlpha(Number(box.value));
  box.setCustomValidity(right ? "" : `Choose a level above 0, up to ${data.largestAlpha}.`);
  if (right) update();
  else box.reportValidity();
});
$("alpha-number").addEventListener("input", (event) => event.target.setCustomValidity(""));
const backToTested = (which) => {
  state.test = which;
  useTest(which);
  state.correction = test.correction;
  state.effect = test.effect;
  fillEffects();
  fillCorrections();
  setAlpha(data.alpha);
  document.documentElement.dataset.test = String(which);
  for (const one of document.querySelectorAll("[data-of-test]")) one.hidden = Number(one.dataset.ofTest) !== which;
};
$("as-tested").addEventListener("click", () => { backToTested(0); update(); });
for (const one of document.querySelectorAll("[data-show-test]"))
  one.addEventListener("click", () => { backToTested(Number(one.dataset.showTest)); update(); });
$("more").addEventListener("click", () => {
  const open = $("controls").classList.toggle("open");
  $("more").setAttribute("aria-expanded", String(open));
  $("more").textContent = open ? "Less" : "More";
});
$("controls").addEventListener("submit", (event) => event.preventDefault());
$("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  update();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => update());

keep("test", () => (state.test ? String(state.test) : ""), (text) => { if (whole(text, data.tests.length) > 0) backToTested(whole(text, data.tests.length)); });
keep("alpha", () => (state.alpha === data.alpha ? "" : String(state.alpha)), (text) => setAlpha(Number(text)));
keep("effect", () => (state.effect === test.effect ? "" : String(state.effect)), (text) => { if (whole(text, effects.length) >= 0) state.effect = whole(text, effects.length); fillEffects(); fillCorrections(); });
keep("correction", () => (state.correction === test.correction ? "" : state.correction), (text) => { if (allowed().includes(text)) { state.correction = text; fillCorrections(); } });
