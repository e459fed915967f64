"""The small tables that single rules of the reader ask, compiled: words with the reason they are listed for, rows of `lexicon/*.json`.

A row is `{"why": …, "words": […]}`. What the words of a table do is said there; the rule that asks it says only where and of what.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple


def words_of(raw: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, frozenset[str]]:
    """The words of each named row. KeyError if one is missing; the rulepack loader reports it."""
    return {name: frozenset(raw[name]["words"]) for name in names}


def one_of(*tables: Iterable[str]) -> str:
    """A pattern of any word of the tables, the longest first."""
    words = sorted({word for table in tables for word in table}, key=lambda word: (-len(word), word))
    return "(?:" + "|".join(map(re.escape, words)) + ")"


_RUN_OF_LETTERS = re.compile("[a-z]+|[\u0900-\u097f]+")


def first_runs(*tables: Iterable[str]) -> frozenset[str]:
    """The run of letters that each phrase of the tables begins with."""
    return frozenset(found[0] for table in tables for phrase in table if (found := _RUN_OF_LETTERS.search(phrase)))


NOTHING = re.compile("(?!)")
"""Stands for a pattern that can find nothing on a page."""


class PseudoRule(NamedTuple):
    """Which phrases that cancel a cue a rule is about, and what must stand directly behind one; an empty field asks for nothing.

    `is_one`, `ends`, `holds`: the phrase is, ends with or holds one of these; `begins`, `ends_in`: the first of its words, or the last,
    is one; `without`: it holds none of these; `before_kinds`, `before_towards`: what follows is of such a kind, or one of the words
    `towards`.
    """

    is_one: frozenset[str]
    begins: frozenset[str]
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
            begins=frozenset(row.get("begins", ())),
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
            and (not self.begins or (" " in phrase and phrase.partition(" ")[0] in self.begins))
            and (not self.ends or phrase.endswith(self.ends))
            and (not self.ends_in or phrase.rpartition(" ")[2] in self.ends_in)
            and (not self.holds or any(stem in phrase for stem in self.holds))
            and not any(stem in phrase for stem in self.without)
        )


class StatusWords(NamedTuple):
    """`status` and `pseudo_rules` of `lexicon/cues.json`, compiled (`reader/assertion.py`).

    `ends_it`: word of a joint -> cue class; `factors`: phrase of a change -> by how much (`halved` -> 1/2).
    """

    exceptions: frozenset[str]
    until: frozenset[str]
    towards: frozenset[str]
    denials: frozenset[str]
    of_no_harm: frozenset[str]
    unasked: frozenset[str]
    beginning: frozenset[str]
    now: frozenset[str]
    of_the_patient: tuple[str, ...]
    until_in_the_past: tuple[str, ...]
    of_the_past: tuple[str, ...]
    ends_it: Mapping[str, str]
    pseudo: Mapping[str, tuple[PseudoRule, ...]]
    factors: Mapping[str, Fraction]

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> StatusWords:
        """KeyError if a table is missing; the rulepack loader reports it."""
        status = raw["status"]
        pseudo: dict[str, list[PseudoRule]] = {}
        for row in raw["pseudo_rules"]:
            pseudo.setdefault(row["rule"], []).append(PseudoRule.from_json(row))
        sets = words_of(status, ("exceptions", "until", "towards", "denials", "of_no_harm", "unasked", "beginning", "now"))
        beginnings = {name: tuple(status[name]["words"]) for name in ("of_the_patient", "until_in_the_past", "of_the_past")}
        ends_it = {word: name for name, words in status["ends_it"]["classes"].items() for word in words}
        rules = {name: tuple(pseudo[name]) for name in ("harm", "denial", "open", "occasion", "keeps_nothing")}
        tables: dict[str, Any] = {**sets, **beginnings}
        factors = {phrase: Fraction(by) for by, phrases in raw["factors"]["by"].items() for phrase in phrases}
        return cls(**tables, ends_it=ends_it, pseudo=rules, factors=factors)

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
    "courses",
    "past",
)


class ToldWords(NamedTuple):
    """`lexicon/told.json`, compiled (`reader/told.py`). `all_or_some`: every word for orders of a list; `parts`: for some of them;
    `the_rest`: for those that say nothing themselves."""

    every: frozenset[str]
    each: frozenset[str]
    others: frozenset[str]
    rest: frozenset[str]
    above: frozenset[str]
    the_rest: frozenset[str]
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
    courses: frozenset[str]
    past: frozenset[str]

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> ToldWords:
        """KeyError if a table is missing; the rulepack loader reports it."""
        rows: dict[str, Any] = words_of(raw, _TOLD)
        parts = rows["each"] | rows["others"] | rows["rest"]
        rows["joints"] = rows["from_to"] | rows.pop("and")
        return cls(
            **rows,
            the_rest=rows["rest"] | rows["others"],
            parts=parts,
            all_or_some=rows["every"] | parts | rows["above"],
            counted=dict(raw["counted"]["numbers"]),
        )


_SETS_OF_CLAUSES = (
    *("sets", "meals", "denying", "in_words", "answers", "units_of_time", "adding", "kept", "subjects"),
    *(
        "pointing",
        "whether",
        "negations",
        "leads",
        "no_heading",
        "no_heading_groups",
        "before_an_order",
        "joints",
        "before_a_time",
        "denied",
        "cut_off",
        "of_use",
        "begins_a_condition",
    ),
)


class ClauseWords(NamedTuple):
    """`clauses` of `lexicon/clauses.json`, compiled (`reader/leftover.py`, `reader/sayings.py`)."""

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
    no_heading: frozenset[str]
    no_heading_groups: frozenset[str]
    before_an_order: frozenset[str]
    joints: frozenset[str]
    before_a_time: frozenset[str]
    denied: frozenset[str]
    cut_off: frozenset[str]
    of_use: frozenset[str]
    begins_a_condition: frozenset[str]
    disease: re.Pattern[str]
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
    needs: Mapping[str, frozenset[str]]
    """Of a pattern: runs of letters, one of which stands in all that it matches."""

    def denials_in(self, surfaces: Iterable[str]) -> int:
        """With how many words a heading is answered that nothing is of it: two of `not significant, on X`."""
        return sum(1 for _ in itertools.takewhile(self.denied.__contains__, surfaces))

    def idle_on(self, spoken: frozenset[str]) -> frozenset[str]:
        """The patterns that can find nothing on a page of these words."""
        return frozenset([name for name, words in self.needs.items() if words.isdisjoint(spoken)])

    def without(self, idle: Iterable[str]) -> ClauseWords:
        """The tables where each of these patterns matches nothing."""
        changed: dict[str, Any] = dict.fromkeys(idle, NOTHING)
        return self._replace(**changed)

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> ClauseWords:
        """KeyError if a table is missing; the rulepack loader reports it."""
        table = {name: row["words"] for name, row in raw.items()}
        any_of = {name: one_of(words) for name, words in table.items()}
        sets: dict[str, Any] = words_of(raw, _SETS_OF_CLAUSES)
        limits, same_is_listed = table["limits"], table["same_is_listed"]
        return cls(
            **sets,
            **_of_the_orders(any_of),
            longest_limit=max(map(len, limits)),
            disease=re.compile(rf"[a-z]{{3,}}{any_of['disease']}"),
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
            needs={
                "another_goes_on": first_runs(table["carries_on"]),
                "anothers": first_runs(table["persons_of"], "bfm"),
                "overleaf": first_runs(["p", "pt", "pto", "overleaf", "see", "turn"], table["continues"]),
                "total": first_runs([before + word for word in table["counted"] for before in ("", "total", "of")]),
                "same": first_runs(["same", "start"], table["wards"]),
                "replaced": first_runs(table["replaced"]),
            },
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
            rf"(?:same )?{any_of['as_earlier']}|(?:the )?same"
        ),
        "goes_on": re.compile(
            rf"(?:to )?(?:{goes_on}|{any_of['repeats']})\.? (?:the |with )?{orders}|{orders} ?[:=-]* ?(?:to )?{goes_on}\.?"
        ),
        "needs_none": re.compile(
            rf"(?:[,;:.(/-] ?|\band ){any_of['needs_none']}(?: {any_of['how_much']})? {orders}"
            rf"(?: {any_of['at_present']})?\W*$|\b{any_of['free_of']}[ -]free\W*$|"
            rf"\b(?:without|w/o)(?: any)? {orders}\W*$|\btreat (?:only )?(?:if|when|once|after)\b"
        ),
        "stops_them": re.compile(
            rf"[a-z ]{{2,30}} ?[:-]+ ?(?:{any_of['stops']}(?: the| all| these)* {orders}|{orders} {any_of['stopped']})"
        ),
        "another_goes_on": re.compile(
            rf"(?:{any_of['whose_doctor']} )*(?:{any_of['doctors']}|[a-z]+ologist|[a-z]+iatrist) "
            rf"(?:{any_of['may']} )+{any_of['carries_on']}(?: (?:{any_of['these']}|{orders}))*"
        ),
    }


_SETS_OF_PAGES = (
    *("leading", "above_labels", "rx", "plans", "advised", "conditions", "home_on", "below", "titles", "either", "otherwise", "placed"),
    *("vitals", "signing", "not_given_yet"),
)


class PageWords(NamedTuple):
    """`page` of `lexicon/clauses.json`, compiled (`reader/segment`, `reader/remarks.py`)."""

    leading: frozenset[str]
    above_labels: frozenset[str]
    rx: frozenset[str]
    plans: frozenset[str]
    advised: frozenset[str]
    conditions: frozenset[str]
    home_on: frozenset[str]
    below: frozenset[str]
    titles: frozenset[str]
    either: frozenset[str]
    otherwise: frozenset[str]
    placed: frozenset[str]
    vitals: frozenset[str]
    signing: frozenset[str]
    not_given_yet: frozenset[str]
    from_here_on: re.Pattern[str]
    current: re.Pattern[str]
    set_starts: frozenset[str]
    """One of these words is in every unlisted set."""
    unlisted_set: re.Pattern[str]
    """`Repeat all old medicines`: a set the page does not list, however it is worded; `no other medicines` is none."""
    own_set: re.Pattern[str]
    own_lists: Mapping[str, re.Pattern[str]]
    """`Home meds:`, by the word it begins with."""
    numbered_person: re.Pattern[str]
    by_number: re.Pattern[str]
    """`Only 1 and 2`, `Omit no 2`, `the second medicine`, `No. 3 is for wife`, `1 & 2 for mother`, `Circled: 1, 3`."""
    counted_heading: re.Pattern[str]
    """`Week 2`, `Day 7`, `Step 2`, `Cycle 1 D1-D5`, `M/W/F`, `S T O P P E D`."""
    past_occasion: re.Pattern[str]
    """`Ward rounds 2 days ago`, `OPD visit 6 months back`: an occasion of prescribing that is over."""
    ending_field: re.Pattern[str]
    """`Continue at discharge: No`, `Reaction: cough`, `Expires: 05/02/2024`: a field of the record below an order."""

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> PageWords:
        """KeyError if a table is missing; the rulepack loader reports it."""
        table = {name: row["words"] for name, row in raw.items()}
        any_of = {name: one_of(words) for name, words in table.items()}
        sets: dict[str, Any] = words_of(raw, _SETS_OF_PAGES)
        return cls(
            **sets,
            **_of_sets(table, any_of),
            **_of_other_times(any_of),
            by_number=_by_number(any_of),
            from_here_on=re.compile(rf"\b{any_of['from_here_on']}\b"),
            current=re.compile(rf"(?:^|\n)[^\na-z]{{0,4}}(?:(?:our|the) )?{any_of['current']} (?:[a-z]+ ){{0,2}}{any_of['of_current']}\b"),
            numbered_person=re.compile(rf"{any_of['numbered_persons']}\s*\d\s*[:.)-]"),
            ending_field=re.compile(
                rf"^(?:continue[a-z ]*|{any_of['goes_on_fields']})\s*:\s*{any_of['no']}\b|"
                rf"^{any_of['ending_fields']}\s*:|^allergy\s*:\s*{any_of['yes']}\b"
            ),
        )


def _of_sets(table: Mapping[str, list[str]], any_of: Mapping[str, str]) -> dict[str, Any]:
    """The patterns of `PageWords` for medicines that are named together."""
    not_behind = "".join(f"(?<!{re.escape(word)} )" for word in table["no_set"])
    return {
        "set_starts": frozenset(["rest", *(word.split(" ")[-1] for word in table["set_starts"])]),
        "unlisted_set": re.compile(
            rf"\brest of (?:the |his |her |all )?{any_of['rest_nouns']}\b|\brest (?:all )?(?:same|unchanged)\b|"
            rf"{not_behind}\b{any_of['set_starts']}\s+(?:{any_of['set_between']}\s+)*"
            rf"{any_of['set_nouns']}\b(?!\s*{any_of['set_is_over']})"
        ),
        "own_set": re.compile(rf"\b({any_of['own_set']}) {any_of['own_set_nouns']}\b"),
        "own_lists": {word: re.compile(rf"(?:^|\n)\W*{re.escape(word)} {any_of['own_set_nouns']}\s*:") for word in table["own_set"]},
    }


def _of_other_times(any_of: Mapping[str, str]) -> dict[str, Any]:
    """The patterns of `PageWords` for headings of orders that stand at another time."""
    return {
        "counted_heading": re.compile(
            rf"^{any_of['counted_headings']} ?-? ?\d|^(?:m[ /,.-]*w[ /,.-]*f|tu?[ /,.-]*th?[ /,.-]*sa?)$|"
            rf"^(?:[a-z] ){{3,}}[a-z]$|^follow ?-? ?up .*\blater$"
        ),
        "past_occasion": re.compile(
            rf"^(?:[a-z.']+ ){{0,3}}{any_of['occasions']}s?\W+(?:[a-z]+ )?"
            rf"(?:day before yesterday|(?:\d+|{any_of['how_many']}) ?{any_of['units_ago']}s?\.? ?{any_of['ago']})\W*$"
        ),
    }


def _by_number(any_of: Mapping[str, str]) -> re.Pattern[str]:
    """Lines that pick some orders of a list by their numbers."""
    numbers = r"\d{1,2}(?: ?(?:,|&|and|\+) ?\d{1,2})*"
    return re.compile(
        rf"\b{any_of['ordinals']} {any_of['picked']}s?\b|"
        rf"^(?:please |kindly )?{any_of['picks']} (?:only )?(?:nos?\.? ?|items? |#)?{numbers}(?: only| alone)?\W*$|"
        rf"\b{any_of['numbering']} ?{numbers}\b(?! ?{any_of['no_list_number']})|"
        rf"^(?:& ?)?{numbers} (?:only|for|not)\b(?! ?\d)|"
        # `Circled: 1, 3`, `Dispense 1 and 3`
        rf"^[a-z]+ ?:? ?\d{{1,2}}(?: ?(?:,|&|and) ?\d{{1,2}})+\W*$"
    )


_SETS_OF_CLAIMS = ("negations", "auxiliaries", "fillers", "reason_fillers", "of_meals", "how_often", "how_bad", "packs")


class ClaimWords(NamedTuple):
    """`lexicon/claims.json`, compiled (`checks/grounding`). `containers`, `manners`: a word -> what it means; `methods`: a verb -> the
    routes and form families by which a statement says it without the verb."""

    negations: frozenset[str]
    auxiliaries: frozenset[str]
    fillers: frozenset[str]
    reason_fillers: frozenset[str]
    of_meals: frozenset[str]
    how_often: frozenset[str]
    how_bad: frozenset[str]
    packs: frozenset[str]
    containers: Mapping[str, str]
    manners: Mapping[str, str]
    methods: Mapping[str, frozenset[str]]

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> ClaimWords:
        """KeyError if a table is missing; the rulepack loader reports it."""
        sets: dict[str, Any] = words_of(raw, _SETS_OF_CLAIMS)
        containers, manners = (
            {word: meaning for meaning, words in raw[name]["meanings"].items() for word in words} for name in ("containers", "manners")
        )
        methods = {verb: frozenset(routes) for verb, routes in raw["methods"]["routes"].items()}
        return cls(**sets, containers=containers, manners=manners, methods=methods)


class PlainRules(NamedTuple):
    """`rules` of `lexicon/plain.json`, compiled (`reader/plain.py`)."""

    vitamin: frozenset[str]
    supplements: frozenset[str]
    answering: frozenset[str]
    lengths: frozenset[str]
    needs_another: frozenset[str]
    counted: frozenset[str]
    infused: frozenset[str]
    asking: frozenset[str]
    needed: frozenset[str]
    of_doses: frozenset[str]
    rhythms: frozenset[str]
    appointing: frozenset[str]
    of_the_sun: frozenset[str]
    numbered: frozenset[str]
    conditions: frozenset[str]
    denying: frozenset[str]

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> PlainRules:
        """KeyError if a table is missing; the rulepack loader reports it."""
        return cls(**words_of(raw, cls._fields))
