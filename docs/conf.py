"""Sphinx configuration."""

from pathlib import Path

import edgewise

project = "edgewise"
author = "The edgewise developers"
copyright = "2026, the edgewise developers"
release = version = edgewise.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",  # formulas without a network, and nobody else is told who reads
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build"]
# A word in single backticks is code; a reference to a name of the API says so (:func:`…`).
default_role = "code"

# Every reference must lead somewhere, but for the types in signatures (of NumPy, Arrow, private
# modules) and the members that numpydoc lists, which have no pages of their own.
nitpicky = True
nitpick_ignore_regex = [("py:class", r".*"), ("py:obj", r"edgewise\..*")]

autosummary_generate = True
numpydoc_show_class_members = False

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"\.py$",  # every example is run
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "write_computation_times": False,
    "min_reported_time": 10,
    "doc_module": ("edgewise",),
    "reference_url": {"edgewise": None},
}

html_theme = "pydata_sphinx_theme"
html_title = "edgewise"
html_static_path = ["_static"]
html_css_files = ["edgewise.css"]
templates_path = ["_templates"]
html_show_sourcelink = False
html_sidebars = {page: [] for page in ("index", "tutorial", "choosing")}
html_theme_options = {
    "logo": {"text": "edgewise"},
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    # The first page is short, and one page has code side by side.
    "secondary_sidebar_items": {
        "**": ["page-toc"],
        "index": [],
        "howto/coming-from": [],
    },
    # On every page, also where a phone hides the bar at the top.
    "footer_start": ["choosing-link"],
    "footer_center": [],
    "footer_end": ["copyright"],
}


def write_report(app, error):
    """The report that the pages show and link to: live, and as new as the program."""
    if error is None and app.builder.format == "html":
        returns = edgewise.datasets.load_sp500_returns()
        path = Path(app.outdir) / "sp500-report.html"
        edgewise.edge_test(returns).report(
            path, data=returns, title="Daily returns of 20 S&P 500 companies, 1990–2022"
        )


def setup(app):
    app.connect("build-finished", write_report)
