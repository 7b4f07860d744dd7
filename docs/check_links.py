"""Check the links within a built site: `python docs/check_links.py docs/_build/html`.

Every href and src of every page that does not leave the site must name a file that is there, and
an anchor that is in it. Every page must also have a link to the page "choosing a test".
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ON_EVERY_PAGE = "choosing.html"
# What is not a page of the site, but comes with its theme.
NOT_PAGES = ("_static",)
_LINKS = {"href", "src", "poster", "data"}


@dataclass
class Page:
    """What one HTML file links to, and what can be linked to in it."""

    links: list[tuple[int, str]] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    by_sphinx: bool = False


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line, _ = self.getpos()
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.page.anchors.add(value)
            elif name in _LINKS and (name != "data" or tag == "object"):
                self.page.links.append((line, value.strip()))
            elif name == "srcset":
                self.page.links += [
                    (line, part.split()[0]) for part in value.split(",") if part.split()
                ]
            elif tag == "html" and name == "data-content_root":
                self.page.by_sphinx = True


def read_page(path: Path) -> Page:
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    reader.close()
    return reader.page


def problems(site: Path) -> Iterator[str]:
    """A sentence for each link that leads nowhere."""
    site = site.resolve()
    paths = [
        path
        for path in sorted(site.rglob("*.html"))
        if path.relative_to(site).parts[0] not in NOT_PAGES
    ]
    if not paths:
        yield f"{site}: no page to check"
    pages = {path: read_page(path) for path in paths}
    for path, page in pages.items():
        name = path.relative_to(site)
        targets = set()
        for line, link in page.links:
            target, wrong = _follow(site, path, link, pages)
            targets.add(target)
            if wrong:
                yield f"{name}:{line}: {link}: {wrong}"
        if page.by_sphinx and site / ON_EVERY_PAGE not in targets | {path}:
            yield f"{name}: no link to {ON_EVERY_PAGE}"


def _follow(
    site: Path, page: Path, link: str, pages: dict[Path, Page]
) -> tuple[Path | None, str]:
    """The file that a link names, None if outside the site; and what is wrong with it."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None, ""
    if parts.path.startswith("/"):
        return (
            None,
            "begins at the root of the server, which need not be the root of the site",
        )
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if target.is_dir():
        target /= "index.html"
    if not target.is_relative_to(site):
        return None, "leads out of the site"
    if not target.is_file():
        return target, "no such file"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return target, "no such anchor"
    return target, ""


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    found = list(problems(Path(arguments[0])))
    for problem in found:
        print(problem, file=sys.stderr)
    print(
        f"{len(found)} broken links"
        if found
        else "All links within the site lead somewhere."
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
