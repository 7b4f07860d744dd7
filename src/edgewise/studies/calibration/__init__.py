"""`calibrate`: how often any test of edges errs, on data whose graph is known."""

from edgewise.studies.calibration.question import calibrate
from edgewise.studies.calibration.rates import RATES, Calibration, Estimate, LevelCurve

__all__ = ["RATES", "Calibration", "Estimate", "LevelCurve", "calibrate"]
