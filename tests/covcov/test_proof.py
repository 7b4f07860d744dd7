"""The computer-assisted proof holds, and would not hold of other formulas."""

from collections import Counter
from itertools import product

import pytest

from edgewise.covcov.cases import CASES, canonical
from edgewise.covcov.polynomial import Polynomial
from edgewise.covcov.proof import Proof, prove

PROOF = prove()
#: Patterns of equality, and of the 64 assignments, in each class.
SIZES = {1: (1, 6), 2: (1, 3), 3: (2, 12), 4: (4, 24), 5: (2, 6), 6: (4, 12), 7: (1, 1)}


def terms_of(case):
    """The terms of a formula, multiplied out, as they stand before any cancellation."""
    arguments = tuple(range(4))[: CASES[case].__code__.co_argcount - 1]
    return CASES[case](Polynomial.moment, *arguments).terms


PERTURBATIONS = [(case, k) for case in CASES for k in range(len(terms_of(case)))]


def test_holds():
    assert PROOF.holds
    assert all(member.holds for c in PROOF.classes for member in c.members)


def test_sixty_four_assignments_fifteen_patterns_seven_classes():
    assert len(PROOF.correspondence) == 64
    assert {a for a, _, _ in PROOF.correspondence} == {
        (0, j, k, l) for j, k, l in product(range(4), repeat=3)
    }
    assert len({pattern for _, pattern, _ in PROOF.correspondence}) == 15
    assert [c.case for c in PROOF.classes] == list(range(1, 8))


def test_sizes_of_the_classes():
    assert {c.case: (len(c.members), c.assignments) for c in PROOF.classes} == SIZES
    assert sum(patterns for patterns, _ in SIZES.values()) == 15
    assert sum(assignments for _, assignments in SIZES.values()) == 64


def test_correspondence_agrees_with_the_classes():
    assert Counter(case for _, _, case in PROOF.correspondence) == {
        c.case: c.assignments for c in PROOF.classes
    }
    members = {member.pattern: c.case for c in PROOF.classes for member in c.members}
    for assignment, pattern, case in PROOF.correspondence:
        assert pattern == canonical(assignment)
        assert members[pattern] == case


@pytest.mark.parametrize("case", CASES)
def test_a_term_too_many_breaks_it(case):
    formulas = {**CASES, case: lambda m, *a: CASES[case](m, *a) + m(a[0])}
    broken = prove(formulas)
    assert not broken.holds
    for c in broken.classes:
        for member in c.members:
            assert member.holds == (c.case != case)


@pytest.mark.parametrize(("case", "k"), PERTURBATIONS)
def test_any_one_changed_coefficient_breaks_it(case, k):
    term = terms_of(case)[k][0]

    def changed(m, *arguments):
        # The term is in indices 0, 1, …; rename them to the arguments of this call.
        extra = m(*(arguments[i] for i in term[1][0]))
        for moment in term[1][1:]:
            extra = extra * m(*(arguments[i] for i in moment))
        return CASES[case](m, *arguments) + extra

    assert not prove({**CASES, case: changed}).holds


@pytest.mark.parametrize("case", CASES)
def test_an_empty_formula_breaks_it(case):
    assert not prove({**CASES, case: lambda m, *a: m(*(a * 4)[:4]) * 0}).holds


def test_missing_classes_break_it():
    assert not Proof(PROOF.classes[1:], PROOF.correspondence).holds
    assert not Proof(PROOF.classes[:1] * 7, PROOF.correspondence).holds
