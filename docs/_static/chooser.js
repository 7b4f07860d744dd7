/* Four questions that end in a method and a line of code. Without JavaScript the page has its table. */
(() => {
  const place = document.getElementById("chooser");
  if (!place) return;

  const QUESTIONS = [
    {
      name: "rows",
      text: "Are your rows independent?",
      answers: [
        ["independent", "Yes: people, cells, samples"],
        ["time", "No: they follow each other in time"],
        ["clusters", "No: several belong to one person or site"],
      ],
    },
    {
      name: "size",
      text: "How many rows are there?",
      answers: [
        ["many", "Three or more for each column"],
        ["few", "Fewer than that"],
        ["stream", "Too many to read twice"],
      ],
    },
    {
      name: "values",
      text: "What are the values like?",
      answers: [
        ["numbers", "Numbers of any kind, also skewed"],
        ["wild", "Some rows are huge, or units arbitrary"],
        ["missing", "Some are missing"],
      ],
    },
    {
      name: "promise",
      text: "Which error do you want to control?",
      answers: [
        ["none", "Any false edge (family-wise)"],
        ["some", "The share of false edges (FDR)"],
        ["again", "Any false edge, at every look"],
      ],
    },
  ];

  // What each method is good for, and the page that says more.
  const METHODS = {
    score: ["It assumes no distribution. The default chooses it for such rows.", "theory/per-edge.html#score"],
    batch: ["It allows rows to depend on the rows before them, and reads them once.", "theory/per-edge.html#batch"],
    kendall: ["It uses only the order of the values, so that no row is too large.", "theory/ranks.html"],
    nodewise: ["It adjusts each pair for a few columns only, and assumes a sparse graph.", "theory/nodewise.html"],
    ConfidenceSequence: ["It makes one promise for all looks together.", "howto/sequential.html"],
  };

  function choose({ rows, size, values, promise }) {
    const options = [];
    const notes = [];
    if (promise === "again") {
      if (rows === "clusters") notes.push("It knows no clusters: give it one row for each person, the means.");
      if (size === "few") notes.push("It needs more rows than columns before the first look.");
      if (values === "wild") notes.push("Huge rows make it find little. Clip the values at limits that you fix beforehand.");
      if (values === "missing") notes.push("It needs complete rows: leave the others out.");
      return {
        method: "ConfidenceSequence",
        code: "sequence = ew.ConfidenceSequence(tuned_for=2000)\nresult = sequence.update(rows).result()  # after each batch of rows",
        notes,
      };
    }
    let method = "score";
    if (rows === "clusters") {
      options.push('clusters="person"');
      notes.push("There should be 20 persons or more; the column “person” says which rows belong together.");
      if (size === "few") notes.push("There must be more rows than columns: choose the columns of your question.");
      if (values === "wild") options.push('transform="normal-scores"');
      if (values === "missing") {
        options.push('missing="drop"');
        notes.push("Dropping rows may lose most of them. Or impute several times, and pool the results with ew.pool.");
      }
    } else if (rows === "time" || size === "stream") {
      method = values === "wild" ? "kendall" : "batch";
      if (method === "kendall" && rows === "time") options.push("n_batches=100");
      if (rows === "time") notes.push("If a series wanders, like prices, test its changes.");
      if (size === "few") notes.push("There must be more rows than columns: choose the columns of your question.");
      if (values === "missing") options.push('missing="pairwise"');
    } else if (size === "few") {
      method = "nodewise";
      if (values === "wild") options.push('transform="normal-scores"');
      if (values === "missing") {
        options.push('missing="drop"');
        notes.push("Dropping rows may lose most of them. Or impute several times, and pool the results with ew.pool.");
      }
    } else if (values === "wild") {
      method = "kendall";
      notes.push("Run the default beside it: it keeps its promise on such rows, but finds less.");
    } else if (values === "missing") {
      options.push('missing="pairwise"');
      notes.push("If other columns decide whether a value is missing, impute several times, and pool the results with ew.pool.");
    }
    if (method !== "score") options.unshift(`method="${method}"`);
    if (promise === "some") options.push('correction="bh"');
    return { method, code: `result = ew.edge_test(${["data", ...options].join(", ")})`, notes };
  }

  const make = (tag, attributes = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), attributes);
    element.append(...children);
    return element;
  };

  const form = make("form", { className: "chooser" });
  QUESTIONS.forEach(({ name, text, answers }, number) => {
    const field = make("fieldset", {}, make("legend", {}, `${number + 1}. ${text}`));
    answers.forEach(([value, words], first) => {
      const button = make("input", { type: "radio", name, value, checked: first === 0 });
      field.append(make("label", {}, button, make("span", {}, words)));
    });
    form.append(field);
  });
  const answer = make("div", { className: "chosen" });
  answer.setAttribute("aria-live", "polite");
  place.append(form, answer);

  const show = () => {
    const { method, code, notes } = choose(Object.fromEntries(new FormData(form)));
    const [why, page] = METHODS[method];
    answer.replaceChildren(
      make("p", {}, "Use ", make("strong", {}, make("code", {}, method)), `. ${why} `, make("a", { href: page }, "How it works")),
      make("pre", { tabIndex: 0 }, make("code", {}, `import edgewise as ew\n\n${code}`)),
      ...notes.map((note) => make("p", { className: "note" }, note)),
    );
  };
  form.addEventListener("change", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
  // The table says the same in more cases: now there for those who open it.
  document.querySelector("details.cases")?.removeAttribute("open");
})();
