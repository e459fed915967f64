"""The small tables that single rules of the reader ask, compiled: words with the reason they are listed for, rows of `lexicon/*.json`.

A row is `{"why": …, "words": […]}`. What the words of a table do is said there; the rule that asks it says only where and of what.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple


def words_of(raw: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, frozenset[str]]:
    """The words of each named row. KeyError if one is missing; the rulepack loader reports it."""
    return {name: frozenset(raw[name]["words"]) for name in names}


def one_of(*tables: Iterable[str]) -> str:
    """A pattern of any word of the tables, the longest first."""
    words = sorted({word for table in tables for word in table}, key=lambda word: (-len(word), word))
    return "(?:" + "|".join(map(re.escape, words)) + ")"


class PseudoRule(NamedTuple):
    """Which phrases that cancel a cue a rule is about, and what must stand directly behind one; an empty field asks for nothing.

    `is_one`, `begins`, `ends`, `holds`: the phrase is, begins with, ends with or holds one of these; `ends_in`: its last word is one;
    `without`: it holds none of these; `before_kinds`, `before_towards`: what follows is of such a kind, or one of the words `towards`.
    """

    is_one: frozenset[str]
    begins: tuple[str, ...]
    ends: tuple[str, ...]
    ends_in: frozenset[str]
    holds: tuple[str, ...]
    without: tuple[str, ...]
    before_kinds: frozenset[str]
    before_towards: bool

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> PseudoRule:
        return cls(
            is_one=frozenset(row.get("is_one", ())),
            begins=tuple(row.get("begins", ())),
            ends=tuple(row.get("ends", ())),
            ends_in=frozenset(row.get("ends_in", ())),
            holds=tuple(row.get("holds", ())),
            without=tuple(row.get("without", ())),
            before_kinds=frozenset(row.get("before_kinds", ())),
            before_towards=row.get("before_towards", False),
        )

    def is_about(self, phrase: str) -> bool:
        return (
            (not self.is_one or phrase in self.is_one)
            and (not self.begins or phrase.startswith(self.begins))
            and (not self.ends or phrase.endswith(self.ends))
            and (not self.ends_in or phrase.rpartition(" ")[2] in self.ends_in)
            and (not self.holds or any(stem in phrase for stem in self.holds))
            and not any(stem in phrase for stem in self.without)
        )


class StatusWords(NamedTuple):
    """`status` and `pseudo_rules` of `lexicon/cues.json`, compiled (`reader/assertion.py`). `ends_it`: word of a joint -> cue class."""

    exceptions: frozenset[str]
    until: frozenset[str]
    towards: frozenset[str]
    denials: frozenset[str]
    unasked: frozenset[str]
    beginning: frozenset[str]
    now: frozenset[str]
    of_the_patient: tuple[str, ...]
    until_in_the_past: tuple[str, ...]
    of_the_past: tuple[str, ...]
    ends_it: Mapping[str, str]
    pseudo: Mapping[str, tuple[PseudoRule, ...]]

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> StatusWords:
        """KeyError if a table is missing; the rulepack loader reports it."""
        status = raw["status"]
        pseudo: dict[str, list[PseudoRule]] = {}
        for row in raw["pseudo_rules"]:
            pseudo.setdefault(row["rule"], []).append(PseudoRule.from_json(row))
        sets = words_of(status, ("exceptions", "until", "towards", "denials", "unasked", "beginning", "now"))
        beginnings = {name: tuple(status[name]["words"]) for name in ("of_the_patient", "until_in_the_past", "of_the_past")}
        ends_it = {word: name for name, words in status["ends_it"]["classes"].items() for word in words}
        rules = {name: tuple(pseudo[name]) for name in ("harm", "denial", "open", "occasion", "keeps_nothing")}
        tables: dict[str, Any] = {**sets, **beginnings}
        return cls(**tables, ends_it=ends_it, pseudo=rules)

    def is_pseudo(self, rule: str, phrase: str) -> bool:
        """Whether a rule is about a phrase that cancels a cue, whatever follows."""
        return any(row.is_about(phrase) for row in self.pseudo[rule])

    def reads_on(self, rule: str, phrase: str, after_kind: str, after: str) -> bool:
        """Whether a rule is about a phrase and what stands directly behind it."""
        return any(
            (after_kind in row.before_kinds or (row.before_towards and after in self.towards)) and row.is_about(phrase)
            for row in self.pseudo[rule]
        )


_TOLD = (
    "every",
    "each",
    "others",
    "rest",
    "above",
    "medicines",
    "heads_a_list",
    "continue_all",
    "numbered",
    "from_to",
    "and",
    "says_for",
    "glue",
)


class ToldWords(NamedTuple):
    """`lexicon/told.json`, compiled (`reader/told.py`). `all_or_some`: every word for orders of a list; `parts`: for some of them."""

    every: frozenset[str]
    each: frozenset[str]
    others: frozenset[str]
    rest: frozenset[str]
    above: frozenset[str]
    parts: frozenset[str]
    all_or_some: frozenset[str]
    counted: Mapping[str, int]
    medicines: frozenset[str]
    heads_a_list: frozenset[str]
    continue_all: frozenset[str]
    numbered: frozenset[str]
    from_to: frozenset[str]
    joints: frozenset[str]
    says_for: frozenset[str]
    glue: frozenset[str]

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> ToldWords:
        """KeyError if a table is missing; the rulepack loader reports it."""
        rows: dict[str, Any] = words_of(raw, _TOLD)
        parts = rows["each"] | rows["others"] | rows["rest"]
        rows["joints"] = rows["from_to"] | rows.pop("and")
        return cls(**rows, parts=parts, all_or_some=rows["every"] | parts | rows["above"], counted=dict(raw["counted"]["numbers"]))


_SETS_OF_CLAUSES = (
    *("sets", "meals", "denying", "in_words", "answers", "units_of_time", "adding", "kept", "subjects"),
    *("pointing", "whether", "negations", "leads"),
)


class ClauseWords(NamedTuple):
    """`lexicon/clauses.json`, compiled (`reader/leftover.py`, `reader/sayings.py`)."""

    sets: frozenset[str]
    meals: frozenset[str]
    denying: frozenset[str]
    in_words: frozenset[str]
    answers: frozenset[str]
    units_of_time: frozenset[str]
    adding: frozenset[str]
    kept: frozenset[str]
    subjects: frozenset[str]
    pointing: frozenset[str]
    whether: frozenset[str]
    negations: frozenset[str]
    leads: frozenset[str]
    longest_limit: int
    limited: re.Pattern[str]
    therefore: re.Pattern[str]
    put_off: re.Pattern[str]
    """`not for treatment`, `treatment from next month`, `refer before treatment`: what is ordered is put off or given away."""
    refused: re.Pattern[str]
    """`Exercise, no drugs`, `avoid salt, tablets`."""
    again: re.Pattern[str]
    """`Same tablets`, `Medicines: same`, `As before`."""
    goes_on: re.Pattern[str]
    """`Cont Rx`."""
    needs_none: re.Pattern[str]
    """`Dx: white coat HTN, no drugs`: of what is found, that nothing is ordered for it."""
    stops_them: re.Pattern[str]
    """`Alcohol: stop tablets`, `Smoking - medicines stopped`: behind a subject, an end of all that is ordered."""
    another_goes_on: re.Pattern[str]
    """`GP to continue`: another doctor orders from here on, and this paper may not."""
    anothers: re.Pattern[str]
    """`Baby of Sunita`: whose the paper is, told of a person who is another's. `W/o Ramesh` names the patient."""
    overleaf: re.Pattern[str]
    """`PTO`, `continued overleaf`: more stands where nobody reads."""
    total: re.Pattern[str]
    same: re.Pattern[str]
    """What is replaced or of another place, at the end of an order."""
    either: re.Pattern[str]
    replaced: re.Pattern[str]

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> ClauseWords:
        """KeyError if a table is missing; the rulepack loader reports it."""
        table = {name: row["words"] for name, row in raw.items() if name != "about"}
        any_of = {name: one_of(words) for name, words in table.items()}
        sets: dict[str, Any] = words_of(raw, _SETS_OF_CLAUSES)
        limits, same_is_listed = table["limits"], table["same_is_listed"]
        return cls(
            **sets,
            **_of_the_orders(any_of),
            longest_limit=max(map(len, limits)),
            limited=re.compile(rf"\b{any_of['limits']}$"),
            therefore=re.compile(rf"[ ,;]*{any_of['therefore']}\b"),
            anothers=re.compile(rf"(?:the )?{any_of['persons_of']} of [a-z]{{2,}}|[bfm]/o [a-z]{{2,}}"),
            overleaf=re.compile(
                rf"\bp\.? ?t\.? ?o\b\.?|\b{any_of['continues']}\.? (?:on|over|to) (?:the )?{any_of['other_side']}|\boverleaf\b|"
                rf"\b(?:see|turn) {any_of['overleaf']}\b"
            ),
            total=re.compile(
                rf"\btotal ?[:=-]? ?(\d+) ?{any_of['counted']}\b|\b(?:total|nos?\.? of) ?{any_of['counted']} ?[:=-]? ?(\d+)\b"
            ),
            same=re.compile(
                "".join(f"(?<!{re.escape(word)} )" for word in same_is_listed) + rf"\bsame\W*$|\bto start\W*$|\({any_of['wards']}\)\W*$"
            ),
            either=re.compile(rf"\W*{any_of['either']}\W*"),
            replaced=re.compile(rf"\b{any_of['replaced']}\b"),
        )


def _of_the_orders(any_of: Mapping[str, str]) -> dict[str, Any]:
    """The patterns of `ClauseWords` that hold a word for what is ordered."""
    orders, goes_on = any_of["orders"], any_of["goes_on"]
    return {
        "put_off": re.compile(
            rf"\b{any_of['not_for']} (?:any )?{orders}\b|\bno {orders} {any_of['not_now']}\b|"
            rf"\b{orders} (?:{any_of['later']}|of (?:his |her )?{any_of['anothers']})\b|"
            rf"\b{any_of['until']} (?:{any_of['of_until']} )*{orders}\b"
        ),
        "refused": re.compile(
            rf"(?:^|[,;:] ?|and ){any_of['refuses']} (?:the |all |any )?{orders}\W*$|"
            rf"^{any_of['refuses_all']}\b.*(?:, ?|and ){orders}\W*$"
        ),
        "again": re.compile(
            rf"(?:the )?same (?:{any_of['old']} )?{orders}|{orders} ?[:=-]* ?(?:the )?{any_of['unchanged']}|"
            rf"(?:same )?{any_of['as_earlier']}"
        ),
        "goes_on": re.compile(
            rf"(?:to )?(?:{goes_on}|{any_of['repeats']})\.? (?:the |with )?{orders}|{orders} ?[:=-]* ?(?:to )?{goes_on}\.?"
        ),
        "needs_none": re.compile(
            rf"(?:[,;:.(/-] ?|\band ){any_of['needs_none']}(?: {any_of['how_much']})? {orders}"
            rf"(?: {any_of['at_present']})?\W*$|\b{any_of['free_of']}[ -]free\W*$"
        ),
        "stops_them": re.compile(
            rf"[a-z ]{{2,30}} ?[:-]+ ?(?:{any_of['stops']}(?: the| all| these)* {orders}|{orders} {any_of['stopped']})"
        ),
        "another_goes_on": re.compile(
            rf"(?:{any_of['whose_doctor']} )*(?:{any_of['doctors']}|[a-z]+ologist|[a-z]+iatrist) "
            rf"(?:{any_of['may']} )+{any_of['carries_on']}(?: (?:{any_of['these']}|{orders}))*"
        ),
    }
