"""Numbers of a study in sentences: every page states the design of its own run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from edgewise.studies.study import Cell


def draws_of(cells: Sequence[Cell]) -> str:
    """The number of draws of each setting, such as "100"."""
    return _range(cell.n_draws for cell in cells)


def values_of(cells: Sequence[Cell], parameter: str) -> str:
    """The different values of a parameter, such as "4, 6, 8"."""
    return ", ".join(_number(value) for value in _different(cells, parameter))


def sizes_of(cells: Sequence[Cell]) -> str:
    """The numbers of rows at which a growing sample is looked at."""
    sizes = [_number(n) for n in cells[0].parameters["sizes"]]
    if len(sizes) <= 2:
        return "n = " + " and ".join(sizes)
    return f"n = {sizes[0]}, {sizes[1]}, …, {sizes[-1]} ({len(sizes)} even steps)"


def last_size(cells: Sequence[Cell]) -> str:
    return _number(cells[0].parameters["sizes"][-1])


def _different(cells: Sequence[Cell], parameter: str) -> list[int]:
    return sorted({int(cell.parameters[parameter]) for cell in cells})


def _range(numbers: Iterable[int]) -> str:
    found = sorted(set(numbers))
    return " to ".join(_number(number) for number in dict.fromkeys((found[0], found[-1])))


def _number(value: int) -> str:
    """With a space between thousands, as on all our pages."""
    return f"{value:,}".replace(",", " ")
