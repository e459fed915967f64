"""How long `verify()` takes, how that grows, and what it is a multiple of: `python -m benchmarks.verify [--check] [--json OUT]`.

One run prints everything, since figures of different runs on a shared machine do not compare: the median over prescriptions of
1 to 200 items and over sources of 300 B to 1 MiB with their growth exponents; the cost as a multiple of a floor (SHA-256 and one
regex scan of the same source, the least that any verifier must do); the same prescription against bundles of 27 and 27,000
molecules; and, if `medfence` 0.1.0 is installed beside us, that peer on the same input. The five-item prescription has other
durations at every call, so that no call is answered from what the one before left behind. `--check` exits 1 when a bound is broken;
`--json OUT` also writes the figures (seconds, bytes and ratios) to a file.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import itertools
import json
import math
import re
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from medfence_guard import Extraction, Rulepack, SourceDocument, verify
from medfence_guard.bundle import Bundle
from medfence_guard.bundle_file import packed

ITEM_COUNTS = (1, 5, 20, 200)
SOURCE_SIZES = (300, 4_096, 65_536, 262_144, 1_048_576)
BUNDLE_SIZES = (27, 27_000)
VARIANTS = 40  # texts of the five-item prescription

AT_MOST_LINEAR = 1.15  # growth exponent between the two largest sizes; the slack is for caches, not for another power
BUNDLE_RATIO = 1.2
FLOOR_MULTIPLE = 15.0
PEER_RATIO = 25.0

HEADING = (
    "City Clinic, General OPD, Ground floor\nDate: 12/03/2026    OPD no. 1123    follow-up, room 7\n"
    "C/o fever, cough and body ache since two days, no rash. BP 124/80, pulse 84, chest clear.\n\nRx\n"
)
# Five that the predecessor's small bundle knows as well; the comparison is about work, not about who has heard of what.
KNOWN_TO_BOTH = (("Paracetamol", "500"), ("Metformin", "500"), ("Amlodipine", "5"), ("Cetirizine", "10"), ("Atorvastatin", "20"))
FILLER = "Advised to rest, to drink plenty of fluids and to come back with the reports if there is no relief.\n"
TOKEN = re.compile(r"[A-Za-z]+|\d+(?:[.,/]\d+)*|\S")
FREQUENCIES = ("OD", "BD", "TDS")


@dataclass(frozen=True)
class Case:
    """One input, in the predecessor's payload, which both libraries read."""

    source: str
    payload: dict[str, object]


def prescription(orders: Sequence[tuple[str, str]], size: int = 0, longer: int = 0) -> Case:
    """A typed prescription of these `(name, milligrams)` orders; text without any order is put before them up to `size` bytes.

    `longer`: days by which each order lasts longer, which makes another text of it.
    """
    lines, medications = [], []
    for index, (name, value) in enumerate(orders):
        frequency = FREQUENCIES[index % len(FREQUENCIES)]
        lines.append(f"{index + 1}. Tab {name} {value} mg {frequency} x {5 + index % 3 + longer} days after food\n")
        medications.append({"name": name, "strength": {"value": json.loads(value), "unit": "mg"}, "frequency": frequency, "form": "tablet"})
    body = "".join(lines)
    room = max(0, size - len(HEADING) - len(body))
    filler = (FILLER * (room // len(FILLER) + 1))[:room]
    return Case(filler[: filler.rfind("\n") + 1] + HEADING + body, {"medications": medications})


def known_orders(bundle: Bundle, wanted: int) -> list[tuple[str, str]]:
    """Plain tablets of one molecule that the bundle attests in milligrams: one strength each, then the next strength."""
    strengths: dict[str, list[str]] = {}
    for molecules, products in bundle.products.items():
        for product in products:
            [first, *more] = product.components
            plain = product.form == "tablet" and not product.release and not product.brand and not more and first.per_unit is None
            if plain and first.unit == "mg" and first.value.denominator in (1, 2, 4, 5, 10) and re.fullmatch(r"[a-z]{5,}", molecules[0]):
                value = f"{float(first.value):g}"
                if value not in strengths.setdefault(molecules[0], []):
                    strengths[molecules[0]].append(value)
    rounds = max(map(len, strengths.values()))
    orders = [(name, values[turn]) for turn in range(rounds) for name, values in sorted(strengths.items()) if turn < len(values)]
    if len(orders) < wanted:
        raise SystemExit(f"the bundle attests only {len(orders)} plain tablets; the benchmark needs {wanted}")
    return orders[:wanted]


def made_up_bundle(orders: Sequence[tuple[str, str]], molecules: int) -> Bundle:
    """A bundle of `molecules` molecules that holds these orders; the others have made-up names."""
    invented = [("zy" + "".join("aeioubdfgklmnprstv"[(n // 18**k) % 18] for k in range(4)) + "ine", "10") for n in range(molecules)]
    facts = list(dict([*((name.lower(), value) for name, value in orders), *invented]).items())[:molecules]
    products = [
        {
            "molecules": [name],
            "strengths": [{"value": value, "unit": "mg"}],
            "form": "tablet",
            "grade": "regulator",
            "source": [f"made-up#{n}"],
        }
        for n, (name, value) in enumerate(facts)
    ]
    bundle_facts = {
        "jurisdiction": "in",
        "edition": f"benchmark-{molecules}",
        "molecules": {name: {"aliases": []} for name, _ in facts},
        "products": products,
        "brands": [],
    }
    return Bundle.from_bytes(json.dumps(packed(bundle_facts)).encode())


def medians(calls: dict[str, Callable[[], object]], seconds: float) -> dict[str, float]:
    """The median time of each call in seconds, the calls taken in turn so that a slow moment of the machine meets all of them.

    It is processor time, which on an idle machine is the time that passes.
    """
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    started = time.perf_counter()
    while (elapsed := time.perf_counter() - started) < seconds or len(next(iter(taken.values()))) < 5:
        if elapsed > 20 * seconds and len(next(iter(taken.values()))) >= 3:
            break
        for name, call in calls.items():
            before = time.process_time()
            call()
            taken[name].append(time.process_time() - before)
    return {name: statistics.median(times) for name, times in taken.items()}


def each_in_turn(make: Callable[[Case], Callable[[], object]], cases: Sequence[Case]) -> Callable[[], object]:
    """A call that takes the next of several cases each time."""
    turn = itertools.cycle([make(case) for case in cases])

    def call() -> object:
        return next(turn)()

    return call


def ours(case: Case, rulepack: Rulepack) -> Callable[[], object]:
    return lambda: verify(Extraction("prescription", case.payload), SourceDocument(case.source), rulepack)


def floor(case: Case) -> Callable[[], object]:
    return lambda: (hashlib.sha256(case.source.encode()).hexdigest(), sum(1 for _ in TOKEN.finditer(case.source)))


def peer() -> Callable[[Case], Callable[[], object]] | None:
    """The predecessor on a case, if it is installed here. It is measured, and nothing of it is used."""
    try:
        medfence = importlib.import_module("medfence")
    except ImportError:
        return None
    rulepack = medfence.load_rulepack()
    return lambda case: (
        lambda: medfence.verify(medfence.Extraction("prescription", case.payload), medfence.SourceDocument(case.source), rulepack)
    )


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float:
    """Slope of the straight line through the points on logarithmic axes, by least squares."""
    points = [(math.log(size), math.log(taken)) for size, taken in zip(sizes, times, strict=True)]
    x_mean, y_mean = (statistics.fmean(values) for values in zip(*points, strict=True))
    return sum((x - x_mean) * (y - y_mean) for x, y in points) / sum((x - x_mean) ** 2 for x, _ in points)


Figures = dict[str, object]


def sweep(title: str, cases: dict[int, Case], rulepack: Rulepack) -> tuple[float, Figures]:
    """Print one table; return its figures, and the exponent between the two largest sizes, where fixed costs no longer hide the growth."""
    print(f"\n{title:>10}  source bytes   verify ms   x floor   verdict")
    times = {}
    rows = []
    for size, case in cases.items():
        taken = medians({"ours": ours(case, rulepack), "floor": floor(case)}, 0.4)
        times[size] = taken["ours"]
        report = verify(Extraction("prescription", case.payload), SourceDocument(case.source), rulepack)
        source_bytes, multiple = len(case.source.encode()), taken["ours"] / taken["floor"]
        print(f"{size:>10}  {source_bytes:>12}  {taken['ours'] * 1e3:>10.3f}  {multiple:>8.1f}   {report.overall.name}")
        row: Figures = {title: size, "source_bytes": source_bytes, "verify_seconds": taken["ours"], "floor_seconds": taken["floor"]}
        rows.append(row | {"times_floor": multiple, "verdict": report.overall.name})
    sizes = list(times)
    overall = exponent(sizes, list(times.values()))
    largest = exponent(sizes[-2:], [times[size] for size in sizes[-2:]])
    print(f"growth exponent: {overall:.2f} over all, {largest:.2f} between the two largest")
    return largest, {"rows": rows, "exponent": overall, "exponent_of_the_two_largest": largest}


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3f} ms"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit 1 if a bound is broken")
    parser.add_argument("--json", metavar="OUT", type=Path, help="write the figures to this file too")
    arguments = parser.parse_args()

    rulepack = Rulepack.default()
    orders = known_orders(rulepack.bundle, max(ITEM_COUNTS))
    print(f"Python {sys.version.split()[0]}, bundle {rulepack.refdata_snapshot}")
    figures: Figures = {"python": sys.version.split()[0], "bundle": rulepack.refdata_snapshot}
    broken = []

    growth, figures["items"] = sweep("items", {count: prescription(orders[:count]) for count in ITEM_COUNTS}, rulepack)
    broken += [f"items: exponent {growth:.2f}"] if growth > AT_MOST_LINEAR else []
    growth, figures["bytes"] = sweep("bytes", {size: prescription(orders[:2], size) for size in SOURCE_SIZES}, rulepack)
    broken += [f"source: exponent {growth:.2f}"] if growth > AT_MOST_LINEAR else []

    five = [prescription(KNOWN_TO_BOTH, longer=days) for days in range(VARIANTS)]
    with_few, with_many = (replace(rulepack, bundle=made_up_bundle(KNOWN_TO_BOTH, size)) for size in BUNDLE_SIZES)
    taken = medians(
        {
            "small": each_in_turn(lambda case: ours(case, with_few), five),
            "large": each_in_turn(lambda case: ours(case, with_many), five),
        },
        1.0,
    )
    ratio = taken["large"] / taken["small"]
    fewer, more = BUNDLE_SIZES
    small, large = milliseconds(taken["small"]), milliseconds(taken["large"])
    print(f"\nbundle of {fewer:,} molecules: {small}, of {more:,}: {large}, ratio {ratio:.2f}")
    figures["bundle_sizes"] = {"molecules": [fewer, more], "verify_seconds": [taken["small"], taken["large"]], "ratio": ratio}
    broken += [f"bundle size: ratio {ratio:.2f}"] if ratio > BUNDLE_RATIO else []

    calls = {"ours": each_in_turn(lambda case: ours(case, rulepack), five), "floor": each_in_turn(floor, five)}
    theirs = peer()
    taken = medians(calls | ({"peer": each_in_turn(theirs, five)} if theirs else {}), 1.5)
    multiple = taken["ours"] / taken["floor"]
    verdicts = sorted(
        {verify(Extraction("prescription", case.payload), SourceDocument(case.source), rulepack).overall.name for case in five}
    )
    told: Figures = {
        "source_characters": len(five[0].source),
        "verdicts": verdicts,
        "verify_seconds": taken["ours"],
        "floor_seconds": taken["floor"],
        "times_floor": multiple,
    }
    print(f"\nfive items, {len(five[0].source)} characters, {VARIANTS} texts in turn, {' '.join(verdicts)}: {milliseconds(taken['ours'])}")
    print(f"{multiple:.1f} x the floor of {milliseconds(taken['floor'])}")
    broken += [f"floor: {multiple:.1f} x"] if multiple > FLOOR_MULTIPLE else []
    if theirs:
        faster = taken["peer"] / taken["ours"]
        theirs_multiple = taken["peer"] / taken["floor"]
        print(f"medfence 0.1.0 on the same input: {milliseconds(taken['peer'])}, {theirs_multiple:.0f} x the floor")
        print(f"ours is {faster:.1f} x faster")
        told |= {"peer_seconds": taken["peer"], "peer_times_floor": theirs_multiple, "times_faster_than_peer": faster}
        broken += [f"peer: {faster:.1f} x"] if faster < PEER_RATIO else []
    else:
        print("medfence 0.1.0 is not installed here, so it was not measured; `make bench` installs it")
    figures |= {"five_items": told, "bounds_broken": broken}

    print("\nbounds broken: " + ("; ".join(broken) or "none"))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 1 if arguments.check and broken else 0


if __name__ == "__main__":
    sys.exit(main())
