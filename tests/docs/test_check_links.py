"""The check of links within the site finds what is broken, and only that."""

from __future__ import annotations

import pytest

FRAME = '<html lang="en" data-content_root="./"><body id="top">{}</body></html>'
CHOOSING = '<a href="choosing.html">which test?</a>'


@pytest.fixture(scope="module")
def check_links(script):
    return script("check_links.py")


@pytest.fixture
def site(tmp_path):
    def make(body, **more):
        pages = {"index": body + CHOOSING, "choosing": '<h2 id="a-b">α</h2>', **more}
        for name, text in pages.items():
            (tmp_path / f"{name}.html").write_text(FRAME.format(text), encoding="utf-8")
        (tmp_path / "folder").mkdir()
        (tmp_path / "folder" / "index.html").write_text("<p id='x'>no page of Sphinx</p>", "utf-8")
        (tmp_path / "a picture.png").write_bytes(b"")
        return tmp_path

    return make


@pytest.mark.parametrize(
    "link",
    [
        '<a href="choosing.html#a-b">',
        '<a href="#top">',
        '<a href="folder/#x">',
        '<img src="a%20picture.png">',
        '<img srcset="a%20picture.png, a%20picture.png 2x">',
        '<a href="https://example.org/missing">',
        '<a href="mailto:nobody@example.org">',
    ],
)
def test_links_that_lead_somewhere(check_links, site, link):
    assert list(check_links.problems(site(link))) == []


@pytest.mark.parametrize(
    ("link", "why"),
    [
        ('<a href="missing.html">', "no such file"),
        ('<a href="choosing.html#missing">', "no such anchor"),
        ('<a href="#missing">', "no such anchor"),
        ('<img src="missing.png">', "no such file"),
        ('<img srcset="a%20picture.png, missing.png 2x">', "no such file"),
        ('<iframe src="missing.html">', "no such file"),
        ('<a href="/choosing.html">', "root of the server"),
        ('<a href="../elsewhere.html">', "out of the site"),
    ],
)
def test_links_that_lead_nowhere(check_links, site, link, why):
    (problem,) = check_links.problems(site(link))
    assert problem.startswith("index.html:1:")
    assert why in problem


def test_every_page_has_a_link_to_choosing_a_test(check_links, site):
    folder = site("", lonely="<p>nothing</p>")
    assert list(check_links.problems(folder)) == ["lonely.html: no link to choosing.html"]
