"""What each pair was adjusted for."""

from __future__ import annotations

from hypothesis import given
from tests.sums.test_pair_sets import neighbourhoods

from edgewise.inference.measurement import Selection


@given(neighbourhoods())
def test_sizes_are_those_of_the_sets(neighbours):
    chosen = Selection(0.1, tuple(map(tuple, neighbours)))
    sizes, p = chosen.sizes(), len(neighbours)
    for i in range(p):
        assert sizes[i, i] == 0
        for j in range(p):
            if i != j:
                own = chosen.adjusted_for(i, j)
                assert sizes[i, j] == len(own)
                assert set(own) == {*neighbours[i], *neighbours[j]} - {i, j}
                assert own == chosen.adjusted_for(j, i)
