// The graph as a file: as it is seen, with its legend, in colours that need no style sheet.
const unitShapes = (unit) => {
  const opacity = litUnit(unit) ? 1 : 0.25;
  const chosen = isChosen(unit);
  const circle = draw("circle", { cx: unit.x.toFixed(1), cy: unit.y.toFixed(1), r: unit.r.toFixed(1), fill: resolved(unit.colour), stroke: resolved(chosen ? "--ink" : "--node-line"), "stroke-width": chosen ? 3.5 : Math.min(1.3, 0.3 * unit.r).toFixed(2), opacity });
  if (!unit.inside) return [circle];
  return [circle, pictureText(unit.inside, { x: unit.x.toFixed(1), y: (unit.y + 4).toFixed(1), "text-anchor": "middle", "font-weight": 600, fill: "#1b1f24", opacity })];
};
// Rows of colours and names below the graph; returns how high they are.
const legendShapes = (to) => {
  let [x, y] = [12, size.h + 16];
  pen.font = fontOf(LABEL_FONT);
  data.communityNames.forEach((name, c) => {
    const wide = 30 + pen.measureText(name).width;
    if (x + wide > size.w && x > 12) { x = 12; y += 18; }
    to.append(draw("circle", { cx: x + 5, cy: y - 4, r: 5, fill: resolved(colourName(c)), stroke: resolved("--node-line") }), pictureText(name, { x: x + 14, y, fill: resolved("--soft") }));
    x += wide;
  });
  const below = data.communityNames.length ? y + 8 : size.h;
  const key = draw("g", { transform: `translate(12,${below})` }, ...keyElements(resolved));
  to.append(key);
  return below + 22;
};
const standalone = () => {
  const made = draw("svg", { width: size.w, "font-family": FONTS, "font-size": LABEL_FONT });
  const paper = draw("rect", { width: size.w, fill: resolved("--panel") });
  const clip = draw("clipPath", { id: "frame" }, draw("rect", { width: size.w, height: size.h }));
  const inside = draw("g", { "clip-path": "url(#frame)" });
  inside.append(...scene.hulls.map((hull) => hullElement(hull, resolved)));
  for (const line of [...scene.lines].reverse())
    inside.append(draw("path", { d: line.path, fill: "none", stroke: resolved(line.colour), "stroke-width": line.width.toFixed(2), "stroke-opacity": (line.opacity * (isLit(line) ? 1 : FADED)).toFixed(3), "stroke-dasharray": dashText(line.dash) }));
  for (const unit of [...scene.supers, ...scene.nodes]) inside.append(...unitShapes(unit));
  for (const { unit, x, y, up } of seenLabels())
    inside.append(pictureText(unit.text, { x: x.toFixed(1), y: (y + up).toFixed(1), fill: resolved("--ink"), stroke: resolved("--panel"), "stroke-width": 3, "stroke-linejoin": "round", "paint-order": "stroke", opacity: litUnit(unit) ? 1 : 0.3 }));
  made.append(paper, clip, inside);
  const high = Math.ceil(legendShapes(made));
  setAll(made, { height: String(high), viewBox: `0 0 ${size.w} ${high}` });
  paper.setAttribute("height", high);
  return { made, high };
};
const svgBlob = (made) => new Blob([new XMLSerializer().serializeToString(made)], { type: "image/svg+xml" });
$("save-svg").addEventListener("click", () => save(svgBlob(standalone().made), "graph.svg"));
$("save-png").addEventListener("click", () => {
  const { made, high } = standalone();
  const image = new Image();
  image.addEventListener("load", () => {
    const sheet = make("canvas");
    [sheet.width, sheet.height] = [2 * size.w, 2 * high];
    sheet.getContext("2d").drawImage(image, 0, 0, sheet.width, sheet.height);
    URL.revokeObjectURL(image.src);
    sheet.toBlob((blob) => save(blob, "graph.png"), "image/png");
  });
  image.src = URL.createObjectURL(svgBlob(made));
});
