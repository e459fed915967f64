"""How long the reference data takes to be ready, and what it weighs: `python -m benchmarks.load [--check]`.

Each figure is the median over fresh processes, since a second load in one process finds everything warm; the library is compiled to
bytecode beforehand, as an installed one is. Times are processor time, which on an idle machine is the time that passes, and on a shared
one is still the library's own; the bundle's elapsed time stands beside it. The floor is what reading the bytes cannot do without: their
digest and their JSON. `--check` exits 1 when a target is missed. Resident size is the peak the operating system reports (Linux, macOS).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = 7
TARGET_BUNDLE_MS = 50.0
TARGET_RESIDENT_MB = 30.0
ROOT = Path(__file__).resolve().parents[1]

MEASURE = """
import hashlib, json, resource, sys, time
def resident():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024 * 1024)
def timed(action):
    start = time.process_time()
    value = action()
    return value, (time.process_time() - start) * 1000
start, bare = time.process_time(), resident()
from medfence_guard import bundle, rulepack
imported, after_import = (time.process_time() - start) * 1000, resident()
folder = rulepack.shipped_folder()
begun = time.perf_counter()
data, reading = timed((folder / "bundle.json").read_bytes)
ready, whole = timed(lambda: bundle.Bundle.from_bytes(data, jurisdiction="in"))
elapsed, after_bundle = (time.perf_counter() - begun) * 1000, resident()
floor = timed(lambda: (hashlib.sha256(data).hexdigest(), json.loads(data)))[1]
tables = {name: json.loads((folder / "lexicon" / f"{name}.json").read_bytes()) for name in rulepack.LEXICON_FILES}
_, lexicon = timed(lambda: rulepack.compile_lexicon(tables))
figures = {
    "import of the library, ms": imported, "bundle: bytes to ready, ms": reading + whole, "bundle: elapsed, ms": elapsed,
    "bundle: the floor, digest and JSON, ms": floor, "bundle: times the floor": (reading + whole) / floor,
    "lexicons: tables to ready, ms": lexicon,
    "resident: bare Python, MB": bare, "resident: after import, MB": after_import, "resident: with the bundle, MB": after_bundle,
}
name = "telmisartan" * 40
for length in (5, 10, 20, 40, 80, 160, 320):
    asked = name[:length]
    _, spent = timed(lambda: [ready.names.get(bundle.name_key(asked)) for _ in range(2000)])
    figures[f"look-up of a name of {length:3} letters, us"] = spent / 2
print(json.dumps(figures))
"""

# In a process of its own: after the parts above, the whole would find their words cut already.
MEASURE_WHOLE = """
import json, resource, sys, time
from medfence_guard import Rulepack
start = time.process_time()
Rulepack.default()
spent = (time.process_time() - start) * 1000
resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024 * 1024)
print(json.dumps({"Rulepack.default(), ms": spent, "resident: with Rulepack.default(), MB": resident}))
"""


def measured(bytecode: str) -> dict[str, float]:
    """The figures of fresh processes that keep their bytecode in this folder."""
    return {**_run(MEASURE, bytecode), **_run(MEASURE_WHOLE, bytecode)}


def _run(script: str, bytecode: str) -> dict[str, float]:
    command = [sys.executable, "-c", script]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = bytecode
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit 1 when a target is missed")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as bytecode:
        measured(bytecode)
        runs = [measured(bytecode) for _ in range(RUNS)]
    medians = {what: statistics.median(run[what] for run in runs) for what in runs[0]}
    print(f"median of {RUNS} fresh processes, Python {sys.version.split()[0]}")
    for what, value in medians.items():
        print(f"{what:42} {value:8.2f}")
    targets = (
        ("bundle: bytes to ready, ms", TARGET_BUNDLE_MS),
        ("resident: with the bundle, MB", TARGET_RESIDENT_MB),
    )
    missed = [(what, limit) for what, limit in targets if medians[what] >= limit]
    for what, limit in targets:
        print(f"target: {what} under {limit:g}: {'MISSED' if (what, limit) in missed else 'met'}")
    return 1 if args.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
