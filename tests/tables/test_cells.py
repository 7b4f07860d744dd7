"""What a cell is taken for is what Arrow's parser takes it for."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv

from edgewise.tables.cells import (
    MISSING,
    has_thousands,
    is_missing,
    is_name,
    is_number,
    missing_numbers,
    missing_texts,
)

PIECES = [*"10.,eE+- x_٣", "23", "inf", "nan", "NA", "N/A"]


def parsed(cell, decimal, padded):
    """Whether Arrow takes a cell as a number or as missing."""
    quoted = '"' + cell.replace('"', '""') + '"'
    try:
        csv.read_csv(
            pa.BufferReader(f"{quoted};1\n".encode()),
            read_options=csv.ReadOptions(column_names=["a", "b"], use_threads=False),
            parse_options=csv.ParseOptions(delimiter=";"),
            convert_options=csv.ConvertOptions(
                column_types={"a": pa.float64()},
                null_values=missing_texts((), padded),
                strings_can_be_null=True,
                decimal_point=decimal,
            ),
        )
    except pa.ArrowInvalid:
        return False
    return True


@given(
    st.lists(st.sampled_from(PIECES), max_size=5).map("".join),
    st.sampled_from([".", ","]),
    st.booleans(),
)
@settings(max_examples=120)
def test_as_the_parser_does(cell, decimal, padded):
    expected = is_number(cell, decimal) or cell in missing_texts((), padded)
    assert parsed(cell, decimal, padded) == expected


@pytest.mark.parametrize("text", MISSING)
def test_missing(text):
    assert is_missing(text)
    assert is_missing(f"  {text}\t")
    assert not is_name(text)


def test_missing_values_that_are_named():
    assert not is_missing("?")
    assert is_missing(" ? ", ("?",))
    assert is_missing("-999.00", ("-999",))
    assert is_missing("-9,99e2", ("-999",), ",")
    assert not is_missing("-999.5", ("-999",))
    assert missing_numbers(("?", "-999", "-9,5"), ",") == {-999.0, -9.5}


def test_thousands():
    for cell in ("1,234", "-12,345.6", "1.234,56", "1,234,567", "1 234", "1'234"):
        assert has_thousands(cell)
    for cell in ("0,123", "1,23", "1234", "1,2345", "1,234.567,8", "a,123", ""):
        assert not has_thousands(cell)
