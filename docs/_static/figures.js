/* A picture that scrolls on a narrow screen can be scrolled by keyboard, too. */
(() => {
  const figures = document.querySelectorAll('figure.wide, .bd-article p:has(> img[src$=".svg"]:only-child)');
  const reach = () =>
    figures.forEach((figure) => {
      if (figure.scrollWidth > figure.clientWidth) figure.tabIndex = 0;
      else figure.removeAttribute("tabindex");
    });
  addEventListener("load", reach);
  addEventListener("resize", reach);
})();
