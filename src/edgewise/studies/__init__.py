"""Simulation studies: the paper's figures again, and a harness to judge any test."""

from edgewise.studies.calibration import Calibration, Estimate, LevelCurve, Verdict, calibrate
from edgewise.studies.reproduction import Reproduction, reproduce

__all__ = [
    "Calibration",
    "Estimate",
    "LevelCurve",
    "Reproduction",
    "Verdict",
    "calibrate",
    "reproduce",
]
