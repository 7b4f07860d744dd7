// If no edge was found: which partial correlation these rows would have shown, and what more would.
(() => {
  const told = data.detectable;
  if (!told) return;
  const { whenSeen, roundTicks, textWidth } = pictures;
  const box = $("detectable");
  const HEIGHT = 260;
  const [LEFT, RIGHT, TOP, BOTTOM] = [44, 14, 30, 40];
  const rowsText = (n) => (n >= 1e6 ? `${n / 1e6} M` : n.toLocaleString("en"));
  const show = () => {
    const wide = Math.min(640, box.clientWidth);
    const spans = [Math.min(...told.rows, told.ownRows), Math.max(...told.rows, told.ownRows)].map(Math.log);
    const top = Math.min(1, Math.max(...told.effects, told.ownEffect) * 1.08);
    const x = (n) => LEFT + ((wide - LEFT - RIGHT) * (Math.log(n) - spans[0])) / (spans[1] - spans[0]);
    const y = (v) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - v / top);
    const text = (at, content, attributes) => {
      const made = draw("text", { x: at[0], y: at[1], ...attributes });
      made.textContent = content;
      return made;
    };
    const own = `You are here: ${told.ownRows.toLocaleString("en")} rows see ${told.ownEffect.toFixed(2)}`;
    const svg = draw("svg", { class: "curve", width: wide, height: HEIGHT, role: "img", "aria-label": `${own}. More rows see less.` });
    for (const v of roundTicks(top)) {
      svg.append(draw("line", { class: "rule", x1: LEFT, x2: wide - RIGHT, y1: y(v), y2: y(v) }));
      svg.append(text([LEFT - 6, y(v) + 4], String(v), { "text-anchor": "end" }));
    }
    const powers = [];
    for (let power = 1; power < 1e9; power *= 10) for (const lead of [1, 2, 5]) powers.push(lead * power);
    const inside = powers.filter((n) => Math.log(n) >= spans[0] - 1e-9 && Math.log(n) <= spans[1] + 1e-9);
    // Only the round ones where there are many, or little room.
    const sparse = inside.length > wide / 55 ? inside.filter((n) => String(n)[0] === "1") : inside;
    for (const n of sparse) {
      svg.append(draw("line", { class: "tick", x1: x(n), x2: x(n), y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM + 4 }));
      svg.append(text([x(n), HEIGHT - BOTTOM + 17], rowsText(n), { "text-anchor": "middle" }));
    }
    svg.append(text([0, 12], "smallest |partial correlation| that is found", {}));
    svg.append(text([(LEFT + wide - RIGHT) / 2, HEIGHT - 4], "rows", { "text-anchor": "middle" }));
    svg.append(draw("path", { d: told.rows.map((n, at) => `${at ? "L" : "M"}${x(n).toFixed(1)} ${y(told.effects[at]).toFixed(1)}`).join("") }));
    const [hereX, hereY] = [x(told.ownRows), y(told.ownEffect)];
    svg.append(draw("line", { class: "here", x1: hereX, x2: hereX, y1: hereY, y2: HEIGHT - BOTTOM }));
    svg.append(draw("line", { class: "here", x1: LEFT, x2: hereX, y1: hereY, y2: hereY }));
    svg.append(draw("circle", { cx: hereX, cy: hereY, r: 6 }));
    // The curve falls, so there is room to the right above a point of it, or at least in the corner.
    const beside = hereX + 10 + 1.06 * textWidth(own, 14) < wide;
    const place = beside ? [hereX + 10, Math.max(hereY - 12, TOP + 4)] : [wide, TOP + 4];
    if (!beside) svg.append(draw("line", { class: "here", x1: hereX, x2: hereX, y1: hereY - 6, y2: TOP + 10 }));
    svg.append(text(place, own, { class: "here", "text-anchor": beside ? "start" : "end" }));
    box.replaceChildren(svg);
  };
  $("detectable-power").textContent = String(told.power);
  $("detectable-section").hidden = false;
  whenSeen(box, show);
})();
