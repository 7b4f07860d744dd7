"""Any table in any unambiguous form is read back exactly; a bad cell is named wherever it is."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import edgewise as ew
from edgewise.errors import EdgewiseError
from edgewise.tables.files import FileTable

LETTERS = st.characters(categories=["L", "N", "P", "S", "Zs"], exclude_characters="\x85")
NAMES = st.lists(
    st.text(LETTERS, min_size=1, max_size=8)
    .map(str.strip)
    .filter(lambda name: any(c.isalpha() for c in name) and not name.startswith("#")),
    min_size=2,
    max_size=5,
    unique=True,
)
VALUES = st.one_of(
    st.floats(allow_nan=False, width=64),
    st.integers(-(10**6), 10**6).map(float),
    st.floats(-1e4, 1e4).map(lambda value: round(value, 2)),
)
FORMS = st.fixed_dictionaries(
    {
        "sep": st.sampled_from([",", ";", "\t", "|"]),
        "decimal": st.sampled_from([".", ","]),
        "encoding": st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"]),
        "end": st.sampled_from(["\n", "\r\n", "\r"]),
        "quoting": st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
        "last": st.booleans(),
    }
)


def written(names, rows, form):
    """The bytes of a table in this form; numbers are written so that they read back exactly."""
    file = io.StringIO(newline="")
    writer = csv.writer(
        file, delimiter=form["sep"], lineterminator=form["end"], quoting=form["quoting"]
    )
    if names is not None:
        writer.writerow(names)
    for row in rows:
        writer.writerow(Number(repr(value).replace(".", form["decimal"])) for value in row)
    text = file.getvalue()
    return (text if form["last"] else text.rstrip("\r\n")).encode(form["encoding"])


class Number(str):
    """The spelling of a number, which QUOTE_NONNUMERIC would quote like any text."""


def read(path, **reading):
    table = FileTable([path], reading=ew.open_table("", **reading).reading)
    return table, np.concatenate([np.empty((0, len(table.feature_names))), *table.blocks()])


@given(
    NAMES,
    st.integers(1, 12).flatmap(lambda n: st.lists(VALUES, min_size=5 * n, max_size=5 * n)),
    FORMS,
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_said_is_read(tmp_path, names, values, form):
    """With separator, decimals, header and index said, there is nothing to guess wrong."""
    rows = np.array(values).reshape(-1, 5)[:, : len(names)]
    path = tmp_path / "x.csv"
    path.write_bytes(written(names, rows.tolist(), form))
    said = {name: form[name] for name in ("sep", "decimal", "encoding")}
    table, found = read(path, header=True, index_col=False, **said)
    assert table.feature_names == tuple(names)
    np.testing.assert_array_equal(found, rows)
    assert not table.notes


@given(st.integers(2, 5), st.integers(4, 30), FORMS, st.booleans(), st.integers(0, 2**32))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_not_said_is_found_out(tmp_path, p, n, form, header, seed):
    """Measurements, with names or without."""
    rows = np.random.default_rng(seed).standard_normal((n, p))
    names = [f"größe {j}" for j in range(p)] if header else None
    path = tmp_path / "x.csv"
    path.write_bytes(written(names, rows.tolist(), form))
    table, found = read(path)
    assert table.feature_names == tuple(names or (f"x{j}" for j in range(p)))
    np.testing.assert_array_equal(found, rows)
    told = " ".join(table.notes)
    assert ("looks like a row" in told) == (not header)
    assert ("decimal comma" in told) == (form["decimal"] == ",")


@given(
    st.integers(0, 399),
    st.sampled_from(["?", "1 2", "--", "1,5", "x" * 99, "0x1F"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.integers(0, 3),
    st.sets(st.integers(0, 399), max_size=5),
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_line_of_a_bad_cell(tmp_path, at, cell, end, blank, several):
    """Whatever comes before: blank lines, remarks, and cells that go over several lines."""
    lines, here = ["# a remark", "a,t,b"], 0
    for k in range(400):
        lines += [""] * (blank if k % 50 == 7 else 0)
        if k == at:
            here = len("\n".join(lines).split("\n")) + 1
        text = f'"u{chr(10)}v"' if k in several else "w"
        lines.append(f'1.5,{text},"{cell}"' if k == at else f"1.5,{text},2")
    path = tmp_path / "x.csv"
    path.write_bytes("\n".join(lines).replace("\n", end).encode())
    with pytest.raises(EdgewiseError) as caught:
        list(FileTable([path], exclude=["t"]).blocks())
    said = str(caught.value)
    assert f"line {here} " in said or f"in line {here};" in said
    assert "'b'" in said
    assert cell[:20] in said
