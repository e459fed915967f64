"""The golden set: the predecessor's table, 20 prescriptions, each clean and with each of its four seeded faults.

`python -m tests.metamorphic.golden --write` writes `tests/golden/opd/*.json`, `--check` compares (a test does). Documents are those of
`opd`, faults those of `operators`; the rows have the names the predecessor's README gives them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.metamorphic import opd
from tests.metamorphic.documents import documents
from tests.metamorphic.grid import rank
from tests.metamorphic.operators import Clean, Fault, altered_strength, fabricated_drug, frequency_change, unit_swap

FOLDER = Path(__file__).resolve().parents[1] / "golden" / "opd"


def milligrams_and_micrograms(case: Clean) -> Iterator[Fault]:
    """The swap the predecessor seeds; `unit_swap` has the other units too."""
    return (fault for fault in unit_swap(case) if fault.what.endswith((" mg", " mcg")))


PER_DAY = {"1/d": 1, "2/d": 2, "3/d": 3, "4/d": 4, "bed": 1, "m-n": 2, "mmn": 3, "mor": 1, "nig": 1}


def another_count(case: Clean) -> Iterator[Fault]:
    """A frequency of the grammar with another number of doses a day: nothing that a convention explains."""
    for fault in frequency_change(case):
        before, after = fault.what.split(" -> ")
        if after in PER_DAY and PER_DAY[before] != PER_DAY[after]:
            yield fault


SEEDED: dict[str, Callable[[Clean], Iterator[Fault]]] = {
    "fabricated_drug": fabricated_drug,
    "unit_swap": milligrams_and_micrograms,
    "altered_strength": altered_strength,
    "invented_frequency": another_count,
}


def document(number: int) -> dict[str, Any]:
    """One golden file: the source, the faithful payload, and for each fault the payload and the paths where it has to be found."""
    meant = next(one for one in documents() if one.id == f"opd-{number + 1:02}")
    case = Clean(meant, "as its clinic writes", opd.source_of(number), opd.payload_of(number))
    faults = {}
    for name, operator in SEEDED.items():
        fault = min(operator(case), key=lambda one: rank(case.id, name, one.what, *one.where))
        faults[name] = {"what": fault.what, "where": list(fault.where), "payload": fault.payload}
    return {"source": case.source, "clean": case.payload, "faults": faults}


def golden_files() -> dict[str, str]:
    """File name -> text, as it must stand in `tests/golden/opd`."""
    return {
        f"{number + 1:02}.json": json.dumps(document(number), ensure_ascii=False, indent=1) + "\n"
        for number in range(len(opd.PRESCRIPTIONS))
    }


def committed() -> dict[str, dict[str, Any]]:
    """The golden set as it is committed: document name -> document."""
    return {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))}


def differences() -> list[str]:
    """Files that are missing, different or too many."""
    wanted = golden_files()
    there = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.json")}
    return sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", action="store_true")
    action.add_argument("--check", action="store_true")
    if parser.parse_args().write:
        FOLDER.mkdir(parents=True, exist_ok=True)
        for name, text in golden_files().items():
            (FOLDER / name).write_text(text, "utf-8")
    print(*differences(), sep="\n")
    return 1 if differences() else 0


if __name__ == "__main__":
    sys.exit(main())
