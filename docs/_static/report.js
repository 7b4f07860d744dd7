/* The report within a page follows the theme of the page. */
(() => {
  const frame = document.querySelector("iframe.report");
  if (!frame) return;
  const follow = () => {
    // Null where the pages are opened as files: then the report follows the browser.
    const report = frame.contentDocument;
    if (report) report.documentElement.dataset.theme = document.documentElement.dataset.theme;
  };
  frame.addEventListener("load", follow);
  new MutationObserver(follow).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  follow();
})();
