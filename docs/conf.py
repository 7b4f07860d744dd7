"""Sphinx configuration."""

import edgewise

project = "edgewise"
author = "The edgewise developers"
copyright = "2026, the edgewise developers"
release = edgewise.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "myst_parser",
]
autosummary_generate = True
numpydoc_show_class_members = False
html_theme = "pydata_sphinx_theme"
html_title = "edgewise"
exclude_patterns = ["_build"]
# The README's links to files of the repository are not pages of this site.
suppress_warnings = ["myst.xref_missing", "myst.header"]
