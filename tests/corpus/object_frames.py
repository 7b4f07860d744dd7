"""Data frames."""

from __future__ import annotations

import numpy as np
from tests.corpus.kit import Case, refused


def likert(kit, *, ordered=True, names=(1, 2, 3, 4, 5)):
    pandas = kit.require("pandas")
    frame, answers = kit.frame, np.clip(np.rint(kit.rows[:, 0]) + 3, 1, 5).astype(int)
    values = [names[answer - 1] for answer in answers]
    frame["a"] = pandas.Categorical(values, categories=list(names), ordered=ordered)
    return frame


def answered(kit):
    return np.column_stack([np.clip(np.rint(kit.rows[:, 0]) + 3, 1, 5), kit.rows[:, 1:]])


def without_a(kit):
    return kit.rows[:, 1:]


def subclass(kit):
    pandas = kit.require("pandas")
    index = pandas.Index(np.arange(1, 401) * 7, name="id")
    return type("Survey", (pandas.DataFrame,), {})(kit.frame.set_index(index))


FRAMES = {
    "pandas subclass with an index": Case(subclass),
    "pandas groups": refused(lambda kit: kit.frame.groupby("a"), "DataFrameGroupBy", "as clusters"),
    "pandas series": refused(lambda kit: kit.frame["a"], "Series", "frame of several columns"),
    "list of frames": refused(
        lambda kit: [kit.frame, kit.frame], "got 2", "pandas.concat(data)", "clusters="
    ),
    "ordered categories of numbers": Case(likert, rows=answered),
    "categories of numbers without an order": Case(
        lambda kit: likert(kit, ordered=False), ("b", "c", "d"), rows=without_a
    ),
    "ranges": Case(
        lambda kit: kit.frame.assign(a=kit.require("pandas").cut(kit.rows[:, 0], 3)),
        ("b", "c", "d"),
        rows=without_a,
    ),
    "text among numbers": refused(
        lambda kit: kit.frame.astype(object).replace({"a": {kit.rows[7, 0]: "?"}}),
        *("'a' must hold numbers", "'?'", "exclude"),
    ),
    "Arrow dataset": Case(lambda kit: kit.require("pyarrow.dataset").dataset(kit.arrow)),
    "polars categories": Case(
        lambda kit: kit.polars.with_columns(
            e=kit.require("polars").lit("u").cast(kit.require("polars").Categorical)
        )
    ),
    "LazyFrame, some columns": Case(
        lambda kit: kit.polars.lazy(),
        ("d", "a"),
        rows=lambda kit: kit.rows[:, [3, 0]],
        options={"columns": ["d", "a"]},
    ),
    "LazyFrame of no file": refused(
        lambda kit: kit.require("polars").scan_csv(kit.folder / "no.csv"),
        "the query cannot be read",
        "no.csv",
    ),
    "narwhals": Case(lambda kit: kit.require("narwhals").from_native(kit.frame)),
}
