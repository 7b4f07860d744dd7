"""A browser, and pages in it."""

from __future__ import annotations

import pytest
from tests.report.browser.shown import ARGUMENTS, REPORTS, WIDE, Shown


# No longer than a file: as long as Playwright runs, its event loop does, and nothing else that is
# tested in this process could run one of its own.
@pytest.fixture(scope="module")
def browser(require):
    playwright, chromium = require("playwright.sync_api"), require("chromium")
    with playwright.sync_playwright() as engine:
        started = engine.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    """A page of that kind, written once: its path and its result."""
    folder, made = tmp_path_factory.mktemp("reports"), {}

    def write(kind):
        if kind not in made:
            result, options = REPORTS[kind]()
            path = folder / f"{kind.replace(' ', '-')}.html"
            result.report(path, **options)
            made[kind] = path, result
        return made[kind]

    return write


@pytest.fixture(scope="module")
def usual(browser):
    with browser.new_context(viewport=WIDE) as context:
        yield context


@pytest.fixture
def show(browser, usual, written):
    """Open a page of that kind; at the end it must have asked for nothing and said nothing."""
    shown = []

    def open_page(kind, **options):
        context = browser.new_context(**{"viewport": WIDE} | options) if options else usual
        path, result = kind if isinstance(kind, tuple) else written(kind)
        scripted = options.get("java_script_enabled", True)
        shown.append((Shown(context, path, result, scripted=scripted), context))
        return shown[-1][0]

    yield open_page
    for opened, context in shown:
        opened.page.close() if context is usual else context.close()
    for opened, _ in shown:
        assert opened.complaints == []
        others = [url for url in opened.requests if not url.startswith("blob:")]
        assert others == [opened.path.as_uri()]
