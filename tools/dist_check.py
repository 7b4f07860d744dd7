"""`make dist-check`: what would be uploaded is built into dist/, looked into, and used.

The wheel is built from the sdist, so the sdist is complete enough to build from; its tests are
collected from the unpacked archive. Both are then installed from the package registries into an
empty environment each, far from this folder, and tried as a stranger would try them: the wheel
first without any extra, which must stay small, and then both with the extra `all`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST_BYTES = {".whl": 2_000_000, ".gz": 5_000_000}
# What the core may take on the disk, with NumPy and SciPy, in MB of 2²⁰ bytes.
MOST_CORE = 230

# What the package reads at run time beside its own modules, and what tells users of its types.
RESOURCES = (
    "edgewise/__init__.pyi",
    "edgewise/py.typed",
    "edgewise/datasets/data/sachs.parquet",
    "edgewise/datasets/data/sachs_target.csv",
    "edgewise/datasets/data/sp500_prices.parquet",
    "edgewise/report/html/page.html",
    "edgewise/report/script/core.js",
    "edgewise/report/style/base.css",
)
KINDS = {".md", ".py", ".pyi", *(Path(name).suffix for name in RESOURCES)}
# Of use only in the repository: its continuous integration, its hooks, its page on Read the Docs.
REPOSITORY_ONLY = (
    *(".ci/", ".github/", ".gitattributes"),
    *(".pre-commit-config.yaml", ".readthedocs.yaml"),
)

SMOKE = """
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import edgewise as ew

assert ew.__version__ == sys.argv[1], ew.__version__
assert Path(sys.prefix) in Path(ew.__file__).parents, f"{ew.__file__} is not what was installed"
extra = [name for name in ("dask", "pandas", "polars", "pyspark", "pytest") if find_spec(name)]
assert not extra, f"{extra} should be optional, but came along"
for name in ew.__all__:
    getattr(ew, name)

# Days depend on the days before them, and the test says so.
warnings.simplefilter("ignore", ew.errors.BrokenAssumptionWarning)
returns = ew.datasets.load_sp500_returns()
result = ew.edge_test(returns)
assert result.n_edges == 51, result.n_edges
assert (ew.EdgeTest().fit(returns).adjacency_ == result.reject).all()
result.report("returns.html", data=returns, compare=False)
assert "</html>" in Path("returns.html").read_text(encoding="utf-8")
assert ew.EdgeTestResult.from_json(result.to_json()).n_edges == 51
assert len(ew.datasets.load_sachs()) == 7466
assert len(ew.datasets.load_sachs_consensus()) > 10
"""


def wheel_problems(names: Iterable[str], modules: Iterable[str], version: str) -> list[str]:
    """What is wrong with the contents of a wheel; `modules` are the files of src/edgewise."""
    found, wanted = set(names), {*modules, *RESOURCES}
    about = f"edgewise-{version}.dist-info/"
    own = {name for name in found if not name.startswith(about)}
    return [
        *(f"the wheel lacks {name}" for name in sorted(wanted - own)),
        *(f"the wheel should not have {name}" for name in sorted(own - wanted)),
        *(
            f"the wheel has {name}, of a kind that nothing reads"
            for name in sorted(own & wanted)
            if Path(name).suffix not in KINDS
        ),
        *(
            f"the wheel lacks {about}{name}"
            for name in ("METADATA", "entry_points.txt", "licenses/LICENSE")
            if f"{about}{name}" not in found
        ),
    ]


def sdist_problems(names: Iterable[str], repository: Iterable[str]) -> list[str]:
    """What is wrong with the contents of an sdist, its first folder taken off."""
    found = {name for name in names if name != "PKG-INFO"}
    wanted = {name for name in repository if not name.startswith(REPOSITORY_ONLY)}
    return [
        *(f"the sdist lacks {name}" for name in sorted(wanted - found)),
        *(f"the sdist should not have {name}" for name in sorted(found - wanted)),
    ]


def main() -> None:
    version = version_here()
    wheel, sdist = build(ROOT / "dist")
    problems = [
        f"{path.name} has {path.stat().st_size:,} bytes, more than {MOST_BYTES[path.suffix]:,}"
        for path in (wheel, sdist)
        if path.stat().st_size > MOST_BYTES[path.suffix]
    ]
    with zipfile.ZipFile(wheel) as archive:
        package = ROOT / "src"
        modules = (path.relative_to(package).as_posix() for path in files_under(package))
        problems += wheel_problems(archive.namelist(), modules, version)
    with tempfile.TemporaryDirectory(prefix="edgewise-dist-") as temporary:
        away = Path(temporary)
        with tarfile.open(sdist) as archive:
            names = [member.name.partition("/")[2] for member in archive if member.isfile()]
            archive.extractall(away / "unpacked", filter="data")
        problems += sdist_problems(names, repository_files())
        if problems:
            sys.exit("\n".join(f"dist-check: {problem}" for problem in problems))
        say("the contents are as they should be")
        collect_tests(away / "unpacked" / f"edgewise-{version}")
        for path in (wheel, sdist):
            place = Place(away / path.suffix.strip("."))
            if path is wheel:
                try_core(path, place)
            try_all(path, place, version)
    for path in (wheel, sdist):
        say(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1e6:.2f} MB, good")


def version_here() -> str:
    contents: dict[str, str] = {}
    exec((ROOT / "src/edgewise/_version.py").read_text(encoding="utf-8"), contents)
    return contents["__version__"]


def build(folder: Path) -> tuple[Path, Path]:
    """The wheel and the sdist; nothing else is left in their folder."""
    shutil.rmtree(folder, ignore_errors=True)
    say("building …")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


def files_under(folder: Path) -> list[Path]:
    return [p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts]


def repository_files() -> list[str]:
    """What git knows, or does not ignore: the files that a fresh clone would have."""
    listed = run("git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return [name for name in set(listed.split("\0")) if name and (ROOT / name).is_file()]


def collect_tests(unpacked: Path) -> None:
    """The tests find what they need in the sdist; to run them all is `make test` there."""
    say("collecting the tests of the sdist …")
    environment = {**os.environ, "PYTHONPATH": str(unpacked / "src")}
    options = ("-q", "--collect-only", "-p", "no:cacheprovider")
    run(sys.executable, "-m", "pytest", *options, cwd=unpacked, env=environment)


class Place:
    """An empty environment and an empty folder to use it in."""

    def __init__(self, folder: Path) -> None:
        self.here = folder / "work"
        self.here.mkdir(parents=True)
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if name not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
        } | {"PYTHONUTF8": "1"}
        run(sys.executable, "-m", "venv", folder / "venv")
        self.programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        self.packages = Path(
            self.python("-c", "import sysconfig as s; print(s.get_path('purelib'))")
        )
        self.size_when_empty = size_on_disk(self.packages)

    def python(self, *arguments: str | Path) -> str:
        command = (self.programs / "python", *arguments)
        return run(*command, cwd=self.here, env=self.environment).strip()

    def edgewise(self, *arguments: str, status: int = 0) -> str:
        command = (self.programs / "edgewise", *arguments)
        return run(*command, cwd=self.here, env=self.environment, status=status)

    def install(self, path: Path, extra: str = "") -> float:
        """Install an archive; return what the packages take now, in MB."""
        say(f"installing {path.name}{extra} …")
        wanted = f"edgewise{extra} @ {path.as_uri()}"
        self.python("-m", "pip", "install", "--quiet", "--disable-pip-version-check", wanted)
        return (size_on_disk(self.packages) - self.size_when_empty) / 2**20


def size_on_disk(folder: Path) -> int:
    """As `du` counts: whole blocks, where the system tells them."""
    found = (path.lstat() for path in folder.rglob("*"))
    return sum(getattr(one, "st_blocks", -(-one.st_size // 512)) * 512 for one in found)


def try_core(path: Path, place: Place) -> None:
    """Without any extra: small, and every missing part says how to get it."""
    megabytes = place.install(path)
    say(f"the core takes {megabytes:.0f} MB")
    expect(megabytes <= MOST_CORE, f"the core takes {megabytes:.0f} MB, more than {MOST_CORE}")
    place.python("-I", ROOT / "tools" / "core_check.py")
    said = place.edgewise("demo", status=1)
    expect("[cli]" in said and len(said.splitlines()) == 1, f"without click, edgewise said {said}")


def try_all(path: Path, place: Place, version: str) -> None:
    """With the extra `all`, as a stranger would use it."""
    say(f"{place.install(path, '[all]'):.0f} MB with all")
    said = place.edgewise("--version").strip()
    expect(said == f"edgewise, version {version}", f"edgewise --version said {said!r}")
    expect("Exit status" in place.edgewise("--help"), "edgewise --help is not what it should be")
    place.edgewise("demo")
    for made in ("edgewise-demo.png", "edgewise-demo.html"):
        expect((place.here / made).stat().st_size > 10_000, f"edgewise demo made no {made}")
    place.python("-I", "-W", "error", "-c", SMOKE, version)
    place.edgewise("simulate", "-o", "rows.csv", "-n", "500")
    place.edgewise("test", "rows.csv", "--report", "rows.html")


def run(
    *command: str | Path,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
    status: int = 0,
) -> str:
    """What a command prints; the end of everything if it does not end with the status."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    shown = " ".join(str(part) for part in command[:6])
    expect(done.returncode == status, f"{shown}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def expect(holds: bool, problem: str) -> None:
    if not holds:
        sys.exit(f"dist-check: {problem}")


def say(line: str) -> None:
    print(f"dist-check: {line}", flush=True)


if __name__ == "__main__":
    main()
