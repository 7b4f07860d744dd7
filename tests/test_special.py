"""The normal tail against arbitrary-precision arithmetic, and without SciPy."""

import math
import subprocess
import sys

import mpmath as mp
import numpy as np
import pytest

from edgewise._special import log_upper_tails

Z = np.concatenate(
    [
        -np.logspace(-3, 2, 40),
        np.linspace(0, 40, 161),
        np.nextafter(30.0, [0, 60]),
        [1e3, 1e9, 1e150],
    ]
)


def truth(z):
    with mp.workdps(60):
        return float(mp.log(mp.erfc(mp.mpf(z) / mp.sqrt(2)) / 2)) if z < 1e4 else None


def test_against_mpmath():
    found = log_upper_tails(Z)
    for z, ours in zip(Z, found, strict=True):
        if (expected := truth(z)) is None:
            expected = -z * z / 2 - math.log(z) - math.log(2 * math.pi) / 2
        # Relative to the p-value (the first digits of its logarithm), or to one minus it.
        assert ours == pytest.approx(expected, rel=1e-13), z


def test_a_small_test_needs_no_scipy():
    """To import SciPy takes as long as all else that the first test imports."""
    program = """
import sys
import numpy as np
import edgewise as ew
ew.edge_test(np.random.default_rng(0).standard_normal((200, 10)))
print([name for name in sys.modules if name.partition(".")[0] == "scipy"])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
