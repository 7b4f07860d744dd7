"""`diagnose`: what the data are like, and the test that speaks for."""

from __future__ import annotations

import numpy as np

import edgewise as ew
from edgewise.api.diagnose import diagnose
from edgewise.errors import DataError
from edgewise.simulate import make_chain_precision, sample
from edgewise.tables.open import as_table
from edgewise.tables.options import view


def draw(distribution, n_samples=4000, n_features=4, seed=1):
    rng = np.random.default_rng(seed)
    return sample(distribution, make_chain_precision(n_features), n_samples, rng=rng)


def diagnosis_of(data):
    return diagnose(as_table(data))


def test_only_the_complete_rows_count():
    X = draw("gaussian")
    X[[1, 5], 0] = np.nan
    assert diagnose(view(as_table(X), missing="drop")).n_samples == 3998


def test_a_state_has_no_rows_to_diagnose(refuses):
    refuses(
        lambda: diagnose(ew.accumulate(draw("gaussian"))),
        DataError,
        "data: a diagnosis looks at rows, got a state",
    )
