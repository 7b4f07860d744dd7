// What the figures below the table share: when they are drawn, two kinds of pens, rows that light up.
const pictures = (() => {
  // A figure that nobody sees waits until it comes into view or is printed. `paint` draws it.
  const whenSeen = (box, paint) => {
    let seen = false;
    let stale = true;
    let wide = -1;
    const now = () => { stale = false; wide = box.clientWidth; paint(); };
    const changed = () => { stale = true; if (seen) now(); };
    new IntersectionObserver((all) => { seen = all[all.length - 1].isIntersecting; if (seen && stale) now(); }, { rootMargin: "400px" }).observe(box);
    new ResizeObserver(() => { if (box.clientWidth !== wide) changed(); }).observe(box);
    // Paper is white. What is drawn only when the sheets are laid out stays blank on them.
    addEventListener("beforeprint", () => {
      const { dataset } = document.documentElement;
      const { theme } = dataset;
      dataset.theme = "light";
      now();
      if (theme) dataset.theme = theme;
      else delete dataset.theme;
    });
    addEventListener("afterprint", now);
    return changed;
  };
  // Whoever points at it lights up `what` everywhere; who clicks selects it.
  const linked = (element, what, text) => {
    element.addEventListener("pointerenter", (event) => { if (event.pointerType === "mouse") { hover(what); if (text) tip(event, text()); } });
    element.addEventListener("pointerleave", () => { hover(null); hideTip(); });
    element.addEventListener("click", () => select(what));
  };
  // The name at the start of a row: a button, for those who have no mouse.
  const rowName = (text, title) => {
    const cell = make("th");
    cell.scope = "row";
    const name = button("", () => {}, "name");
    name.append(text);
    name.title = title;
    cell.append(name);
    return cell;
  };
  // A few round numbers from 0 up to `most`, at least `least` apart.
  const roundTicks = (most, least = 0) => {
    const power = 10 ** Math.floor(Math.log10(most / 2));
    const step = [1, 2, 5, 10].map((s) => s * power).find((s) => most / s <= 4 && s >= least);
    return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, k) => Number((k * step).toPrecision(6)));
  };

  // ---- pens: the same picture on a canvas and in a file --------------------------------------------
  const FONT = "system-ui, -apple-system, Segoe UI, Roboto, sans-serif";
  const canvasPen = (context) => ({
    rect(x, y, w, h, fill) { context.fillStyle = fill; context.fillRect(x, y, w, h); },
    line(x1, y1, x2, y2, stroke) {
      context.strokeStyle = stroke;
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(x1, y1);
      context.lineTo(x2, y2);
      context.stroke();
    },
    // A text whose middle has the height y; turned, it reads upwards from y.
    text(x, y, text, { size, fill, align = "start", turned = false }) {
      context.save();
      context.translate(x, y);
      if (turned) context.rotate(-Math.PI / 2);
      Object.assign(context, { font: `${size}px ${FONT}`, fillStyle: fill, textAlign: align, textBaseline: "middle" });
      context.fillText(text, 0, 0);
      context.restore();
    },
    image(source, x, y, w, h) { context.imageSmoothingEnabled = false; context.drawImage(source, x, y, w, h); },
  });
  const svgPen = (width, height) => {
    const root = draw("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}`, "font-family": FONT });
    const short = (v) => Number(v.toFixed(2));
    return {
      root,
      rect(x, y, w, h, fill) { root.append(draw("rect", { x: short(x), y: short(y), width: short(w), height: short(h), fill })); },
      line(x1, y1, x2, y2, stroke) { root.append(draw("line", { x1: short(x1), y1: short(y1), x2: short(x2), y2: short(y2), stroke })); },
      text(x, y, text, { size, fill, align = "start", turned = false }) {
        const anchor = { start: "start", end: "end", center: "middle" }[align];
        const place = `translate(${short(x)} ${short(y)})${turned ? " rotate(-90)" : ""}`;
        const made = draw("text", { transform: place, dy: "0.35em", "font-size": size, fill, "text-anchor": anchor });
        made.textContent = text;
        root.append(made);
      },
      image(source, x, y, width, height) {
        root.append(draw("image", { x, y, width, height, href: source.toDataURL(), style: "image-rendering: pixelated" }));
      },
    };
  };
  const ruler = make("canvas").getContext("2d");
  const textWidth = (text, size) => {
    ruler.font = `${size}px ${FONT}`;
    return ruler.measureText(text).width;
  };
  return { whenSeen, linked, rowName, roundTicks, canvasPen, svgPen, textWidth };
})();
