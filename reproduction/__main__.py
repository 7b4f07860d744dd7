"""`python -m reproduction fig1`: run the paper's studies again, or its proof.

Each study writes a table (CSV), a picture (SVG) and a page (Markdown). Its claims are supported or
refuted where the measurement lies beyond its own error, and otherwise not refuted; in brackets, how
far it lies on the wrong side, in standard errors.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from edgewise._files import check_writable
from edgewise.calibrate import check_workers
from edgewise.errors import EdgewiseError
from reproduction import fig1, fig2, fig3, fig4, lemma1, theorem8
from reproduction.claims import counted
from reproduction.proof import prove, show
from reproduction.study import SCALES, SEED, name_of, run

STUDIES = {name_of(study): study for study in (fig1, fig2, fig3, fig4, theorem8, lemma1)}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        "python -m reproduction",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(f"{name:10}{study.TITLE}" for name, study in STUDIES.items())
        + "\nprove     the seven forms of Cov(Σ̂_ij, Σ̂_kl), by exact arithmetic",
    )
    parser.add_argument("what", nargs="+", choices=[*STUDIES, "prove", "all"])
    parser.add_argument(
        "--scale",
        choices=SCALES,
        default="quick",
        help="seconds, minutes, or as in the paper (26 minutes of one core for all)",
    )
    parser.add_argument("--out", type=Path, default=Path("build/reproduction"), help="a folder")
    parser.add_argument("--seed", type=int, default=SEED, help="of all random numbers")
    parser.add_argument("--jobs", type=int, default=-1, help="processes; -1 for one per core")
    given = parser.parse_args(arguments)
    holds = True
    try:
        workers = check_workers(given.jobs)
        if given.seed < 0:
            parser.error(f"--seed: expected a whole number from 0 on, got {given.seed}")
        if {"prove", "all"} & set(given.what):
            proof = prove()
            holds = proof.holds
            print(show(proof))
        chosen = [s for name, s in STUDIES.items() if {name, "all"} & set(given.what)]
        if chosen:
            given.out.mkdir(parents=True, exist_ok=True)
            check_writable(given.out / f"{name_of(chosen[0])}.md")
        claims = []
        for study in chosen:
            found = run(study, given.scale, given.out, seed=given.seed, n_jobs=workers)
            print(f"\n{study.TITLE}\n")
            for claim in found:
                print(f"- {claim.says}\n  {claim.measured}\n  {claim}")
            print(f"\n{given.out / name_of(study)}.md", flush=True)
            claims += found
    except (EdgewiseError, OSError) as error:
        sys.exit(f"reproduction: {error}")
    if claims:
        print(f"\n{counted(claims)}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
