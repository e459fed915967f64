"""What every vector row's report finds, recorded: `python -m tests.recorded --write`, or `ID ..` to see the findings of a row.

A row asks for a verdict; the record holds the whole report to what it was, finding by finding, on every Python. It says that something
changed, not that it was right before: after a change that is meant, look at a few of the rows that differ, then write it anew.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests import vector_rows

FOLDER = Path(__file__).parent / "checks"
RECORD = FOLDER / "recorded.json"


def rows() -> Iterator[dict[str, Any]]:
    for file in sorted((FOLDER / "vectors").glob("*.jsonl")):
        yield from vector_rows.read(file)


def recorded() -> dict[str, str]:
    """Row id -> fingerprint."""
    found: dict[str, str] = json.loads(RECORD.read_text("utf-8"))
    return found


def main(arguments: list[str]) -> int:
    if arguments == ["--write"]:
        found = {row["id"]: vector_rows.fingerprint(vector_rows.report_of(row)) for row in rows()}
        RECORD.write_text(json.dumps(found, indent=0, ensure_ascii=False, sort_keys=True) + "\n", "utf-8")
        return 0
    for row in rows():
        if row["id"] in arguments:
            report = vector_rows.report_of(row)
            print(vector_rows.explain(row, report))
            for one in report.findings:
                print(f"  {one.verdict.name:8}{one.severity.name:9}{one.check_id:32}{one.field_path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
