// The table of edges: sorted, searched, in pages; on paper every edge.
{
  // A telephone has room for short names, and for fewer rows before the next figure.
  const telephone = matchMedia("screen and (max-width: 40rem)");
  const pageSize = () => (telephone.matches ? 20 : 50);
  const listed = { search: "", all: false, page: 0, sort: "rho", descending: true, onPaper: false };
  const box = $("table").parentElement;
  let order = [];
  let rowOf = new Map();
  let headed = null;
  let revealed = null;

  const collator = new Intl.Collator("en", { numeric: true });
  const alphabetical = new Uint16Array(p);
  names.map((_, i) => i).sort((a, b) => collator.compare(names[a], names[b]) || a - b).forEach((i, rank) => { alphabetical[i] = rank; });
  const nameCell = (i) => {
    const cell = make("td");
    cell.append(chip(communities[i]), telephone.matches && !listed.onPaper ? labels[i] : names[i]);
    return cell;
  };
  const numberCell = (text) => make("td", text, "right number");
  const logp = () => effects[state.effect].logp;
  const columns = [
    { key: "source", label: () => "variable", rank: (k) => alphabetical[first[k]], cell: (k) => nameCell(first[k]) },
    { key: "target", label: () => "variable", rank: (k) => alphabetical[second[k]], cell: (k) => nameCell(second[k]) },
    { key: "rho", label: () => "partial correlation", rank: (k) => Math.abs(rho[k]), cell: (k) => rhoCell("td", rho[k]) },
    { key: "interval", label: () => test.intervalLabel, rank: (k) => high[k] - low[k], cell: (k) => numberCell(interval(k)) },
    { key: "p", label: () => "p-value", rank: (k) => logp()[k], cell: (k) => numberCell(probability(logp()[k])) },
    { key: "adjusted", label: () => "adjusted p", rank: (k) => adjusted()[k], cell: (k) => numberCell(probability(adjusted()[k])) },
  ];
  // On paper, two pairs beside each other leave no room for the p-values before their adjustment.
  let twice = false;
  const used = () => columns.filter(({ key }) => (low || key !== "interval") && !(twice && key === "p"));

  const sorted = (found) => {
    if (listed.sort === "rho" && listed.descending) return found;
    const { rank } = used().find(({ key }) => key === listed.sort) || columns[2];
    const ranks = new Float64Array(m);
    for (const k of found) ranks[k] = rank(k);
    const sign = listed.descending ? -1 : 1;
    return found.slice().sort((a, b) => sign * (ranks[a] - ranks[b]) || a - b);
  };
  const needle = () => listed.search.trim().toLowerCase();
  const wanted = () => {
    if (listed.onPaper) return sorted(state.edges);
    const pool = listed.all ? byStrength : state.edges;
    if (!needle()) return sorted(pool);
    const hit = names.map((name) => name.toLowerCase().includes(needle()));
    return sorted(pool.filter((k) => hit[first[k]] || hit[second[k]]));
  };

  const sortButton = (key, label) => {
    const made = button(label, () => {
      listed.descending = listed.sort === key ? !listed.descending : key === "rho";
      listed.sort = key;
      turn(0);
    });
    made.append(make("span"));
    return made;
  };
  const head = () => {
    if (headed === test && !listed.onPaper) return;
    headed = listed.onPaper ? null : test;
    const cells = (twice ? [...used(), ...used()] : used()).map(({ key, label }) => {
      const cell = make("th", undefined, `${key}${key === "source" || key === "target" ? "" : " right"}`);
      cell.scope = "col";
      cell.setAttribute("role", "columnheader");
      // Only headings without buttons come again on each sheet of paper.
      cell.append(listed.onPaper ? label() : sortButton(key, label()));
      return cell;
    });
    $("headings").replaceChildren(...cells);
  };
  const tellOrder = () => [...$("headings").children].forEach((cell, c) => {
    const is = used()[c].key === listed.sort;
    cell.setAttribute("aria-sort", is ? (listed.descending ? "descending" : "ascending") : "none");
    cell.querySelector("span").textContent = is ? (listed.descending ? " ↓" : " ↑") : "";
  });
  const row = (k) => {
    const made = make("tr", undefined, state.isEdge[k] ? "" : "no");
    made.dataset.pair = k;
    made.tabIndex = -1;
    made.setAttribute("role", "row");
    for (const { key, cell } of used()) {
      const one = cell(k);
      one.classList.add(key);
      one.setAttribute("role", "cell");
      made.append(one);
    }
    return made;
  };
  const nothing = () => {
    if (!needle() || listed.onPaper) return "No pair is an edge at this level.";
    return `No ${listed.all ? "pair" : "edge"} has “${listed.search.trim()}” in one of its names.`;
  };
  // On paper, short names leave room for two pairs in a row.
  const MOST_LETTERS = 11;
  const isShort = (i) => names[i].length <= MOST_LETTERS;
  const rowsOf = (here) => {
    rowOf = new Map(here.map((k) => [k, row(k)]));
    if (!twice) return [...rowOf.values()];
    return here.filter((_, at) => at % 2 === 0).map((k, at) => {
      const made = rowOf.get(k);
      const beside = rowOf.get(here[2 * at + 1]);
      if (beside) made.append(...beside.children);
      return made;
    });
  };
  const fill = () => {
    order = wanted();
    const size = pageSize();
    const last = Math.max(0, Math.ceil(order.length / size) - 1);
    if (!listed.onPaper) listed.page = Math.min(listed.page, last);
    const from = listed.page * size;
    const here = listed.onPaper ? order : order.slice(from, from + size);
    twice = listed.onPaper && here.length > 12 && here.every((k) => isShort(first[k]) && isShort(second[k]));
    box.classList.toggle("two", twice);
    head();
    $("rows").replaceChildren(...rowsOf(here));
    if (here.length) rowOf.get(here[0]).tabIndex = 0;
    box.hidden = !here.length;
    $("nothing").hidden = Boolean(here.length);
    $("nothing").textContent = here.length ? "" : nothing();
    $("page").textContent = `${here.length ? from + 1 : 0}–${Math.min(from + size, order.length)} of ${order.length.toLocaleString("en")}`;
    $("page").parentElement.hidden = !last;
    $("previous").disabled = listed.page === 0;
    $("next").disabled = listed.page >= last;
    tellDownload();
    if (!listed.onPaper) tellOrder();
  };
  const turn = (page) => {
    listed.page = page;
    box.style.minHeight = "";
    box.scrollTop = 0;
    fill();
    light();
    remember();
  };

  // ---- linked with everything else: what is lit elsewhere is lit here, and the other way round ----------
  const chosenPair = () => state.selected?.pair;
  const light = () => {
    for (const [k, made] of rowOf) {
      made.classList.toggle("lit", Boolean(focus) && focus.pairs.has(k));
      if (k === chosenPair()) made.setAttribute("aria-current", "true");
      else made.removeAttribute("aria-current");
    }
    if (chosenPair() === revealed) return;
    revealed = chosenPair();
    if (revealed !== undefined) reveal(revealed);
  };
  // Turn to a row that was selected elsewhere. Only the table moves: the page keeps its height and place.
  const reveal = (k) => {
    const at = order.indexOf(k);
    if (at < 0 || listed.onPaper) return;
    if (!rowOf.has(k)) {
      const height = box.offsetHeight;
      turn(Math.floor(at / pageSize()));
      box.style.minHeight = `${height}px`;
    }
    const [seen, inside] = [box.getBoundingClientRect(), rowOf.get(k).getBoundingClientRect()];
    const above = inside.top - seen.top - $("headings").offsetHeight;
    if (above < 0) box.scrollTop += above;
    else if (inside.bottom > seen.bottom) box.scrollTop += inside.bottom - seen.bottom;
  };
  const pairAt = (event) => { const made = event.target.closest("tr"); return made && { pair: Number(made.dataset.pair) }; };
  const pick = (event) => {
    const what = pairAt(event);
    if (!what) return;
    revealed = what.pair;
    select(what);
    if (!state.selected) revealed = null;
  };
  const move = (event) => {
    const made = event.target.closest("tr");
    const to = { ArrowDown: made?.nextElementSibling, ArrowUp: made?.previousElementSibling, Home: $("rows").firstElementChild, End: $("rows").lastElementChild }[event.key];
    if (event.key === "Enter" || event.key === " ") pick(event);
    else if (to) to.focus();
    else return;
    event.preventDefault();
  };
  $("rows").addEventListener("click", pick);
  $("rows").addEventListener("keydown", move);
  $("rows").addEventListener("pointerover", (event) => hover(pairAt(event)));
  $("rows").addEventListener("pointerleave", () => hover(null));
  $("rows").addEventListener("focusin", (event) => {
    for (const made of rowOf.values()) made.tabIndex = -1;
    event.target.closest("tr").tabIndex = 0;
    if (event.target.matches(":focus-visible")) hover(pairAt(event));
  });
  $("rows").addEventListener("focusout", () => hover(null));

  // ---- the file -----------------------------------------------------------------------------------------
  const tellDownload = () => {
    const n = order.length;
    const all = n === 1 ? `the ${listed.all ? "pair" : "edge"}` : `all ${count(n, listed.all ? "pair" : "edge")}`;
    const what = needle() ? `${n === 1 ? "this" : "these"} ${count(n, "row")}` : all;
    $("download").textContent = n ? `Download ${what} as CSV` : "Nothing to download";
    $("download").disabled = !n;
  };
  // A spreadsheet must not read a name as a formula, and a comma or a quote is part of the name.
  const csvName = (name) => {
    const safe = /^[=+\-@\t\r\n＝＋－＠]/.test(name) ? `'${name}` : name;
    return /[",#\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  // Below this, a floating-point number cannot hold a p-value in full.
  const LEAST = Math.log(2.3e-308);
  $("download").addEventListener("click", () => {
    const adj = adjusted();
    const tiny = logp().some((v) => v < LEAST);
    const heading = ["source", "target", "partial_correlation", ...(low ? ["interval_low", "interval_high"] : []), "pvalue", "adjusted_pvalue", ...(tiny ? ["log_pvalue", "log_adjusted_pvalue"] : []), "reject"];
    const ends = (k) => (low ? [low[k].toPrecision(7), high[k].toPrecision(7)] : []);
    const logs = (k) => (tiny ? [logp()[k], adj[k]] : []);
    const line = (k) => [csvName(names[first[k]]), csvName(names[second[k]]), rho[k].toPrecision(7), ...ends(k), Math.exp(logp()[k]), Math.exp(adj[k]), ...logs(k), Boolean(state.isEdge[k])].join(",");
    save(new Blob([`${[heading.join(","), ...order.map(line)].join("\r\n")}\r\n`], { type: "text/csv" }), "edges.csv");
  });

  $("search").addEventListener("input", (event) => { listed.search = event.target.value; turn(0); });
  $("all").addEventListener("change", (event) => { listed.all = event.target.checked; turn(0); });
  $("previous").addEventListener("click", () => turn(listed.page - 1));
  $("next").addEventListener("click", () => turn(listed.page + 1));
  const paper = (is) => () => { listed.onPaper = is; fill(); light(); };
  telephone.addEventListener("change", () => turn(0));
  addEventListener("beforeprint", paper(true));
  addEventListener("afterprint", paper(false));
  keep("search", () => listed.search, (text) => { $("search").value = listed.search = text.slice(0, 100); });
  keep("pairs", () => (listed.all ? "all" : ""), (text) => { $("all").checked = listed.all = text === "all"; });
  keep("sort", () => (listed.sort === "rho" && listed.descending ? "" : `${listed.sort}.${listed.descending ? "down" : "up"}`), (text) => {
    const [key, way] = text.split(".");
    if (columns.some((column) => column.key === key)) Object.assign(listed, { sort: key, descending: way !== "up" });
  });
  part({ draw: fill, light });
}
