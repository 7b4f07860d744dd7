// Which method finds which edge: a row for each pair, a column for each method.
(() => {
  const { linked, rowName } = pictures;
  const box = $("agreement");
  const told = data.agreement;
  if (!box || !told || !told.pairs.length) return;
  const { methods, pairs, found } = told;
  const STEP = 40;
  let shown = STEP;
  const own = methods.indexOf(data.tests[0].method);
  const finders = pairs.map((_, at) => found.reduce((sum, row) => sum + Number(row[at] === "1"), 0));
  const totals = found.map((row) => row.split("1").length - 1);
  const able = totals.filter(Boolean).length;

  const summary = () => {
    const all = finders.filter((n) => n === able).length;
    const one = finders.filter((n) => n === 1).length;
    const of = told.more ? `Of the ${pairs.length.toLocaleString("en")} strongest pairs that some method calls an edge` : `Of the ${count(pairs.length, "pair")} that some method calls an edge`;
    const idle = methods.length - able;
    const rest = idle ? ` ${idle === 1 ? "One method finds" : `${idle} methods find`} no edge in these data.` : "";
    if (able === 1) return `Only ${methods[totals.findIndex(Boolean)]} finds any edge: ${count(pairs.length, "pair")}.${rest}`;
    if (all === pairs.length && !told.more) return `${idle ? `All ${able} methods that find any edge` : `All ${able} methods`} find the same ${count(all, "pair")}.${rest}`;
    return `${of}, ${all.toLocaleString("en")} ${all === 1 ? "is" : "are"} found by ${idle ? `all ${able} methods that find any` : `all ${able} methods`}, and ${one.toLocaleString("en")} by only one.${rest}`;
  };
  const cell = (yes) => {
    const made = make("td", undefined, yes ? "yes" : "no");
    made.append(make("i"), make("span", yes ? "edge" : "no edge", "visually-hidden"));
    return made;
  };
  const heading = (text, at) => {
    const made = make("th", undefined, at === own ? "own" : "");
    made.scope = "col";
    made.append(make("span", text));
    return made;
  };
  const line = (k, at) => {
    const row = make("tr");
    row.dataset.pair = k;
    row.append(rowName(shortPair(k), pairText(k)), ...found.map((bits) => cell(bits[at] === "1")));
    linked(row, { pair: k }, () => `${pairText(k)}: ${count(finders[at], "method")} of ${methods.length}`);
    return row;
  };
  const foot = () => {
    const row = make("tr");
    const name = make("th", told.more ? `of ${pairs.length.toLocaleString("en")} pairs` : "edges in all");
    name.scope = "row";
    row.append(name, ...totals.map((n) => make("td", n.toLocaleString("en"), "number")));
    const made = make("tfoot");
    made.append(row);
    return made;
  };
  const table = make("table", undefined, "methods");
  table.setAttribute("aria-labelledby", "agreement-title");
  const heads = make("tr");
  heads.append(make("td"), ...methods.map(heading));
  const top = make("thead");
  top.append(heads);
  const body = make("tbody");
  table.append(top, body, foot());
  $("agreement-table").append(table);
  $("agreement-first").textContent = summary();
  const more = button("", () => { shown = shown < pairs.length ? pairs.length : STEP; show(); light(); });
  $("agreement-table").after(more);
  const show = () => {
    body.replaceChildren(...pairs.slice(0, shown).map(line));
    more.hidden = pairs.length <= STEP;
    more.textContent = shown < pairs.length ? `All ${pairs.length.toLocaleString("en")} pairs` : `Only the first ${STEP}`;
  };
  const light = () => {
    for (const row of body.rows) row.classList.toggle("lit", Boolean(focus && focus.pairs.has(Number(row.dataset.pair))));
  };
  box.hidden = false;
  show();
  part({ light });
})();
