"""What a user gets is what we think we ship: four packages, all named ours, their data with them, the core alone and light."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PACKAGES = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]


def test_every_package_folder_is_listed() -> None:
    """A folder left out works in a checkout and is missing for users."""
    folders = {f"{parent}/{path.parent.name}" for parent in ("adapters", "refdata") for path in (ROOT / parent).glob("*/__init__.py")}
    assert folders | {"medfence_guard"} == set(PACKAGES)


def test_every_shipped_name_is_ours() -> None:
    assert all("medfence" in Path(package).name for package in PACKAGES)


@pytest.mark.parametrize("folder", ["adapters", "refdata", "examples", "tests", "benchmarks"])
def test_a_plain_folder_is_not_a_package(folder: str) -> None:
    assert not (ROOT / folder / "__init__.py").exists()


@pytest.mark.parametrize("package", PACKAGES)
def test_types_are_shipped(package: str) -> None:
    assert (ROOT / package / "py.typed").is_file()


def test_the_version_is_one_literal() -> None:
    """A bare clone has no metadata to ask, so the version stands in the code; it must be the one we publish."""
    tree = ast.parse((ROOT / "medfence_guard" / "__init__.py").read_text("utf-8"))
    assigned = {ast.unparse(node.targets[0]): node.value for node in tree.body if isinstance(node, ast.Assign)}
    literal = ast.literal_eval(assigned["__version__"])
    assert literal == PROJECT["project"]["version"]


def test_reports_carry_the_version() -> None:
    from medfence_guard import Extraction, SourceDocument, __version__, verify

    assert __version__ in verify(Extraction("prescription", {}), SourceDocument("Tab Telma 40 mg OD")).engine_version


def run_alone(code: str, *paths: Path, cwd: Path) -> str:
    """Run with these paths and the standard library only: no site-packages, nothing of the checkout unless named."""
    environment = {"PATH": "", "PYTHONPATH": os.pathsep.join(map(str, paths)), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-S", "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_core_needs_the_standard_library_only(tmp_path: Path) -> None:
    loaded = "import sys, medfence_guard\nprint(*sorted({name.split('.')[0] for name in sys.modules}), sep='\\n')"
    roots = set(run_alone(loaded, ROOT, cwd=tmp_path).split()) - {"__main__", "sitecustomize", "usercustomize"}
    assert roots - sys.stdlib_module_names == {"medfence_guard"}


def test_verifying_loads_no_database_no_thread_and_nothing_that_talks(tmp_path: Path) -> None:
    """`Fence` and its companions have the effects; they are loaded when they are first named."""
    code = (
        "import sys\nfrom medfence_guard import Extraction, SourceDocument, verify\n"
        "verify(Extraction('prescription', {}), SourceDocument('Tab Telma 40 mg OD'))\nprint(*sys.modules, sep='\\n')"
    )
    loaded = set(run_alone(code, ROOT, cwd=tmp_path).split())
    assert not loaded & {"sqlite3", "threading", "asyncio", "socket", "ssl", "subprocess", "urllib.request", "medfence_guard.release"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    [path] = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def shipped(wheel: zipfile.ZipFile) -> set[str]:
    return {name for name in wheel.namelist() if ".dist-info/" not in name}


def test_the_wheel_holds_our_packages_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    assert {name.split("/")[0] for name in shipped(wheel)} == {Path(package).name for package in PACKAGES}


def test_the_wheel_holds_every_file_of_every_package(wheel: zipfile.ZipFile) -> None:
    """Data with the code: lexicons, bundles, the demo's documents, the type markers."""
    tracked = subprocess.run(["git", "ls-files", *PACKAGES], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split("\n")
    expected = {
        str(Path(Path(package).name) / Path(file).relative_to(package))
        for package in PACKAGES
        for file in filter(None, tracked)
        if Path(file).is_relative_to(package)
    }
    assert expected
    assert expected <= shipped(wheel)


def test_the_wheel_holds_the_reference_data_of_both_countries_and_stays_small(wheel: zipfile.ZipFile) -> None:
    data = {info.filename: info for info in wheel.infolist() if info.filename.startswith("medfence_refdata/")}
    for code in ("in", "us"):
        assert {f"medfence_refdata/{code}/bundle.json", f"medfence_refdata/{code}/manifest.json"} <= set(data)
    assert not [name for name in data if name.endswith(".csv")]
    assert not [name for name in data if "/us/lexicon" in name]
    # 4.8 MB with the 5,600 curated rows of December 2026; the download is what the next line bounds.
    assert sum(info.file_size for info in data.values()) < 5_000_000
    assert sum(info.compress_size for info in wheel.infolist()) < 2_000_000


def test_both_countries_load_from_the_wheel_alone(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path / "site")
    (tmp_path / "elsewhere").mkdir()
    code = "from medfence_guard import Rulepack\nprint(Rulepack.default(('in', 'us')).jurisdiction)"
    assert run_alone(code, tmp_path / "site", cwd=tmp_path / "elsewhere").strip() == "in+us"


def test_the_demo_runs_from_the_wheel_alone(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path / "site")
    (tmp_path / "elsewhere").mkdir()
    code = "import sys, medfence_guard.cli as cli\nsys.exit(cli.main(['demo']))"
    printed = run_alone(code, tmp_path / "site", cwd=tmp_path / "elsewhere")
    assert all(word in printed for word in ("PASS", "FAIL", "ABSTAIN"))


def test_the_wheel_declares_the_command(wheel: zipfile.ZipFile) -> None:
    [entry_points] = [name for name in wheel.namelist() if name.endswith("entry_points.txt")]
    assert "medfence-guard = medfence_guard.cli:main" in wheel.read(entry_points).decode()


@pytest.mark.parametrize("name", sorted(set(PROJECT["project"]["optional-dependencies"]) - {"all", "dev", "test", "examples"}))
def test_every_extra_for_users_is_in_all(name: str) -> None:
    [everything] = PROJECT["project"]["optional-dependencies"]["all"]
    assert name in everything
