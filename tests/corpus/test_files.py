"""Each file of the corpus gives the right rows and names, or one sentence with the remedy."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.corpus.other_files import OTHER_FILES
from tests.corpus.text_files import TEXT_FILES
from tests.corpus.text_refused import TEXT_REFUSED

import edgewise as ew
from edgewise.errors import EdgewiseError
from edgewise.tables.files import FileTable

FILES = {**TEXT_FILES, **TEXT_REFUSED, **OTHER_FILES}


def opened(case, folder):
    path = folder / case.file
    path.write_bytes(case.content() if callable(case.content) else case.content)
    return FileTable([path], reading=ew.open_table("", **case.reading).reading, **case.chosen)


def all_rows(table):
    return np.concatenate(
        [np.empty((0, len(table.feature_names))), *map(np.asarray, table.blocks())]
    )


def is_a_sentence(text):
    """One line that ends as sentences do, and shows nothing of the code."""
    return (
        "\n" not in text
        and text.endswith((".", "?"))
        and not re.search(r"Traceback|<class|object at 0x|ArrowInvalid|  ", text)
    )


@pytest.mark.parametrize("name", FILES)
def test_right_or_refused(tmp_path, name):
    case = FILES[name]
    if case.error:
        with pytest.raises(EdgewiseError) as caught:
            all_rows(opened(case, tmp_path))
        said = str(caught.value)
        assert is_a_sentence(said.replace("1   3", ""))
        assert [fragment for fragment in case.error if fragment not in said] == [], said
        return
    table = opened(case, tmp_path)
    assert table.feature_names == case.names
    expected = np.array(case.rows, dtype=float).reshape(-1, len(case.names))
    np.testing.assert_array_equal(all_rows(table), expected)
    left_out = [f"left out: {name!r} ({what})" for name, what in table.left_out.items()]
    told = " ".join([*table.notes, *(one for one in left_out if "row numbers" not in one)])
    assert bool(told) == bool(case.told)
    assert all(fragment in told for fragment in case.told)
    assert all(is_a_sentence(note) and note.startswith("file '") for note in table.notes)
    # The same on a second pass.
    assert table.rescannable
    assert len(all_rows(table)) == len(case.rows)


def test_the_corpus_is_large():
    assert len(FILES) == len(TEXT_FILES) + len(TEXT_REFUSED) + len(OTHER_FILES)
    assert len(FILES) >= 90
