"""State files for the tests of moments."""

from __future__ import annotations

from dataclasses import replace

import pytest

from edgewise.states import Moments
from edgewise.sums.save import read_state, write_state


@pytest.fixture
def saved(tmp_path, rows):
    """The state of `rows` in a file."""
    path = tmp_path / "rows.ews"
    Moments(feature_names=("a", "b", "c", "d")).update(rows).save(path)
    return path


@pytest.fixture(scope="session")
def tamper():
    """Change a state file, and give it the checksum of its new content; None takes away."""

    def write(path, arrays=None, meta=None, **changes):
        contents = read_state(path)
        for name, change in (("arrays", arrays), ("meta", meta)):
            if change is not None:
                both = {**getattr(contents, name), **change}
                changes[name] = {key: one for key, one in both.items() if one is not None}
        write_state(path, replace(contents, **changes))
        return path

    return write
