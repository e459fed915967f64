"""The same source, extraction and rulepack give the same bytes: under every hash seed, locale, time zone and Python we support."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
VECTORS = ROOT / "tests" / "core" / "vectors"
SUPPORTED = ("3.11", "3.12", "3.13")

# Six processes, no two with the same hash seed, while locale and time zone cross; of these, two on every other Python.
HASH_SEEDS = ("0", "1", "42", "1000", "65537", "4294967295")
TIME_ZONES = ("UTC", "Asia/Kolkata")

# One report per line, of every seventh case.
REPORTS = """
import json, pathlib, sys
import vector_rows

rows = list(vector_rows.read(pathlib.Path(sys.argv[1]) / "cases.jsonl"))[::7]
out = [row["id"] + " " + vector_rows.report_of(row).to_json() for row in rows]
sys.stdout.buffer.write("\\n".join(out).encode("utf-8"))
"""

PRESCRIPTION = "Rx\n1. Tab Telma 40 mg OD x 30 days\n2. Syp Ascoril LS 5 ml TDS x 5 days\n3. Cap Becosules 1-0-0 \u00d7 10 days\n"
EXTRACTION = {
    "medications": [
        {"name": "Telma", "strength": {"value": 40, "unit": "mg"}, "frequency": "OD", "duration": "30 days"},
        {"name": "Ascoril LS", "dose": "5 ml", "frequency": "TID", "duration": "5/7"},
        {"name": "Becosules", "form": "capsule", "frequency": "BD"},
    ]
}

# Each Python compiles what it runs once for all its processes here, and leaves nothing in the checkout.
BYTECODE = tempfile.TemporaryDirectory(prefix="medfence-")


def interpreters() -> dict[str, str]:
    """Version -> an interpreter of it that really runs: this one, those on the PATH, those a version manager keeps."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = {f"{sys.version_info.major}.{sys.version_info.minor}": sys.executable}
    for version in SUPPORTED:
        candidates = [shutil.which(f"python{version}"), *sorted(str(path) for path in kept.glob(f"{version}.*/bin/python{version}"))]
        for candidate in filter(None, candidates):
            asked = [candidate, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
            answer = subprocess.run(asked, capture_output=True, text=True, check=False)
            if answer.returncode == 0 and answer.stdout.strip() == version:
                found.setdefault(version, candidate)
    return found


def locales() -> tuple[str, str]:
    """The C locale, and the one here that differs most from it: a decimal comma or another script before plain UTF-8."""
    listed = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout.split() if shutil.which("locale") else []
    for wanted in ("de_DE", "hi_IN", "tr_TR", "en_IN", "en_US", "C."):
        for name in listed:
            if name.startswith(wanted) and "utf" in name.lower():
                return ("C", name)
    return ("C", "C.UTF-8")


def environment(turn: int) -> dict[str, str]:
    return {
        "PATH": os.defpath,
        "PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("", "refdata", "tests")),
        "PYTHONPYCACHEPREFIX": BYTECODE.name,
        "PYTHONHASHSEED": HASH_SEEDS[turn],
        "LC_ALL": locales()[turn % 2],
        "TZ": TIME_ZONES[turn // 2 % 2],
    }


def output(command: list[str], turn: int) -> bytes:
    done = subprocess.run(command, capture_output=True, env=environment(turn), check=False)
    assert not done.stderr, done.stderr.decode()
    return done.stdout


PYTHONS = interpreters()


@pytest.fixture(scope="module")
def expected() -> bytes:
    return output([sys.executable, "-c", REPORTS, str(VECTORS)], 0)


def test_the_sample_is_not_empty(expected: bytes) -> None:
    verdicts = {json.loads(line.split(b" ", 1)[1])["overall"] for line in expected.splitlines()}
    assert verdicts == {"pass", "fail", "abstain"}


RUNS = [(version, turn) for version, python in PYTHONS.items() for turn in (range(len(HASH_SEEDS)) if python == sys.executable else (1, 2))]


@pytest.mark.parametrize(("version", "turn"), RUNS)
def test_reports_are_byte_identical(version: str, turn: int, expected: bytes) -> None:
    got = output([PYTHONS[version], "-c", REPORTS, str(VECTORS)], turn)
    differing = [a.split(b" ", 1)[0].decode() for a, b in zip(expected.splitlines(), got.splitlines(), strict=False) if a != b]
    assert not differing
    assert got == expected


@pytest.mark.parametrize("version", PYTHONS)
def test_the_command_prints_the_same_bytes(version: str, tmp_path: Path) -> None:
    (tmp_path / "source.txt").write_text(PRESCRIPTION, "utf-8")
    (tmp_path / "extraction.json").write_text(json.dumps(EXTRACTION), "utf-8")
    arguments = ["verify", "--source", str(tmp_path / "source.txt"), "--extraction", str(tmp_path / "extraction.json"), "--json"]
    printed = {output([PYTHONS[version], "-m", "medfence_guard", *arguments], turn) for turn in (0, 3)}
    printed.add(output([sys.executable, "-m", "medfence_guard", *arguments], 4))
    assert len(printed) == 1
    assert json.loads(printed.pop())["overall"] == "fail"
