// The last file: show the page as it was tested, or as its address says.
backToTested(0);
recall();
update();
addEventListener("hashchange", () => { recall(); update(); });
