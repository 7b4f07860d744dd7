"""The heat map."""

from __future__ import annotations

import numpy as np
from tests.report.browser.shown import (
    signed,
)


def test_the_heat_map_shows_every_pair(show):
    shown = show("sachs")
    page, result = shown.page, shown.result
    p = result.n_features
    seen = page.evaluate(
        """() => { const c = document.getElementById("heat");
        return [c.width, ...c.getContext("2d").getImageData(0, 0, c.width, c.height).data]; }"""
    )
    width, pixels = seen[0], np.array(seen[1:]).reshape(seen[0], seen[0], 4)
    assert width == p
    np.testing.assert_array_equal(pixels, pixels.transpose(1, 0, 2))
    # Blue for positive, red for negative; an edge is far from the grey of nothing.
    order = page.evaluate("JSON.parse(document.getElementById('data').textContent).order")
    rho, edge = (
        matrix[np.ix_(order, order)] for matrix in (result.partial_correlation, result.reject)
    )
    blue, red = pixels[..., 2].astype(int), pixels[..., 0].astype(int)
    strong = np.abs(rho) > 0.05
    off = ~np.eye(p, dtype=bool)
    assert np.all(blue[strong & off & (rho > 0)] > red[strong & off & (rho > 0)])
    assert np.all(blue[strong & off & (rho < 0)] < red[strong & off & (rho < 0)])
    contrast = np.abs(blue - red)
    assert contrast[edge].min() > contrast[~edge & off].max() / 2
    box = page.locator("#heat").bounding_box()
    step = box["width"] / p
    page.locator("#heat").hover(position={"x": 3.5 * step, "y": 1.5 * step})
    i, j = sorted((order[1], order[3]))
    names = result.feature_names
    wanted = f"{names[i]} – {names[j]}: {signed(result.partial_correlation[i, j])}"
    assert shown.text("#tip") == wanted + ", an edge" * bool(result.reject[i, j])
