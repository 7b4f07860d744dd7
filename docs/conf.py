"""Sphinx configuration."""

import inspect
import re
import shutil
import sys
from pathlib import Path

from docutils import nodes
from numpydoc.xref import DEFAULT_LINKS
from sphinx.transforms import SphinxTransform
from sphinx_gallery.sorting import ExplicitOrder

import edgewise

DOCS = Path(__file__).parent
ROOT = DOCS.parent
sys.path.insert(0, str(DOCS))  # for command_line.py and drawing/

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
    "sphinx_copybutton",
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
# Types are said once, where parameters are explained, and lead to the page of a class.
autodoc_typehints = "none"
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"
numpydoc_xref_aliases = {
    # Words of Python and NumPy stay words: their pages are elsewhere.
    **{word: word for word in DEFAULT_LINKS},
    **{name: f"edgewise.{name}" for name in edgewise.__all__ if name[0].isupper()},
}
# "On this page" has room for `confidence_interval()`, not for all that is before it.
toc_object_entries_show_parents = "hide"

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# A button that copies what can be typed: no prompts, and nothing that was printed.
copybutton_selector = (
    "div[class*=highlight-]:not(.highlight-output, .highlight-text, .highlight-none)"
    " > div.highlight > pre"
)
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"\.py$",  # every example is run
    "abort_on_example_error": True,
    "within_subsection_order": ExplicitOrder(
        [
            "plot_heavy_tails.py",
            "plot_sachs_pathway.py",
            "plot_sp500_rolling.py",
            "plot_ranks.py",
            "plot_sensor_stream.py",
            "plot_300_variables.py",
            "plot_more_genes_than_cells.py",
            "*",
        ]
    ),
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
html_js_files = [
    (name, {"defer": "defer"}) for name in ("report.js", "chooser.js", "figures.js")
]
templates_path = ["_templates"]
html_show_sourcelink = False
html_sidebars = {page: [] for page in ("index", "install", "tutorial", "choosing")}
html_theme_options = {
    "logo": {"text": "edgewise"},
    "navbar_align": "left",
    "header_links_before_dropdown": 9,
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


def write_help(app):
    """The help of every command, for the page that includes it."""
    import command_line

    command_line.write_help(DOCS / "api" / "generated" / "command-line.inc")


def draw_pictures(app):
    """The pictures that pages show, from the numbers and the program as they are."""
    import drawing

    drawing.draw_all()


class DarkPictures(SphinxTransform):
    """Beside each picture that is drawn for the pages its own version for dark ones."""

    default_priority = 200

    def apply(self, **options):
        for image in list(self.document.findall(nodes.image)):
            if image["uri"].startswith("/_build/pictures/"):
                dark = image.deepcopy()
                dark["uri"] = image["uri"].replace(".svg", "-dark.svg")
                dark["classes"] += ["dark-light", "on-dark"]
                image["classes"] += ["on-light"]
                image["loading"] = dark["loading"] = "lazy"
                image.parent.insert(image.parent.index(image) + 1, dark)


def hide_constructor(app, what, name, obj, options, signature, return_annotation):
    """A class whose docstring has no parameters is made by edgewise, never by its reader."""
    made_here = what == "class" and "Parameters\n---" not in (inspect.getdoc(obj) or "")
    return ("", "") if made_here else None


def show_plot(app, what, name, obj, options, lines):
    """The page of a function that draws shows what it draws, before its parameters."""
    import drawing

    own = name.rpartition(".")[2].replace("_", "-")
    kinds = ["plot-network-20"] if own == "plot" else [own, f"{own}-20"]
    pictures = [one for one in kinds if one in drawing.PICTURES]
    if what != "function" or not own.startswith("plot") or not pictures:
        return
    place = next(
        (k for k, line in enumerate(lines) if line == ":Parameters:"), len(lines)
    )
    lines[place:place] = [
        f".. figure:: /_build/pictures/{pictures[0]}.svg",
        f"   :alt: What {name} draws",
        "",
        "   Drawn by this function; :doc:`the gallery </plots>` says how to read it.",
        "",
    ]


def copy_reproduction(app):
    """The paper's studies are beside the package; the site shows the pages that are there."""
    pages = ROOT / "reproduction"
    shutil.rmtree(DOCS / "reproduction", ignore_errors=True)
    shutil.copytree(pages / "results", DOCS / "reproduction" / "results")
    shutil.copy(pages / "README.md", DOCS / "reproduction")


def link_reproduction(app, page, source):
    """Links from the pages to the studies and back, which are right in the repository."""
    inside = re.sub(r"\]\((\.\./)+reproduction/", "](/reproduction/", source[0])
    source[0] = inside.replace("](../docs/", "](/")


def write_report(app, error):
    """The report that the pages show and link to: live, and as new as the program."""
    if error is None and app.builder.format == "html":
        returns = edgewise.datasets.load_sp500_returns()
        path = Path(app.outdir) / "sp500-report.html"
        edgewise.edge_test(returns, method="batch").report(
            path, data=returns, title="Daily returns of 20 S&P 500 companies, 1990–2022"
        )


def setup(app):
    app.add_transform(DarkPictures)
    app.connect("builder-inited", write_help)
    app.connect("builder-inited", draw_pictures)
    app.connect("builder-inited", copy_reproduction)
    app.connect("source-read", link_reproduction)
    # Before numpydoc, which has a say in signatures too.
    app.connect("autodoc-process-signature", hide_constructor, priority=400)
    # After numpydoc, which makes the sections.
    app.connect("autodoc-process-docstring", show_plot, priority=600)
    app.connect("build-finished", write_report)
