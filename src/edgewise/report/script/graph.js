// The graph: everything together.
const redraw = () => {
  setScene();
  tellDrawn();
  tellKey();
  showChoices();
  paint();
  remember();
};
const fitPicture = () => {
  const [w, h] = [picture.clientWidth, picture.clientHeight];
  if (!w || !h || (w === size.w && h === size.h)) return false;
  Object.assign(size, { w, h });
  const buttons = $("zoom-in").parentElement;
  Object.assign(corner, { w: buttons.offsetWidth + 10, h: buttons.offsetHeight + 10 });
  return true;
};
fitPicture();
$("stage").view = view;
let drawnOnce = false;
new ResizeObserver(() => { if (fitPicture() && drawnOnce) redraw(); }).observe(picture);
part({
  draw() {
    palette = new Map();
    drawnOnce = true;
    aim();
    redraw();
  },
  light() {
    aim();
    if (scene.key !== sceneKey()) redraw();
    else { showChoices(); paint(); }
  },
});
// Paper is white, also for a canvas.
const root = document.documentElement;
let themeBefore;
addEventListener("beforeprint", () => {
  if (!onCanvas) return;
  themeBefore = root.dataset.theme;
  root.dataset.theme = "light";
  palette = new Map();
  paintCanvas();
});
addEventListener("afterprint", () => {
  if (!onCanvas) return;
  if (themeBefore) root.dataset.theme = themeBefore;
  else delete root.dataset.theme;
  palette = new Map();
  paint();
});
