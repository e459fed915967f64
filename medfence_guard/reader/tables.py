"""The small tables that single rules of the reader ask, compiled: words with the reason they are listed for, rows of `lexicon/*.json`.

A row is `{"why": …, "words": […]}`. What the words of a table do is said there; the rule that asks it says only where and of what.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


def words_of(raw: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, frozenset[str]]:
    """The words of each named row. KeyError if one is missing; the rulepack loader reports it."""
    return {name: frozenset(raw[name]["words"]) for name in names}


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
