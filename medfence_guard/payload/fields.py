"""The fields of an item: a leaf, a list, an object or a templated key, each to the claims it makes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from medfence_guard.artifacts import ArtifactType, FieldSpec
from medfence_guard.contract import Json
from medfence_guard.payload.claims import Claim
from medfence_guard.payload.findings import Findings, UnreadableError, wrong_type
from medfence_guard.payload.json_text import JSON_SPACE
from medfence_guard.payload.keys import AliasTable, fold_key, quoted_under, says_nothing
from medfence_guard.payload.limits import MAX_FIELD_CHARACTERS, MAX_KEYS
from medfence_guard.payload.paths import child_path

_NUMERIC: Final = re.compile(r"[0-9]{1,9}(?:[./][0-9]{1,9})?")
_PLAIN_COUNT: Final = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?(?:-[0-9]{1,9})?")
_WHOLE: Final = re.compile(r"[0-9]{1,4}")
_COUNT_AND_PERIOD: Final = re.compile(r"([0-9]{1,4}) ?([a-z]{1,8})")
_SLOTS_OF_THREE: Final = ("morning", "afternoon", "night")
_SLOTS_OF_FOUR: Final = ("morning", "afternoon", "evening", "night")
_TIMES_WORDS: Final = {"1": "once", "2": "twice"}

# A unit that names no field belongs to the one bare number among the first of these, or else of the second.
_MEASURED_FIELDS: Final = (("strength", "dose", "dosage"), ("quantity",))


def _has_letters(text: str) -> bool:
    return any(character.isalpha() or character == "%" for character in text)


def _ends_with_unit(text: str, unit: str) -> bool:
    """True if the text already carries the unit as its last word: `500 mg`, `500mg`."""
    head = text[: len(text) - len(unit)]
    return text.lower().endswith(unit.lower()) and bool(head) and not head[-1].isalpha()


class FieldReader(Findings):
    """The fields of one item at a time: whatever stands under a field's key, as claims of text.

    claims, keys: of the item being read.
    """

    __slots__ = ("claims", "keys")

    def __init__(self, artifact: ArtifactType, table: AliasTable, unverified: frozenset[str]) -> None:
        super().__init__(artifact, table, unverified)
        self.claims: list[Claim] = []
        self.keys: set[str] = set()

    def field(self, spec: FieldSpec, key: str, path: str, value: Json, index: int, nesting_left: int) -> None:
        """One field whose value may be anything."""
        if type(value) is list:
            self.field_list(spec, key, path, value, index, nesting_left)
        elif type(value) is dict:
            self.field_object(spec, key, path, value, index, nesting_left)
        elif spec.boolean and type(value) is not int:
            self.flag(spec, key, path, value, index)
        else:
            self.claim(spec, key, path, value, index)

    def claim(self, spec: FieldSpec, key: str, path: str, value: Json, index: int) -> None:
        """A leaf as a claim, or the finding that says why it is none."""
        try:
            text = self.text_of(spec, value)
        except UnreadableError as problem:
            self.unreadable(problem, key, path)
            return
        if text is not None:
            self.add(spec.name, text, key, path, index)

    def add(self, name: str, text: str, key: str, path: str, index: int, boolean: bool | None = None) -> None:
        if len(text) > MAX_FIELD_CHARACTERS:
            self.too_much(path, f"more than {MAX_FIELD_CHARACTERS} characters")
        else:
            self.claims.append(Claim(path, name, text, index, key, boolean))

    def flag(self, spec: FieldSpec, key: str, path: str, value: Json, index: int) -> None:
        if value is True or value is False:
            self.add(spec.name, "true" if value else "false", key, path, index, value)
        elif type(value) is str:
            word = value.strip(JSON_SPACE).lower()
            if word in self.table.flags:
                self.add(spec.name, value, key, path, index, self.table.flags[word])
            else:
                self.claim(spec, key, path, value, index)

    def text_of(self, spec: FieldSpec, value: Json) -> str | None:
        """A leaf as text; None when absent. Raises UnreadableError for what the field cannot be."""
        if value is None:
            return None
        if type(value) is str:
            return None if self.table.is_absent(value, in_field=True) else value
        if type(value) is int:
            if spec.number:
                return str(value)
            if spec.kind == "timing":
                raise UnreadableError(
                    "schema.role",
                    "The value under {key} is a bare number: it may count times a day, hours between doses or slots. "
                    'Ask the model for the words of the source, or for a key that names the meaning, as "times_per_day" does.',
                )
        raise wrong_type(value)

    def field_list(self, spec: FieldSpec, key: str, path: str, entries: list[Json], index: int, nesting_left: int) -> None:
        if len(entries) > MAX_KEYS:
            self.too_much(path, f"more than {MAX_KEYS} entries")
            return
        if spec.each:
            for position, entry in enumerate(entries):
                here = f"{path}[{position}]"
                if type(entry) is dict and nesting_left:
                    self.field_object(spec, key, here, entry, index, nesting_left - 1)
                else:
                    self.claim(spec, key, here, entry, index)
            return
        parts: list[str] = []
        try:
            for position, entry in enumerate(entries):
                here = f"{path}[{position}]"
                text = self.quantity_object(spec, entry, here) if type(entry) is dict else self.text_of(spec, entry)
                if text is not None:
                    parts.append(text)
        except UnreadableError as problem:
            self.unreadable(problem, key, path)
            return
        if parts:
            self.add(spec.name, " + ".join(parts), key, path, index)

    def field_object(self, spec: FieldSpec, key: str, path: str, members: dict[str, Json], index: int, nesting_left: int) -> None:
        """An object under a field: its parts make the claim; inner keys that name a field of their own make theirs."""
        if len(members) > MAX_KEYS:
            self.too_much(path, f"more than {MAX_KEYS} keys in one value")
            return
        table = self.table
        timing, slotted = "timing" in spec.shapes, "slots" in spec.shapes
        quantity: dict[str, Json] = {}
        times: dict[str, Json] = {}
        slots: list[tuple[str, str, str, Json]] = []
        units: list[tuple[str, str, str, Json]] = []
        for inner, value in members.items():
            here = child_path(path, inner)
            folded = fold_key(inner)
            role = None if folded is None else table.item_keys.get(folded)
            times_part = table.timing_parts.get(folded) if timing and folded is not None else None
            quantity_part = table.quantity_parts.get(folded) if folded is not None else None
            if "quantity" not in spec.shapes and quantity_part not in ("text", "value"):
                quantity_part = None
            if times_part is not None and times_part not in times:
                times[times_part] = value
            elif quantity_part is not None and quantity_part not in quantity:
                quantity[quantity_part] = value
            elif slotted and role is not None and role.kind == "slot":
                slots.append((role.target, inner, here, value))
            elif role is not None and role.kind == "metadata" and "source_quote" in self.artifact.fields and quoted_under(inner, value):
                for quote in quoted_under(inner, value):
                    self.claim(self.artifact.fields["source_quote"], inner, here, quote, index)
            elif role is not None and role.kind == "metadata" and says_nothing(inner, value):
                pass
            elif role is not None and role.kind == "unit" and role.target in self.artifact.fields:
                self.keys.add(role.target)
                units.append((role.target, inner, here, value))
            elif role is not None and role.kind in ("field", "template") and role.target in self.artifact.fields and nesting_left:
                inner_spec = self.artifact.fields[role.target]
                self.keys.add(role.target)
                at = path if role.target == spec.name and type(value) is not list and type(value) is not dict else here
                if role.kind == "template":
                    self.templated(inner_spec, role.template, inner, at, value, index)
                else:
                    self.field(inner_spec, inner, at, value, index, nesting_left - 1)
            else:
                self.unmapped(f"item.{spec.name}", inner, here, value)
        if "unit" in quantity and "value" not in quantity and not times.keys().isdisjoint(("every", "period")):
            times.setdefault("every_unit" if "every" in times else "period_unit", quantity.pop("unit"))
        if slots:
            self.keys.add("frequency")
            self.slots(slots, index, path)
        for render, parts in ((self.timing_text, times), (self.quantity_text, quantity)):
            try:
                written = self.text_of(spec, parts.pop("text", None))
                text = render(spec, parts) if parts else None
            except UnreadableError as problem:
                self.unreadable(problem, key, path)
                continue
            for claimed in (text, written):
                if claimed is not None:
                    self.add(spec.name, claimed, key, path, index)
        for target, inner, here, value in units:
            self.join_unit(target, inner, here, value)

    def quantity_object(self, spec: FieldSpec, members: dict[str, Json], path: str) -> str | None:
        """`{"value", "unit"}` inside a list, as one part of a joined claim; its other keys are reported."""
        parts: dict[str, Json] = {}
        for inner, value in members.items():
            folded = fold_key(inner)
            part = None if folded is None else self.table.quantity_parts.get(folded)
            if part is not None and part not in parts and "quantity" in spec.shapes:
                parts[part] = value
            else:
                self.unmapped(f"item.{spec.name}", inner, child_path(path, inner), value)
        written = parts.pop("text", None)
        text = self.quantity_text(spec, parts) if parts else None
        if text is None:
            return self.text_of(spec, written)
        if not self.table.carries_nothing(written, in_field=True) and written != text:
            raise UnreadableError("schema.role", "An entry under {key} gives a text and another value; it was not checked.")
        return text

    def quantity_text(self, spec: FieldSpec, parts: Mapping[str, Json]) -> str | None:
        """`{"value": 500, "unit": "mg"}` -> `500 mg`; low and high -> `1-2 tablets`; per -> `250 mg/5 ml`."""
        unit = self.leaf(spec, parts.get("unit"), number=False)
        value = parts.get("value")
        low, high = self.leaf(spec, parts.get("low")), self.leaf(spec, parts.get("high"))
        per = self.measure(spec, parts.get("per"))
        if per in ("1", "1 1"):
            # UCUM's unit of a plain one: per one of it, as every amount is.
            per = None
        base: str | None
        if type(value) is list:
            measured = [entry for entry in (self.measure(spec, one) for one in value) if entry is not None]
            each = measured if unit is None else [with_unit(entry, unit) for entry in measured]
            base = " + ".join(each) if each else None
        else:
            base = self.measure(spec, value)
            if base is not None and unit is not None:
                base = with_unit(base, unit)
        if low is not None and high is not None:
            span = f"{low}-{high}" if unit is None else f"{low}-{high} {unit}"
            if base is not None:
                raise UnreadableError("schema.role", "The object under {key} gives both a value and a range; it was not checked.")
            base = span
        elif low is not None or high is not None:
            raise UnreadableError("schema.role", "The object under {key} gives one end of a range only; it was not checked.")
        if base is None:
            if unit is not None or per is not None:
                raise UnreadableError("schema.role", "The object under {key} gives a unit without its value; it was not checked.")
            return None
        if spec.kind == "timing" and _NUMERIC.fullmatch(base):
            return self.text_of(spec, 0)  # a bare number under a timing field: refused with its reason
        return base if per is None else f"{base}/{per}"

    def measure(self, spec: FieldSpec, value: Json) -> str | None:
        """A leaf, or one inner `{"value", "unit"}`, as text."""
        if type(value) is not dict:
            return self.leaf(spec, value)
        parts: dict[str, Json] = {}
        for inner, entry in value.items():
            part = self.table.quantity_parts.get(fold_key(inner) or "")
            if part not in ("value", "unit") or part in parts or type(entry) is dict or type(entry) is list:
                raise UnreadableError("schema.role", "The object under {key} nests more than a value with its unit; it was not checked.")
            parts[part] = entry
        return self.quantity_text(spec, parts)

    def leaf(self, spec: FieldSpec, value: Json, *, number: bool = True) -> str | None:
        if value is None:
            return None
        if type(value) is str:
            return None if self.table.is_absent(value, in_field=True) else value
        if type(value) is int and number and (spec.number or spec.kind == "timing"):
            return str(value)
        raise wrong_type(value)

    def timing_text(self, spec: FieldSpec, parts: Mapping[str, Json]) -> str | None:
        """`{"times": 2, "period": "day"}` -> `twice a day`; `{"every": 8, "every_unit": "hours"}` -> `every 8 hours`."""
        times = self.leaf(spec, parts.get("times"))
        every = self.leaf(spec, parts.get("every"))
        period = self.leaf(spec, parts.get("period"))
        unit = self.leaf(spec, parts.get("period_unit"), number=False)
        every_unit = self.leaf(spec, parts.get("every_unit"), number=False)
        message = "The object under {key} does not say plainly how many times in which period; it was not checked."
        refused = UnreadableError("schema.role", message)
        if times is None and every is None and period is None and unit is None and every_unit is None:
            return None
        if every is not None:
            if times not in (None, "1") or period is not None:
                raise refused
            length, word = self.period(every, every_unit or unit)
            if word is None:
                raise refused
            return f"every {length} {word}s" if length != "1" else f"every {word}"
        if every_unit is not None or (period is None and unit is None):
            if times is not None and every_unit is None and not _NUMERIC.fullmatch(times):
                return times
            raise refused
        length, word = self.period(period, unit)
        if word is None:
            raise refused
        if times is None:
            raise refused
        if not _WHOLE.fullmatch(times):
            raise refused
        if length != "1":
            return f"every {length} {word}s" if times == "1" else f"{times} times every {length} {word}s"
        return f"{_TIMES_WORDS.get(times, times + ' times')} a{'n' if word == 'hour' else ''} {word}"

    def period(self, length: str | None, unit: str | None) -> tuple[str, str | None]:
        """A period as (count, word); the word is None when it is not understood."""
        words = self.table.period_words
        if unit is not None:
            count = "1" if length is None else length
            return count, words.get(unit.strip(JSON_SPACE).lower()) if _WHOLE.fullmatch(count) else None
        text = (length or "").strip(JSON_SPACE).lower()
        if text in words:
            return "1", words[text]
        found = _COUNT_AND_PERIOD.fullmatch(text)
        return (found.group(1), words.get(found.group(2))) if found else ("", None)

    def templated(self, spec: FieldSpec, template: str, key: str, path: str, value: Json, index: int) -> None:
        """A key that says what its bare number counts: `duration_days: 30` -> `30 days`. Other text stays as written."""
        if type(value) is int:
            value = str(value)
        if type(value) is str and _PLAIN_COUNT.fullmatch(value):
            if value in _TIMES_WORDS and template.startswith("{} times "):
                value = template.replace("{} times", _TIMES_WORDS[value])
            else:
                value = template.replace("{}", value).removesuffix("s" if value == "1" else "")
        if type(value) is str or value is None:
            self.claim(spec, key, path, value, index)
        else:
            self.unreadable(wrong_type(value), key, path)

    def slots(self, slots: list[tuple[str, str, str, Json]], index: int, path: str | None = None) -> None:
        """`morning: 1, afternoon: 0, night: 1` -> frequency `1-0-1`, at the first slot's path (or the object's)."""
        _, first_key, first_path, _ = slots[0]
        at = first_path if path is None else path
        counts: dict[str, str] = {}
        for slot, key, here, value in slots:
            if value is None or (type(value) is str and self.table.is_absent(value, in_field=True)):
                continue
            text = str(value) if type(value) is int else value
            if type(text) is not str:
                self.unreadable(wrong_type(value), key, here if path is None else path)
                return
            if slot in counts or not (_NUMERIC.fullmatch(text) or text in ("\u00bd", "\u00bc", "\u00be")):
                self.unreadable(
                    UnreadableError("schema.role", "The time of day under {key} holds no plain number of units; it was not checked."),
                    key,
                    here if path is None else path,
                )
                return
            counts[slot] = text
        if not counts:
            return
        names = _SLOTS_OF_FOUR if "evening" in counts and ("night" in counts or "afternoon" not in counts) else _SLOTS_OF_THREE
        if "evening" in counts and "night" not in counts:
            # Morning, noon and evening are the three slots of a day when no night is given.
            counts["night"] = counts.pop("evening")
            names = _SLOTS_OF_THREE
        self.add("frequency", "-".join(counts.get(name, "0") for name in names), first_key, at, index)

    def join_unit(self, target: str, key: str, path: str, value: Json) -> None:
        """A unit in a key of its own joins the bare number it belongs to; one that is restated is part of the claim."""
        if value is None or (type(value) is str and self.table.is_absent(value, in_field=True)):
            return
        if type(value) is not str:
            self.unreadable(wrong_type(value), key, path)
            return
        candidates: list[int] = []
        bare: list[int] = []
        for wanted in ((target,),) if target else _MEASURED_FIELDS:
            owners = [position for position, claim in enumerate(self.claims) if claim.field in wanted]
            candidates.extend(owners)
            bare = [position for position in owners if not _has_letters(self.claims[position].text)]
            if bare:
                break
        if len(bare) == 1:
            claim = self.claims[bare[0]]
            joined = with_unit(claim.text, value)
            if len(joined) > MAX_FIELD_CHARACTERS:
                self.too_much(path, f"more than {MAX_FIELD_CHARACTERS} characters")
            else:
                self.claims[bare[0]] = claim._replace(text=joined)
            return
        if not bare and any(_ends_with_unit(self.claims[position].text, value) for position in candidates):
            return
        self.unreadable(
            UnreadableError("schema.role", "The unit under {key} belongs to no single number of this item; it was not checked."), key, path
        )


def with_unit(text: str, unit: str) -> str:
    """`500` + `mg` -> `500 mg`; a unit the text already ends with is not written twice."""
    return text if _ends_with_unit(text, unit) else f"{text} {unit}"
