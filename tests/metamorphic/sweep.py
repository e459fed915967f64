"""Every vector that passes, corrupted in one place: no corruption may pass.

The payload is corrupted (a digit, a unit, a frequency, a name, text added to a field, a field emptied, an invented field, an item dropped,
doubled, or exchanged with another), or the source is (a cue, a changed number, a second order). What an edit leaves entailed is not tried:
see the guards beside each. That makes a quarter of a million corruptions, more than a run of the suite has time for: `sweep` takes one in
so many, chosen by hash, and `python -m benchmarks.sweep` takes more of them.
"""

from __future__ import annotations

import contextlib
import copy
import re
import zlib
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from medfence_guard import Verdict
from tests import vector_rows

VECTORS = Path(__file__).resolve().parents[1] / "checks" / "vectors"
Row = dict[str, Any]
Change = tuple[str, Row]


def passing() -> list[Row]:
    """Rows of the vectors whose ideal is PASS, whose payload is plain JSON and whose source is one text without word figures."""
    rows = [row for file in sorted(VECTORS.glob("*.jsonl")) for row in vector_rows.read(file)]
    return [
        row
        for row in rows
        if row["expected"]["verdict"] == "PASS"
        and isinstance(row.get("payload"), dict)
        and isinstance(row["source_text"], str)
        and not row["source"].get("words")
        and "options" not in row
    ]


def items_of(row: Row) -> tuple[str, list[dict[str, Any]]]:
    """The container key and its items, `("", [])` when the payload has another shape."""
    for key, value in row["payload"].items():
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            return key, value
    return "", []


def with_item(row: Row, index: int, **fields: Any) -> Row:
    key, items = items_of(row)
    copied = copy.deepcopy(items)
    copied[index].update(fields)
    return {**row, "payload": {**row["payload"], key: copied}}


def with_items(row: Row, items: list[dict[str, Any]]) -> Row:
    key, _ = items_of(row)
    return {**row, "payload": {**row["payload"], key: items}}


def with_source(row: Row, text: str) -> Row:
    return {**row, "source_text": text}


# -- the payload -------------------------------------------------------------------------------------------------------

NAMES = ("name", "drug_name", "medicine", "medicine_name", "drug", "medication")
TEXT_FIELDS = (*NAMES, "strength", "dose", "form", "frequency", "duration", "route", "timing", "release", "dosage", "max_dose")
TAILS = (" stop", " then stop", " ?", " weekly", " alternate days", " x 9 days", " 9 mg", " max 9/day", " SOS", " 9 tablets", " /kg", " IV")
# Surfaces of one meaning each. A claim of another group than the source's is another regimen.
FREQUENCIES = (
    ("OD", "once daily", "once a day", "daily"),
    ("BD", "twice daily", "BID", "twice a day", "2 times a day"),
    ("TDS", "thrice daily", "TID", "three times a day", "3 times a day"),
    ("QID", "four times a day", "4 times a day"),
    ("HS", "at bedtime"),
    ("SOS", "as needed"),
    ("q6h", "6 hourly"),
    ("q8h", "8 hourly"),
    ("once a week", "weekly"),
    ("alternate days",),
    ("1-0-1",),
    ("1-1-1",),
    ("2-0-2",),
    ("0-1-0",),
    ("BD SOS",),
)
INVENTED = {
    "dose": "9 tablets",
    "route": "IV",
    "duration": "99 days",
    "as_needed": True,
    "as_needed_for": "insomnia",
    "max_dose": "9 tablets/day",
    "quantity": "77",
    "refills": 9,
    "indication": "malaria",
    "instructions": "take nine hourly",
    "timing": "before dinner",
    "site": "left eye",
    "release": "PR",
    "status": "stopped",
    "form": "suppository",
    "strength": "999 mg",
    "generic_name": "Warfarin",
}
AS_NEEDED = re.compile(r"sos|prn|p\.r\.n|need|require|demand|s\.o\.s|if |hone par")
# A medicine that is not taken, before another on its line: a cue at the head of the line is of the first.
FIRST_NOT_TAKEN = re.compile(r"\b(?:stop|stopped|avoid|discontinued?)\b")
VISIT = re.compile(r"\b(?:review|visit|follow|check|rtc)")
WEEKDAYS = re.compile(r"(?:sun|mon|tues|wednes|thurs|fri|satur)day|\b(?:sun|mon|tue|wed|thu|fri|sat)\b")
SLOTS = re.compile(r"[\d½]+(?:ml)?(?:-[\d½]+(?:ml)?){2,3}")


def equal_numbers(one: str, other: str) -> bool:
    """Whether two surfaces differ only in how they write the same decimals."""

    def values(text: str) -> list[Decimal]:
        return [Decimal(part) for part in re.findall(r"\d+(?:\.\d+)?|\.\d+", text)]

    with contextlib.suppress(InvalidOperation):
        return re.sub(r"[\d.]+", "#", one) == re.sub(r"[\d.]+", "#", other) and values(one) == values(other)
    return False


def digit_edits(text: str) -> Iterator[str]:
    """A digit changed, lost, doubled by a zero, or made malformed."""
    for match in re.finditer(r"\d", text):
        here, before, after = match.group(), text[: match.start()], text[match.end() :]
        for new in (str((int(here) + 1) % 10), "", here + "0", here + ".5", here + ",5", here + "..5"):
            yield before + new + after


def frequency_swaps(text: str, source: str) -> Iterator[str]:
    lowered = source.casefold()
    mine = next((group for group in FREQUENCIES if text.casefold() in (s.casefold() for s in group)), None)
    if mine is None or (SLOTS.search(source) and not SLOTS.fullmatch(text)):
        return  # a surface of no group here, or a count beside slots, which may name each other
    for group in FREQUENCIES:
        stated = any(re.search(rf"(?<!\w){re.escape(s.casefold())}(?!\w)", lowered) for s in group)
        counted = SLOTS.fullmatch(text) and not SLOTS.fullmatch(group[0])
        as_needed = group == ("BD SOS",) and "BD" in mine and AS_NEEDED.search(lowered)
        if group is not mine and not stated and not counted and not as_needed:
            yield group[0]


def same(field: str, one: str, other: str) -> bool:
    """Whether two surfaces say the same: `TDS` and `3 times a day`, `1.5 mg` and `1500 mcg`, the same words in another order."""
    masses = [re.fullmatch(r"([\d.]+) ?(g|mg|mcg|ug|µg)", text) for text in (one, other)]
    scaled = [Decimal(m[1]) * {"g": 1_000_000, "mg": 1000}.get(m[2], 1) for m in masses if m is not None]
    grouped = field == "frequency" and any({one, other} <= {s.casefold() for s in group} for group in FREQUENCIES)
    return grouped or sorted(one.split()) == sorted(other.split()) or (len(scaled) == 2 and scaled[0] == scaled[1])


def surface_of(value: Any) -> str:
    """`75 mg`, as text or as its two parts."""
    return (" ".join(map(str, value.values())) if isinstance(value, dict) else str(value)).casefold()


def payload_changes(row: Row) -> Iterator[Change]:
    _, items = items_of(row)
    source = row["source_text"]
    lowered = source.casefold()
    for index, item in enumerate(items):
        for field, value in item.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                value = str(value)
            parts: dict[tuple[str, ...], str] = {(field,): value} if isinstance(value, str) else {}
            if isinstance(value, dict):
                parts = {(field, key): str(part) for key, part in value.items() if isinstance(part, (str, int, float))}
            for path, text in parts.items():

                def put(new: str, path: tuple[str, ...] = path, value: Any = value, index: int = index) -> Row:
                    return with_item(row, index, **{path[0]: new if len(path) == 1 else {**value, path[1]: new}})

                # What a model says of its own work, and places of a span, are no claims (P19).
                placed = field.endswith("_span") and path[-1] in ("start", "end")
                unclaimed = placed or field in ("refills", "sequence", "confidence", "reasoning", "id")
                for new in digit_edits(text):
                    if (
                        path[-1] == "instructions"
                        and "dose" in item
                        and re.search(r"(?:take|give) {2}(?:tablet|capsule)\b", new, re.IGNORECASE)
                    ):
                        continue  # `Take tablet` still says one, and `dose` says how many
                    if path[-1] == "strength" and re.fullmatch(r"\s*x .*|.* {2}tab", new):
                        continue  # `1 x 500 mg` and `500 mg 1 tab` without their count
                    if new and not equal_numbers(text, new) and not unclaimed:
                        yield f"digit [{index}].{'.'.join(path)} {text} -> {new}", put(new)
                if path[-1] in (*TEXT_FIELDS, "unit"):
                    for tail in TAILS:
                        stated = tail.strip(" ?").casefold() in lowered and tail != " ?"
                        # `every Sunday weekly` is every Sunday.
                        synonyms = (tail == " weekly" and ("week" in lowered or WEEKDAYS.search(lowered))) or (
                            tail == " alternate days" and re.search(r"every other|every 2 days|every second|\balt\b", lowered)
                        )
                        as_needed = tail == " SOS" and (item.get("as_needed") or AS_NEEDED.search(lowered))
                        by_vein = tail == " IV" and re.search(r"i[./]?v|infusion|drip", lowered)
                        if not (stated or synonyms or as_needed or by_vein):
                            yield f"tail{tail} [{index}].{'.'.join(path)}", put(text + tail)
                for unit in ("mcg", "g", "ml", "%", "mg"):
                    new = re.sub(r"(?<![a-zµ])(?:mg|mcg|ml|g|iu)(?![a-z])", unit, text, count=1, flags=re.IGNORECASE)
                    if new.casefold() != text.casefold() and path[-1] in ("strength", "dose", "unit"):
                        yield f"unit [{index}].{'.'.join(path)} {text} -> {new}", put(new)
                if field == "frequency":
                    for new in frequency_swaps(text, source):
                        yield f"frequency [{index}] {text} -> {new}", put(new)
                if field in NAMES:
                    for new in ("Warfarin", "Not " + text, "Stop " + text, text + " (Warfarin)", text + " + Warfarin", text + " Zeta"):
                        if new.casefold() in ("warfarin", "warfarin (warfarin)"):
                            continue  # the same name
                        yield f"name [{index}] {new.replace(text, '*')}", put(new)
            # `Dolo 650`, `Take 1 tablet for 3 days`: what is emptied is said in another field.
            other = " ".join(str(item.get(n, "")) for n in ("instructions", *NAMES))
            said = set(re.findall(r"\d+", surface_of(value))) <= set(re.findall(r"\d+", other))
            if field in ("strength", "frequency", "duration") and re.search(r"\d", str(value)) and "timing" not in item and not said:
                yield f"emptied [{index}].{field}", with_item(row, index, **{field: None})
        for field, invented in INVENTED.items():
            if field not in item and not any(key in item for key in ("dosage", "when", "instructions")):
                as_needed = field == "as_needed" and AS_NEEDED.search(lowered)
                if not as_needed and str(invented).casefold() not in lowered:
                    yield f"invented [{index}].{field}", with_item(row, index, **{field: invented})
        if len(items) > 1:
            if item.get("status", "active") == "active":
                # A stopped medicine need not be in the record.
                yield f"dropped [{index}]", with_items(row, items[:index] + items[index + 1 :])
            other = (index + 1) % len(items)
            for field in ("strength", "frequency", "duration"):
                both = field in item and field in items[other]
                if both and not same(field, surface_of(item[field]), surface_of(items[other][field])):
                    swapped = copy.deepcopy(items)
                    swapped[index][field], swapped[other][field] = items[other][field], item[field]
                    names = [next((i[n] for n in NAMES if n in i), None) for i in items]
                    if names[index] != names[other] and not (field == "frequency" and SLOTS.search(source)):
                        yield f"exchanged [{index}].{field} with [{other}]", with_items(row, swapped)
        yield f"doubled [{index}]", with_items(row, [*items, copy.deepcopy(item)])


# -- the source --------------------------------------------------------------------------------------------------------

CUES = ("stop", "not", "cancelled", "do not take", "allergic to", "mother", "नहीं", "band kar do", "weekly", "SOS", "2 tabs", "?", "Zeta")
SENTENCES = ("Stopped.", "Not tolerated.", "Only on Sundays.", "Half tablet each time.", "If fever.", "Cancelled.", "नहीं")
LINES = ("stopped", "cancelled", "Do not give the above", "only Sunday", "double dose", "not for this patient", "बंद करें", "for his mother")
HEADINGS = ("Not to be given:", "Cancelled", "Do not take", "If needed:", "Mother's medicines:", "Previously:")
ORDERS = ("Tab Lasix 40 mg OD", "Zetaril 40 OD", "Start Zetaril", "Inj Lasix 20 mg IV stat")


def line_of_order(row: Row, item: dict[str, Any]) -> tuple[int, int, int, int] | None:
    """Where its line begins (behind a list mark), the name begins and ends, and the line ends; None unless the name stands there once."""
    name = next((item[n] for n in NAMES if isinstance(item.get(n), str)), None)
    source = row["source_text"]
    if not name or source.casefold().count(name.casefold()) != 1 or len(source.casefold()) != len(source):
        return None
    start = source.casefold().index(name.casefold())
    begin = source.rfind("\n", 0, start) + 1
    mark = re.match(r"\s*(?:[(]?\d{1,2}[.)]+|[-•*])?\s*", source[begin:start])
    end = source.find("\n", start)
    return begin + (mark.end() if mark else 0), start, start + len(name), len(source) if end < 0 else end


def source_changes(row: Row) -> Iterator[Change]:
    _, items = items_of(row)
    source = row["source_text"]
    lowered = source.casefold()
    if row["id"].startswith(("assertion.", "source.", "schema.")) or any({"status", "action"} & item.keys() for item in items):
        return  # their sources turn on cues of their own
    for index, item in enumerate(items):
        place = line_of_order(row, item)
        if place is None:
            continue
        begin, start, behind, end = place
        tail = source[behind:end]
        for cue in CUES:
            known = {"weekly": "week", "SOS": "sos", "2 tabs": "2"}.get(cue, cue)
            if cue == "weekly" and (WEEKDAYS.search(lowered) or VISIT.search(tail)):
                continue  # every Sunday is weekly; a visit or a test may be
            if (
                known.casefold() in lowered
                or (cue == "SOS" and (item.get("as_needed") or AS_NEEDED.search(lowered)))
                or (cue == "2 tabs" and "two" in lowered)
            ):
                continue
            if not (cue == "2 tabs" and any(i.get("dose") for i in items)):
                lead = lowered[source.rfind("\n", 0, max(0, begin - 1)) + 1 : start]
                if not FIRST_NOT_TAKEN.search(lead) and not re.search(r"[.] ", source[begin:start]):
                    # Before another sentence it is said of that.
                    yield f"cue {cue} before the line [{index}]", with_source(row, source[:begin] + cue + " " + source[begin:])
                yield f"cue {cue} before the name [{index}]", with_source(row, source[:start] + cue + " " + source[start:])
            # `then stop`, said again in Hindi.
            ended = cue == "band kar do" and tail.casefold().rstrip(" .").endswith("stop")
            # `and stop Amlodipine weekly`: how the other was taken.
            ended = ended or FIRST_NOT_TAKEN.search(tail)
            if cue != "Zeta" and ". " not in tail and not ended:
                yield f"cue {cue} behind the line [{index}]", with_source(row, source[:end] + " " + cue + source[end:])
        if not tail.rstrip().endswith("."):
            for sentence in SENTENCES:
                if sentence == "Stopped." and FIRST_NOT_TAKEN.search(tail):
                    continue
                yield f"sentence {sentence} [{index}]", with_source(row, source[:end] + ". " + sentence + source[end:])
        for line in LINES:
            if line == "double dose" and re.search(r"\binc(?:\b|rease)", lowered):
                continue  # what the order says already
            yield f"line {line} [{index}]", with_source(row, source[:end] + "\n" + line + source[end:])
        for order in ORDERS:
            if "lasix" not in lowered:
                yield f"order {order} [{index}]", with_source(row, source[:end] + "\n" + order + source[end:])
                if not tail.rstrip().endswith(("-", ",", ":")):
                    yield f"order {order} on the line [{index}]", with_source(row, source[:end] + ", " + order + source[end:])
        if source.rfind("\n", 0, start) >= 0 or index == 0:
            line_start = source.rfind("\n", 0, start) + 1
            for heading in HEADINGS:
                yield f"heading {heading} [{index}]", with_source(row, source[:line_start] + heading + "\n" + source[line_start:])
        strength = item.get("strength")
        claimed = strength.get("value") if isinstance(strength, dict) else strength
        for claim in (str(claimed or ""), str(item.get("duration") or "")):
            number = re.match(r"\d+(?:\.\d+)?", claim)
            found = list(re.finditer(rf"(?<![\d.]){re.escape(number[0])}(?![\d.])", tail)) if number else []
            if number and len(found) == 1:
                for new in digit_edits(number[0]):
                    if new and not equal_numbers(number[0], new):
                        at, stop = behind + found[0].start(), behind + found[0].end()
                        yield f"number {number[0]} -> {new} [{index}]", with_source(row, source[:at] + new + source[stop:])


# -- the sweep ---------------------------------------------------------------------------------------------------------

SWEEPS: dict[str, Callable[[Row], Iterator[Change]]] = {"payload": payload_changes, "source": source_changes}


def kind_of(what: str) -> str:
    """What was done, without the numbers of the one case."""
    return re.sub(r"\d+(?:\.\d+)?", "#", what)


def sweep(side: str, one_in: int, turn: int = 0) -> Iterator[tuple[str, Row, Verdict]]:
    """One in so many of a side's corruptions, and what the fence says; another `turn` takes others."""
    for row in passing():
        for what, changed in SWEEPS[side](row):
            if zlib.crc32(f"{row['id']} {what}".encode()) % one_in == turn:
                yield what, changed, vector_rows.report_of(changed).overall
