"""Simulation studies: the paper's figures again, and a harness to judge any test."""

from edgewise.studies.calibration import Calibration, Estimate, LevelCurve, calibrate
from edgewise.studies.priced import PricedTest, crossover_budget
from edgewise.studies.reproduction import reproduce
from edgewise.studies.run import Reproduction
from edgewise.studies.verdict import Verdict

__all__ = [
    "Calibration",
    "Estimate",
    "LevelCurve",
    "PricedTest",
    "Reproduction",
    "Verdict",
    "calibrate",
    "crossover_budget",
    "reproduce",
]
