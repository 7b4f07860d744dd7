"""The bar: it names what runs, and counts the rows of the file in each pass over them."""

from __future__ import annotations

from edgewise.api.compare_methods import compare_methods
from edgewise.cli.run import Bar
from edgewise.tables.open import as_table


class Shown:
    """What a progress of rich was told."""

    def __init__(self):
        self.names, self.counts = [], []

    def add_task(self, what, **_):
        self.names.append(what)
        return 1

    def update(self, task, description=None, completed=0, total=None):
        self.names += [description] * (description is not None)
        self.counts.append(completed)


def test_it_names_each_method_and_never_counts_more_rows_than_there_are(rows):
    from contextlib import nullcontext

    from edgewise._parallel import watched_by

    shown = Shown()
    bar = Bar(shown, "looking at the rows", None, "rows")
    table = as_table(rows, progress=bar.advance)
    bar.total = table.estimated_rows
    with watched_by(lambda *_: nullcontext(lambda done: None), bar.name):
        compare_methods(table, methods=["score", "batch", "kendall"])
    assert shown.names == [
        "looking at the rows",
        "score, 1 of 3",
        "batch, 2 of 3",
        "kendall, 3 of 3",
    ]
    assert max(shown.counts) == 400
