"""Compile the rulepack's lexicons, which are data, into one phrase trie and a few word tables. Done once per rulepack.

Phrases are cut by the same lexer as the text they will be looked for in. A phrase may hold `#` (any number or a range)
and `{u}` (any unit word of a dose). Of the thousands of first words a text uses few, so the phrases behind one are cut
when it is first met.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from medfence_guard.reader.lexer import NUMBER, WORD, lex
from medfence_guard.reader.tables import NOTHING, ClaimWords, ClauseWords, PageWords, PlainRules, StatusWords, ToldWords
from medfence_guard.reader.text import fold


class Meaning(NamedTuple):
    """What a phrase means: a kind (`rate`, `when`, `form`, `cue`, …) and its value; `notes` for what is error-prone about it."""

    kind: str
    value: Any
    notes: tuple[str, ...] = ()


class Unit(NamedTuple):
    """A unit word: its UCUM code, its dimension, its scale within the dimension, and what is wrong with its surface."""

    ucum: str
    dimension: str
    scale: Fraction
    notes: tuple[str, ...] = ()


class Rate(NamedTuple):
    """FHIR Timing.repeat: `low..high` times per `period..period_high` `unit`s. An interval has unit `h` or a period above one."""

    low: Fraction
    high: Fraction
    period: Fraction
    period_high: Fraction
    unit: str


# Column labels that are ordinary words of a sentence; as labels they would swallow it.
_PREPOSITIONS = frozenset({"for", "to", "from", "on", "by"})
# Which reading of a phrase comes first when it has several; the segmenter may choose another by position.
KIND_ORDER = (
    "instruction_to_model",
    "ambiguous",
    "rate",
    "rate_of",
    "when",
    "when_offset",
    "prn",
    "stat",
    "as_directed",
    "duration",
    "duration_is",
    "duration_open",
    "maximum",
    "unsupported",
    "weekday",
    "quantity",
    "refill",
    "pseudo_cue",
    "collective",
    "cue",
    "form",
    "route",
    "site",
    "release",
    "then",
    "verb",
    "composition",
    "medicine_class",
    "indication",
    "inert",
    "indication_part",
    "terminator",
    "heading",
    "review_phrases",
    "boilerplate",
    "header_line_starts",
    "person_roles",
    "label",
    "model_label",
)
_GOING_ON = frozenset({"taking", "continue", "conditional", "family", "past"})
# What is said of the paper, of visits and of complaints.
_OF_NO_ORDER = frozenset("boilerplate header_line_starts review_phrases indication indication_part".split())
_RANK = {kind: rank for rank, kind in enumerate(KIND_ORDER)}
LEAF = ""  # the key of a trie node that holds the meanings of the phrase ending there
# Note of a verb that is done with no tablet.
NOT_SWALLOWED = "not_swallowed"
# Note of a time before or after a meal that has no upper end: `at least 30 min before food`.
AT_LEAST = "at_least"
# The note of `every night`, `nightly`: beside `weekly` another frequency, where `at night` is none.
EVERY_DAY = "every_day"
ANY_NUMBER = "#"
ANY_UNIT = "{u}"
Trie = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RemarkWords:
    """The tables of `lexicon/remarks.json`, compiled (`reader/remarks.py`)."""

    corrections: re.Pattern[str]
    other_papers: re.Pattern[str]
    no_intake: re.Pattern[str]
    nouns: frozenset[str]
    changes: frozenset[str]
    changes_beside: frozenset[str]
    small: frozenset[str]
    starts: frozenset[str]
    other_headings: re.Pattern[str]
    lone_headings: frozenset[str]
    heading_words: frozenset[str]
    column_heads: re.Pattern[str]
    deciding: frozenset[str]
    deciding_first: frozenset[str]
    deciding_short: frozenset[str]
    ordinary: frozenset[str]
    allergy_classes: Mapping[str, Sequence[str]]
    allergy_kin: Sequence[Sequence[str]]
    vague_allergies: frozenset[str]
    allergy: re.Pattern[str]
    harm: re.Pattern[str]
    reactions: re.Pattern[str]
    of_the_body: frozenset[str]
    allergy_labels: frozenset[str]
    past_use: frozenset[str]
    denials: frozenset[str]
    endings: frozenset[str]
    beside_values: frozenset[str]
    disproved: re.Pattern[str]
    settled: re.Pattern[str]
    left_alone: frozenset[str]
    words_of_time: frozenset[str]
    classes_refused_before: frozenset[str]
    classes_refused_behind: frozenset[str]
    classes_refused_close: frozenset[str]
    classes_put_off: frozenset[str]
    in_no_name: frozenset[str]
    words_of: Mapping[str, Mapping[str, tuple[frozenset[str], ...]]]
    """Of each pattern, and of the names of classes, by the longest word of its phrases: what other words each of them has."""
    by_word: Mapping[str, tuple[tuple[str, frozenset[str]], ...]]
    """The same of all patterns: word -> pattern, and the other words of a phrase of it."""

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> RemarkWords:
        """KeyError if a table is missing; the rulepack loader reports it."""
        words_of = {table: _words_of(raw[table]) for table in _PATTERNS}
        by_word: dict[str, list[tuple[str, frozenset[str]]]] = {}
        for table, words in words_of.items():
            for word, rows in words.items():
                by_word.setdefault(word, []).extend((table, others) for others in rows)
        return cls(
            corrections=_any_of(raw["corrections"]),
            other_papers=_any_of(raw["other_papers"]),
            no_intake=_any_of(raw["no_intake"]),
            nouns=frozenset(raw["nouns"]),
            changes=frozenset(raw["changes"]),
            changes_beside=frozenset(raw["changes_beside"]),
            small=frozenset(raw["small"]),
            starts=frozenset(raw["starts"]),
            other_headings=_any_of(raw["other_headings"]),
            lone_headings=frozenset(raw["lone_headings"]),
            heading_words=frozenset(raw["heading_words"]),
            column_heads=_any_of(raw["column_heads"]),
            deciding=frozenset(raw["deciding"]),
            deciding_first=frozenset(raw["deciding_first"]),
            deciding_short=frozenset(raw["deciding_short"]),
            ordinary=frozenset(raw["ordinary"]),
            allergy_classes={name: tuple(members) for name, members in raw["allergy_classes"].items()},
            allergy_kin=tuple(tuple(raw["allergy_classes"][name]) for name in raw["allergy_kin"]),
            vague_allergies=frozenset(raw["vague_allergies"]),
            allergy=_part_of(raw["allergy_stems"]),
            harm=_part_of(raw["harm_stems"]),
            reactions=_part_of([*raw["harm_stems"], *raw["reaction_stems"]]),
            of_the_body=frozenset(raw["of_the_body"]),
            allergy_labels=frozenset(raw["allergy_labels"]),
            past_use=frozenset(raw["past_use"]),
            denials=frozenset(raw["denials"]),
            endings=frozenset(raw["endings"]),
            beside_values=frozenset(raw["beside_values"]),
            disproved=_any_of(raw["disproved"]),
            settled=_any_of(raw["settled"]),
            left_alone=frozenset(raw["left_alone"]),
            words_of_time=frozenset(raw["words_of_time"]),
            classes_refused_before=frozenset(raw["classes_refused_before"]),
            classes_refused_behind=frozenset(raw["classes_refused_behind"]),
            classes_refused_close=frozenset(raw["classes_refused_close"]),
            classes_put_off=frozenset(raw["classes_put_off"]),
            in_no_name=frozenset().union(*(raw[table] for table in _SPEECH)) - set(raw["in_names"]),
            words_of={**words_of, "allergy_classes": _words_of(raw["allergy_classes"])},
            by_word={word: tuple(found) for word, found in by_word.items()},
        )

    def may_find(self, table: str, spoken: frozenset[str]) -> bool:
        """Whether a phrase of this table can be made of these words."""
        words = self.words_of[table]
        return "" in words or any(others <= spoken for word in words.keys() & spoken for others in words[word])

    def idle_on(self, spoken: frozenset[str]) -> frozenset[str]:
        """The patterns that can find nothing on a page of these words."""
        found = [table for word in self.by_word.keys() & spoken for table, others in self.by_word[word] if others <= spoken]
        return frozenset(_PATTERNS).difference(found, [table for table, _ in self.by_word.get("", ())])

    def without(self, idle: Collection[str]) -> RemarkWords:
        """The tables where each of these patterns matches nothing."""
        changed: dict[str, Any] = dict.fromkeys(idle, NOTHING)
        return replace(self, **changed)

    def for_page(self, spoken: frozenset[str]) -> RemarkWords:
        """The tables for a page of these words: a pattern that can find nothing there is one that matches nothing."""
        return self.without(self.idle_on(spoken))


def _words_of(phrases: Iterable[str]) -> dict[str, tuple[frozenset[str], ...]]:
    """By the longest run of letters of a phrase, which the fewest pages have: the others. Of Devanagari the run it begins with alone is
    asked for, since another may be the beginning of a longer one; the empty run stands for a phrase that has none to ask for."""
    found: dict[str, set[frozenset[str]]] = {}
    for phrase in phrases:
        first = _WORD.match(phrase)
        runs = {*_LETTERS.findall(phrase), *([] if first is None else [first[0]])}
        longest_run = max(sorted(runs), key=len, default="")
        found.setdefault(longest_run, set()).add(frozenset(runs - {longest_run}))
    return {word: tuple(sorted(rows, key=len)) for word, rows in found.items()}


_LETTERS = re.compile("[a-z]+")
_WORD = re.compile("[a-z]+|[\u0900-\u097f]+")
# The tables whose words are part of no name.
_SPEECH = (
    "changes",
    "changes_beside",
    "deciding",
    "deciding_first",
    "nouns",
    "ordinary",
    "small",
    "speech",
    "starts",
    "whole",
    "whole_if_known",
)
# The tables that are patterns.
_PATTERNS = ("corrections", "other_papers", "no_intake", "other_headings", "column_heads", "disproved", "settled")


def spoken_in(text: str) -> frozenset[str]:
    """The runs of letters of a folded text. A phrase that stands in it has no other, but a part of the last one in Devanagari."""
    return frozenset(_WORD.findall(text))


def _any_of(phrases: Sequence[str]) -> re.Pattern[str]:
    longest_first = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    return re.compile(r"(?<![a-z0-9'-])(?:" + "|".join(map(re.escape, longest_first)) + r")(?![a-z0-9'-])")


def _part_of(stems: Sequence[str]) -> re.Pattern[str]:
    """Any of the stems, wherever in a word."""
    return re.compile("|".join(map(re.escape, stems)))


@dataclass(frozen=True, slots=True)
class OrderHeadings:
    """`order_headings` of `lexicon/sections.json`, compiled: headings of orders that stand now (`reader/remarks.py`)."""

    of_plans: re.Pattern[str]
    of_orders: re.Pattern[str]
    of_lists: re.Pattern[str]
    of_changes: re.Pattern[str]
    after_treatment: re.Pattern[str]
    given_today: re.Pattern[str]

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> OrderHeadings:
        """KeyError if a table is missing; the rulepack loader reports it."""

        def one_of(*tables: str) -> str:
            return "(?:" + "|".join(re.escape(w) for w in sorted({w for t in tables for w in raw[t]}, key=lambda w: (-len(w), w))) + ")"

        led = f"(?:{one_of('leads')} )?"
        purpose, after = one_of("purposes"), one_of("after_treatment")
        plans, sets = one_of("plans"), one_of("sets")
        plan_purpose = one_of("purposes", "plan_purposes")
        return cls(
            of_plans=re.compile(
                f"{led}(?:{one_of('plan_leads')} {plans}(?: {plan_purpose})?|{plans} {plan_purpose})|{one_of('leads')} {plans}",
            ),
            of_orders=re.compile(
                f"{led}(?:{one_of('order_leads')} {one_of('orders')}(?: {purpose})?|{one_of('orders')} {purpose})|"
                f"{one_of('leads')} {one_of('orders')}|{led}(?:{one_of('set_leads')} )?{sets} {purpose}|{one_of('whole')}"
            ),
            of_lists=re.compile(rf"{one_of('lists')}(?: ?\({one_of('defaults')}\)?)?"),
            of_changes=re.compile(one_of("changes")),
            after_treatment=re.compile(f"{led}(?:home )?{sets} {after}"),
            given_today=re.compile(rf"\b{one_of('treatments')}\b[^.;:?\n]{{0,40}}\b(?:given|done|completed) today\b"),
        )


@dataclass(frozen=True, slots=True)
class GluedWords:
    """Harmless text by its letters alone, for runs whose spaces were lost (`reader/glued.py`).

    `phrases`: letters -> the words of the phrase; `parts`: the letters of two or more of its words in a row; `words`: words of visits
    and tests, `joining` among them, and their `starts` of two letters; `turning`: what stops, denies, changes or counts.
    """

    phrases: Mapping[str, tuple[str, ...]]
    parts: frozenset[str]
    words: frozenset[str]
    joining: frozenset[str]
    starts: frozenset[str]
    longest: int
    turning: frozenset[str]

    @classmethod
    def from_json(cls, tables: Mapping[str, Any]) -> GluedWords:
        """A phrase that holds a turning word is left out, and so are two that have the same letters. KeyError if a table is missing."""
        raw, cues, remarks = tables["inert"]["glued"], tables["cues"], tables["remarks"]
        said = (phrase for row in cues["cues"] for phrase in row["phrases"])
        turning = frozenset(
            word
            for word in (*said, *cues["doubt_words"], *remarks["changes"], *remarks["changes_beside"], *tables["units"]["number_words"])
            if _LETTERS.fullmatch(word)
        )
        joining = frozenset(raw["joining"])
        departments = [tuple(name.split(" ")) for name in tables["sections"]["departments"]["names"]]
        advised = [tuple(phrase.split(" ")) for row in tables["inert"]["categories"] if row.get("glued") for phrase in row["phrases"]]
        enough = [phrase for phrase in advised if len(phrase) > 2 or (len(phrase) == 2 and not joining.isdisjoint(phrase))]
        found: dict[str, set[tuple[str, ...]]] = {}
        for phrase in (*departments, *enough):
            if turning.isdisjoint(phrase) and all(map(_LETTERS.fullmatch, phrase)):
                found.setdefault("".join(phrase), set()).add(phrase)
        phrases = {letters: next(iter(spelled)) for letters, spelled in found.items() if len(spelled) == 1}
        parts = (phrase[n:end] for phrase in phrases.values() for n in range(len(phrase)) for end in range(n + 2, len(phrase) + 1))
        words = frozenset((*raw["words"], *joining))
        return cls(
            phrases=phrases,
            parts=frozenset(map("".join, parts)),
            words=words,
            joining=joining,
            starts=frozenset(word[:2] for word in words),
            longest=max(map(len, words)),
            turning=turning,
        )


ASIDE_TOKEN = re.compile(r"[a-z0-9\u0900-\u097f]+(?:[/&'.:+-][a-z0-9\u0900-\u097f]+)*|\S")
ByFirst = Mapping[str, tuple[tuple[str, ...], ...]]


def longest(phrases: ByFirst, tokens: Sequence[str], at: int) -> int:
    """How many tokens the longest phrase at this place has; 0 if none stands there."""
    for row in phrases.get(tokens[at], ()) if at < len(tokens) else ():
        if tuple(tokens[at : at + len(row)]) == row:
            return len(row)
    return 0


class AsideClass(NamedTuple):
    """One class of `lexicon/asides.json`, compiled: phrases by their first token, longest first."""

    name: str
    subjects: ByFirst
    opened: ByFirst
    openers: ByFirst
    words: ByFirst
    timing: frozenset[str]
    opened_timing: frozenset[str]
    timing_words: frozenset[str]
    conditions: ByFirst
    numbers: bool
    members: re.Pattern[str] | None
    """Parts of the names of medicines that are of the class."""
    heads: frozenset[str]
    """The first words a clause of this class may have."""


def compile_asides(raw: Mapping[str, Any]) -> tuple[AsideClass, ...]:
    """KeyError if a table is missing; the rulepack loader reports it."""
    return tuple(
        AsideClass(
            name=row["name"],
            subjects=_by_first(row["subjects"]),
            opened=_by_first(row["opened"]),
            openers=_by_first(row["openers"]),
            words=_by_first([*row["words"], *row["subjects"], *row["opened"], *row["openers"]]),
            timing=frozenset(row["timing"]),
            opened_timing=frozenset(row["opened_timing"]),
            timing_words=frozenset(row["timing_words"]),
            conditions=_by_first(row["conditions"]),
            numbers=row["numbers"],
            members=_part_of(row["members"]) if row["members"] else None,
            heads=frozenset(_by_first([*row["subjects"], *row["openers"], *row["conditions"]])),
        )
        for row in raw["classes"]
    )


def _by_first(phrases: Collection[str]) -> ByFirst:
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted(set(phrases)):
        tokens = tuple(ASIDE_TOKEN.findall(phrase))
        found.setdefault(tokens[0], []).append(tokens)
    return {first: tuple(sorted(rows, key=lambda row: (-len(row), row))) for first, rows in found.items()}


# A word, a number, or a mark: `V4`, `2.5`, `/`.
ADVICE_TOKEN = re.compile(r"[a-z\u0900-\u097f][a-z0-9\u0900-\u097f']*|\d+(?:[.:]\d+)?|\S")
_SHAPE_TOKEN = re.compile(r"[A-Za-z_]+|#|\S")
_A_NUMBER = "#"
A_NAME = "@"


class _Slot(NamedTuple):
    """A table of phrases by their first token, or alternatives of rows of slots; and how often it may stand: `?`, `*`, `+` or once.

    `begins`: the words that one of `kinds` may begin with; None of anything else, and of what may be empty.
    """

    what: ByFirst | tuple[tuple[_Slot, ...], ...]
    often: str
    begins: frozenset[str] | None = None


_Row = tuple[_Slot, ...]
_Kinds = Mapping[str, tuple[_Row, frozenset[str] | None]]


@dataclass(frozen=True, slots=True)
class Advice:
    """The shapes of `lexicon/advice.json`, compiled (`reader/advice.py`).

    `shapes`: by each word one may begin with, its slots, the words it may end with, whether it stands at the head of a paper alone,
    and its bit; `holding`: by each word, the bits of the shapes that may hold it; `named`: words that are names elsewhere, and none
    in these; `not_alone`: words that are no clause by themselves.
    """

    shapes: Mapping[str, tuple[tuple[_Row, frozenset[str], bool, int], ...]]
    holding: Mapping[str, int]
    named: frozenset[str]
    not_alone: frozenset[str]

    @classmethod
    def from_json(cls, raw: Mapping[str, Any], groups: Mapping[str, Sequence[str]]) -> Advice:
        """KeyError if a table is missing. `groups`: the plain words by what they are about."""
        tables: dict[str, ByFirst] = {name: _phrases_of(phrases) for name, phrases in raw["tables"].items()}
        for name, sources in raw["from_plain"].items():
            tables[name] = _phrases_of([word for source in sources for word in groups[source]])
        tables[_A_NUMBER] = _phrases_of([_A_NUMBER])
        kinds = _kinds_of(raw["kinds"], tables)
        rows = [
            (_row_of(_SHAPE_TOKEN.findall(shape), tables, kinds), kind["opens"]) for kind in raw["productions"] for shape in kind["shapes"]
        ]
        shapes: dict[str, list[tuple[_Row, frozenset[str], bool, int]]] = {}
        for number, (row, opens) in enumerate(rows):
            shape = (row, _ends_of(row, -1)[0], opens, 1 << number)
            for first in sorted(_ends_of(row, 0)[0]):
                shapes.setdefault(first, []).append(shape)
        holding = _holding([row for row, _ in rows])
        return cls(
            {first: tuple(found) for first, found in shapes.items()}, holding, frozenset(raw["named"]), frozenset(raw["not_alone"]["words"])
        )

    def may_begin(self, token: str) -> bool:
        return _kind_of(token) in self.shapes

    def holds(self, tokens: Sequence[str], *, opens: bool) -> bool:
        """Whether some shape reaches from the first token to the last. `opens`: nothing stands before them on the paper."""
        if len(tokens) == 1 and tokens[0] in self.not_alone:
            return False
        first, last = _kind_of(tokens[0]), _kind_of(tokens[-1])
        # Most clauses have a word that no shape has beside the others.
        able = self.holding.get(first, 0)
        for token in tokens:
            able &= self.holding.get(_A_NUMBER if token[0].isdigit() else token, 0)
        if not able:
            return False
        for row, lasts, heads, bit in self.shapes.get(first, ()):
            if able & bit and last in lasts and (opens or not heads) and len(tokens) in _reached(row, tokens, frozenset({0})):
                return True
        return False


def _kind_of(token: str) -> str:
    return _A_NUMBER if token[0].isdigit() else token


def _phrases_of(phrases: Collection[str]) -> ByFirst:
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted(set(phrases)):
        tokens = tuple(ADVICE_TOKEN.findall(phrase))
        found.setdefault(tokens[0], []).append(tokens)
    return {first: tuple(rows) for first, rows in found.items()}


def _kinds_of(raw: Mapping[str, str], tables: Mapping[str, ByFirst]) -> _Kinds:
    """The row of slots of each kind, and what it may begin with if it may not be empty; made once, wherever it stands."""
    made: dict[str, tuple[_Row, frozenset[str] | None]] = {}
    waiting = {name: _SHAPE_TOKEN.findall(shape) for name, shape in raw.items()}
    while waiting:
        # Those that hold no kind that is not made yet; if there are none, one holds itself.
        ready = [name for name, shape in waiting.items() if waiting.keys().isdisjoint(shape)]
        if not ready:
            raise ValueError("a kind of advice that holds itself")
        for name in ready:
            row = _row_of(waiting.pop(name), tables, made)
            begins, empty = _ends_of(row, 0)
            made[name] = row, None if empty else begins
    return made


def _row_of(shape: list[str], tables: Mapping[str, ByFirst], kinds: _Kinds) -> _Row:
    """The slots of a shape, taken off its tokens; at the outermost level there is one row."""
    rows = _rows_of(list(shape), tables, kinds)
    return rows[0] if len(rows) == 1 else (_Slot(rows, ""),)


def _rows_of(shape: list[str], tables: Mapping[str, ByFirst], kinds: _Kinds) -> tuple[_Row, ...]:
    rows: list[_Row] = []
    row: list[_Slot] = []
    while shape and shape[0] != ")":
        name = shape.pop(0)
        if name == "|":
            rows.append(tuple(row))
            row = []
            continue
        what: ByFirst | tuple[_Row, ...]
        begins: frozenset[str] | None = None
        if name == "(":
            what = _rows_of(shape, tables, kinds)
            shape.pop(0)
        elif name in kinds:
            inner, begins = kinds[name]
            what = (inner,)
        else:
            what = tables[name]
        row.append(_Slot(what, shape.pop(0) if shape and shape[0] in ("?", "*", "+") else "", begins))
    return (*rows, tuple(row))


def _ends_of(row: _Row, end: int) -> tuple[frozenset[str], bool]:
    """What a row may begin with (`end` 0) or end with (-1), and whether it may be empty."""
    found: set[str] = set()
    for what, often, _ in row[:: 1 if end == 0 else -1]:
        if isinstance(what, tuple):
            inner = [_ends_of(other, end) for other in what]
            found.update(*(words for words, _ in inner))
            empty = any(nothing for _, nothing in inner)
        else:
            found.update(phrase[end] for phrases in what.values() for phrase in phrases)
            empty = False
        if not empty and often not in ("?", "*"):
            return frozenset(found), False
    return frozenset(found), True


def _holding(rows: Sequence[_Row]) -> dict[str, int]:
    """By each word, each number as `#`, the rows that may hold it: the bit `1 << n` for row `n`."""
    tables: dict[int, ByFirst] = {}
    bits: dict[int, int] = {}
    for number, row in enumerate(rows):
        waiting = list(row)
        while waiting:
            what = waiting.pop().what
            if isinstance(what, tuple):
                waiting.extend(slot for other in what for slot in other)
            else:
                tables[id(what)] = what
                bits[id(what)] = bits.get(id(what), 0) | 1 << number
    found: dict[str, int] = {}
    for key, table in tables.items():
        for word in {_kind_of(word) for phrases in table.values() for phrase in phrases for word in phrase}:
            found[word] = found.get(word, 0) | bits[key]
    return found


_NOWHERE: frozenset[int] = frozenset()


def _reached(row: _Row, tokens: Sequence[str], places: frozenset[int]) -> frozenset[int]:
    """The places at which a row of slots may end that begins at one of these."""
    for what, often, begins in row:
        reached = _through(what, tokens, places, begins)
        found = reached | places if often in ("?", "*") else reached
        while often in ("*", "+") and reached and (reached := _through(what, tokens, reached, begins) - found):
            found |= reached
        places = found
        if not places:
            break
    return places


def _through(
    what: ByFirst | tuple[_Row, ...], tokens: Sequence[str], places: frozenset[int], begins: frozenset[str] | None
) -> frozenset[int]:
    if isinstance(what, tuple):
        if begins is not None and begins.isdisjoint([_kind_of(tokens[place]) for place in places if place < len(tokens)]):
            return _NOWHERE
        return frozenset().union(*[_reached(row, tokens, places) for row in what])
    return frozenset(
        [
            place + len(phrase)
            for place in places
            if place < len(tokens)
            for phrase in what.get(_kind_of(tokens[place]), ())
            if len(phrase) == 1
            or (len(phrase) <= len(tokens) - place and all(map(_stands_for, phrase, tokens[place : place + len(phrase)])))
        ]
    )


def _stands_for(listed: str, token: str) -> bool:
    return listed == (_kind_of(token) if listed == _A_NUMBER else token)


_LONGEST_GLUED = 24


def _without(groups: Mapping[str, Sequence[str]], vague: frozenset[str]) -> dict[str, list[str]]:
    """The plain words by what they are about, without those that alone name nothing."""
    return {name: [word for word in words if word not in vague] for name, words in groups.items()}


class PlainWords(NamedTuple):
    """The tables of `lexicon/plain.json`, compiled (`reader/plain.py`)."""

    group_of: Mapping[str, str]
    small: frozenset[str]
    time_words: frozenset[str]
    analytes: frozenset[str]
    measured_in: frozenset[str]
    in_conditions: frozenset[str]
    closing: frozenset[str]
    done: frozenset[str]
    visits: frozenset[str]
    openers: ByFirst
    conditions: ByFirst
    timed: frozenset[str]
    conditional: frozenset[str]
    recurring: frozenset[str]
    eaten: frozenset[str]
    lasting: frozenset[str]
    vague: frozenset[str]
    refusing: frozenset[str]
    rules: PlainRules

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> PlainWords:
        """KeyError if a table is missing; the rulepack loader reports it."""
        return cls(
            group_of={word: name for name, words in raw["groups"].items() for word in words},
            small=frozenset(raw["small"]),
            time_words=frozenset(raw["time_words"]),
            analytes=frozenset(raw["analytes"]),
            measured_in=frozenset(raw["measured_in"]),
            in_conditions=frozenset(raw["in_conditions"]),
            closing=frozenset(raw["closing"]),
            done=frozenset(raw["done"]),
            visits=frozenset(raw["groups"]["visits_and_papers"]),
            openers=_by_first(raw["openers"]),
            conditions=_by_first(raw["conditions"]),
            timed=frozenset(raw["timed"]),
            conditional=frozenset(raw["conditional"]),
            recurring=frozenset(raw["recurring"]["done"]),
            eaten=frozenset(raw["recurring"]["eaten"]),
            lasting=frozenset(raw["lasting"]),
            vague=frozenset(raw["vague"]),
            refusing=frozenset(raw["refusing"]),
            rules=PlainRules.from_json(raw["rules"]),
        )

    def opening(self, tokens: Sequence[str]) -> int:
        """How many tokens of openers a clause begins with."""
        at = 0
        while at < len(tokens) and (tokens[at] in "-*•" or longest(self.openers, tokens, at)):
            at += longest(self.openers, tokens, at) or 1
        return at

    def group(self, word: str) -> str | None:
        """What a word is about; of a hyphenated word, what its last part is, if each part is known."""
        found = self.group_of.get(word)
        if found is None and "-" in word:
            parts = [self.group_of.get(part) for part in word.split("-")]
            found = parts[-1] if None not in parts else None
        if (
            found is None
            and 6 <= len(word) <= _LONGEST_GLUED
            and any(self.group_of.get(word[:at]) == "tests" == self.group_of.get(word[at:]) for at in range(3, len(word) - 2))
        ):
            # `LFTreports`, as an engine that loses spaces has it
            found = "tests"
        return found


class QuotedWords(NamedTuple):
    """The tables of `lexicon/quoted.json`, compiled (`reader/quotable.py`)."""

    leads: Mapping[str, frozenset[str]]
    times: frozenset[str]
    places: frozenset[str]
    handling: frozenset[str]
    alone: frozenset[str]
    beginnings: frozenset[str]
    handling_groups: frozenset[str]
    refusals: frozenset[str]
    held_breath: frozenset[str]
    conditions: frozenset[str]
    condition_groups: frozenset[str]
    condition_words: frozenset[str]
    comparisons: frozenset[str]
    of_steps: frozenset[str]
    of_a_change: frozenset[str]
    of_changes: frozenset[str]
    repeat_first: frozenset[str]
    of_repeats: frozenset[str]
    small: frozenset[str]
    qualities: frozenset[str]
    halves: frozenset[str]
    containers: frozenset[str]
    measures: frozenset[str]
    liquids: frozenset[str]
    day_marks: frozenset[str]
    apart: frozenset[str]
    things: frozenset[str]
    giving: frozenset[str]
    refusable: frozenset[str]
    keeping: frozenset[str]
    postures: frozenset[str]
    day_leads: frozenset[str]
    repeat_leads: frozenset[str]
    drunk_in: frozenset[str]
    spots: frozenset[str]
    places_within: frozenset[str]
    empty_in_conditions: frozenset[str]
    particles: Mapping[str, frozenset[str]]
    bound: Mapping[str, frozenset[str]]

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> QuotedWords:
        """KeyError if a table is missing; the rulepack loader reports it."""
        keyed = ("leads", "particles", "bound")
        rows: dict[str, Any] = {name: frozenset(raw[name]) for name in cls._fields if name not in keyed}
        rows.update((name, {word: frozenset(words) for word, words in raw[name].items()}) for name in keyed)
        return cls(**rows)


_MOST_KEPT = 256  # lexicons without the patterns that a page needs none of


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The compiled tables. `pieces` are the words that a glued run of letters may be split into; `timing_pieces` those of timing alone.

    `spoken`: every word of a phrase that can be of an order, and is no plain word; `printed`: the texts that are printed on the paper;
    `ending`: the single words by which an order is ended, doubted or changed.
    """

    trie: Trie
    units: Mapping[str, Unit]
    unit_by_ucum: Mapping[str, Unit]
    confusable_units: Mapping[str, str]
    scale_words: Mapping[str, Fraction]
    number_words: Mapping[str, Fraction]
    spoken_units: frozenset[str]
    spoken_tens: frozenset[str]
    spoken_hundreds: frozenset[str]
    time_units: Mapping[str, str]
    pieces: frozenset[str]
    timing_pieces: frozenset[str]
    form_family: Mapping[str, str]
    form_unit: Mapping[str, str | None]
    # Unit of a piece -> the families of forms that hold such pieces; of a piece that is not here nothing is known.
    counted_in: Mapping[str, frozenset[str]]
    form_route: Mapping[str, str | None]
    bundle_form_family: Mapping[str, str]
    release_family: Mapping[str, str]
    suffixes: frozenset[str]
    salts: frozenset[str]
    uncalled: frozenset[str]
    in_grams: frozenset[str]
    confusable_timing: frozenset[str]
    instruction_marks: tuple[str, ...]
    doubt_words: frozenset[str]
    no_allergy: frozenset[str]
    reference_words: frozenset[str]
    site_route: Mapping[str, str | None]
    same_forms: tuple[frozenset[str], ...]
    remarks: RemarkWords
    glued: GluedWords
    departments: Mapping[str, frozenset[str]]
    order_headings: OrderHeadings
    same_reasons: Mapping[str, str]
    long_standing: frozenset[str]
    mass_and_units: frozenset[str]
    asides: tuple[AsideClass, ...]
    plain: PlainWords
    advice: Advice
    quoted: QuotedWords
    status: StatusWords
    told: ToldWords
    clauses: ClauseWords
    page: PageWords
    claims: ClaimWords
    spoken: frozenset[str]
    printed: tuple[str, ...]
    ending: frozenset[str]
    by_idle: dict[tuple[frozenset[str], frozenset[str]], Lexicon] = field(default_factory=dict, init=False, repr=False, compare=False)
    """The lexicon without each set of patterns that some page needed none of: facts of the tables, and nothing of the page."""

    def for_page(self, spoken: frozenset[str]) -> Lexicon:
        """The lexicon for a page of these words: a pattern that can find nothing there is one that matches nothing."""
        idle = self.remarks.idle_on(spoken), self.clauses.idle_on(spoken)
        found = self.by_idle.get(idle)
        if found is None:
            found = replace(self, remarks=self.remarks.without(idle[0]), clauses=self.clauses.without(idle[1]))
            if len(self.by_idle) < _MOST_KEPT:
                self.by_idle[idle] = found
        return found

    def knows(self, word: str) -> bool:
        """Whether a word is of some table, so that it is no name of a medicine, a person or a house that nobody listed."""
        remarks, plain = self.remarks, self.plain
        listed = word in remarks.in_no_name or word in plain.small or word in plain.time_words or word in plain.in_conditions
        return listed or self.may_decide(word) or word in self.spoken or plain.group(word) is not None

    def may_decide(self, word: str) -> bool:
        """Whether a word of ordinary speech, or a number, may say something of an order it stands beside."""
        remarks = self.remarks
        tables = (remarks.ordinary, remarks.deciding, remarks.deciding_short, remarks.changes, remarks.endings, remarks.denials)
        return word in self.number_words or any(word in table for table in tables)


# What a token may begin with that goes on after a space (`1 - 0 - 1`, `2 + 1`). Where none of these is, words are cut one by one.
_NUMERIC = re.compile(r"[\d.½¼¾⅓⅔|]")


def _atoms(phrase: str) -> list[str]:
    words = [phrase] if _NUMERIC.search(phrase) else phrase.split(" ")
    return [atom for word in words for atom in _cut(word)]


@lru_cache(maxsize=4096)
def _cut(word: str) -> tuple[str, ...]:
    if word.isascii() and word.islower() and word.isalpha():
        return (word,)
    atoms = [token.text for token in lex(fold(word.replace(ANY_UNIT, " ⟦u⟧ ")))]
    out: list[str] = []
    index = 0
    while index < len(atoms):
        if atoms[index] == "⟦":
            out.append(ANY_UNIT)
            index += 3
        else:
            out.append(atoms[index])
            index += 1
    return tuple(out)


class Phrases(dict[str, Trie]):
    """The top of the trie: first word -> what may follow it, built from the phrases that wait behind that word when it is asked for.

    Nothing is taken from what waits, so two threads that ask at once build the same and keep one.
    """

    __slots__ = ("_waiting",)

    def __init__(self, waiting: Mapping[str, Sequence[tuple[str, Meaning]]]) -> None:
        self._waiting = waiting

    def __missing__(self, word: str) -> Trie:
        top: Trie = {}
        for phrase, meaning in self._waiting[word]:
            node = top
            for atom in _atoms(phrase):
                node = node.setdefault(atom, {})
            known = node.setdefault(LEAF, [])
            if meaning not in known:
                known.append(meaning)
                known.sort(key=lambda m: _RANK.get(m.kind, 99))
        return self.setdefault(word, top[word])

    def __contains__(self, word: object) -> bool:
        return word in self._waiting

    def get(self, word: str, default: Any = None) -> Any:  # noqa: ANN401 - as of any trie node
        return self[word] if word in self._waiting else default

    def __iter__(self) -> Iterator[str]:
        return iter(self._waiting)

    def __len__(self) -> int:
        return len(self._waiting)


_LETTER_RUNS = re.compile(r"[^\W\d_]+")


class _Builder:
    def __init__(self) -> None:
        self.waiting: dict[str, list[tuple[str, Meaning]]] = {}
        self.single: set[str] = set()

    def add(self, phrase: str, meaning: Meaning) -> None:
        """File the phrase behind its first atom; it is cut to its end when it is needed."""
        first, _, rest = phrase.partition(" ")
        atoms: Sequence[str] = _cut(first)
        if not atoms or _NUMERIC.search(first):
            atoms, rest = _atoms(phrase), ""
        if not atoms:
            raise ValueError("a phrase of nothing but space")
        self.waiting.setdefault(atoms[0], []).append((phrase, meaning))
        if len(atoms) == 1 and not rest.strip():
            self.single.add(atoms[0])

    def words(self) -> set[str]:
        """Every word of a phrase by which an order could be told, timed or taken back; `d/ced` also without its mark."""
        told = {phrase for rows in self.waiting.values() for phrase, meaning in rows if meaning.kind not in _OF_NO_ORDER}
        words = {word for phrase in told for word in phrase.split(" ")}
        return words | {"".join(_LETTER_RUNS.findall(word)) for word in words}

    def add_all(self, phrases: Iterable[str], meaning: Meaning) -> None:
        for phrase in phrases:
            self.add(phrase, meaning)


def _expand(template: str, groups: Mapping[str, list[str]]) -> list[str]:
    for name, words in groups.items():
        if "{" + name + "}" in template:
            return [done for word in words for done in _expand(template.replace("{" + name + "}", word, 1), groups)]
    return [template]


def _rate(raw: list[str]) -> Rate:
    count, period, unit = raw
    return Rate(Fraction(count), Fraction(count), Fraction(period), Fraction(period), unit)


def _timing(build: _Builder, data: Mapping[str, Any]) -> None:
    groups = data["groups"]
    for row in data["rates"]:
        rate = _rate(row["rate"])
        if "to" in row:
            # `once or twice a day`
            rate = rate._replace(high=Fraction(row["to"]))
        meaning = Meaning("rate", rate, ("text_only",) if row.get("text_only") else ())
        build.add_all(row["surfaces"], meaning)
        if rate.unit == "d" and rate.period == 1 and rate.low == rate.high:
            # `not more than twice a day`
            most = Meaning("maximum", (meaning.value.low, None, None))
            build.add_all([f"{head} {words}" for head in data["max_heads"] for words in row["surfaces"] if words.endswith(" a day")], most)
        elif meaning.value.unit == "wk":
            weekly = [f"{head} {words}" for head in data["max_heads"] for words in row["surfaces"] if words.endswith(" a week")]
            build.add_all(weekly, Meaning("unsupported", "a maximum of a week"))
    for row in data["rate_templates"]:
        for template in row["surfaces"]:
            build.add_all(_expand(template, groups), Meaning("rate_of", (row["kind"], row["period"])))
    for token, readings in data["ambiguous"].items():
        build.add(token, Meaning("ambiguous", ("rate", tuple(_rate(r) for r in readings))))
    build.add_all(data["prn"]["surfaces"], Meaning("prn", True))
    build.add_all(data["as_directed"], Meaning("as_directed", True))
    build.add_all(data["stat"], Meaning("stat", True))
    build.add_all(data["continuous"], Meaning("unsupported", "continuous"))
    whens: dict[str, list[str]] = {}
    for row in data["when"]:
        for surface in row["surfaces"]:
            build.add(surface, Meaning("when", (row["code"], None), (EVERY_DAY,) if surface in data["of_every_day"] else ()))
        whens.setdefault(row["code"], []).extend(row["surfaces"])
    for token in data["when_ambiguous"]:
        build.add(token, Meaning("ambiguous", ("when", ())))
    meals = [code for code in whens if code in ("AC", "PC", "ACM", "ACD", "ACV", "PCM", "PCD", "PCV", "EMPTY", "HS")]
    for unit, templates in data["offset_templates"].items():
        for code in meals:
            for template in templates:
                for phrase in _expand(template, {"w": [w for w in whens[code] if len(w) > 3]}):
                    build.add(phrase, Meaning("when_offset", (unit, code)))
                    build.add_all(
                        [f"{bound} {phrase}" for bound in data["offset_bounds"]], Meaning("when_offset", (unit, code), (AT_LEAST,))
                    )
    for day, words in data["weekdays"].items():
        build.add_all(words, Meaning("weekday", day))
        build.add_all([f"every {word}" for word in words], Meaning("weekday", day, ("weekly",)))
        build.add_all([f"on {word}" for word in words if len(word) > 3], Meaning("weekday", day))
    for unit, words in data["duration_units"].items():
        for template in data["duration_templates"]:
            build.add_all(_expand(template, {"t": words}), Meaning("duration", unit))
        for template in data["duration_up_to"]:
            build.add_all(_expand(template, {"t": words}), Meaning("duration", unit, ("up_to",)))
    build.add_all(data["duration_nights"], Meaning("duration", "d"))
    for phrase, (number, unit) in data["duration_words"].items():
        build.add(phrase, Meaning("duration_is", (Fraction(number), unit)))
    for end, phrases in data["duration_open"].items():
        build.add_all(phrases, Meaning("duration_open", end))
    for phrase in data["then"]:
        build.add(phrase, Meaning("then", "then" if phrase[0].isalpha() else "arrow"))
    build.add_all(data["taper"], Meaning("unsupported", "taper"))
    for key, kind in (("max_templates", "maximum"), ("quantity_templates", "quantity"), ("refill_templates", "refill")):
        build.add_all(data[key], Meaning(kind, True))
    build.add_all(data["no_refills"], Meaning("refill", (Fraction(0), None, None)))


_MEAL_WORD = re.compile(r"[a-z]{4,}").fullmatch
_CODE = re.compile(r"[a-z]{2,3}").fullmatch


def _units(raw: Mapping[str, Any]) -> tuple[dict[str, Unit], dict[str, Unit]]:
    """The units by each word for them, and by their code."""
    units: dict[str, Unit] = {}
    by_ucum: dict[str, Unit] = {}
    for row in raw["units"]:
        unit = Unit(row["ucum"], row["dimension"], Fraction(row["scale"]))
        by_ucum[unit.ucum] = unit
        for alias in [*row["aliases"], *row.get("error_prone", ())]:
            notes: tuple[str, ...] = ("error_prone_unit",) if alias in row.get("error_prone", ()) else ()
            notes += ("ocr_ambiguous_unit",) if alias in row.get("ocr_ambiguous", ()) else ()
            units[alias] = unit._replace(notes=notes)
    for row in raw["not_doses"]:
        for alias in row["aliases"]:
            units[alias] = Unit(row["ucum"], "not_a_dose", Fraction(1))
    return units, by_ucum


def _forms_and_routes(build: _Builder, forms: Mapping[str, Any], routes: Mapping[str, Any]) -> None:
    for row in forms["forms"]:
        build.add_all([s for s in row["surfaces"] if len(s) > 1], Meaning("form", row["form"]))
    for row in forms["release"]:
        build.add(row["token"], Meaning("release", (row["token"].replace(" ", "_"), row["family"])))
    for row in routes["routes"]:
        build.add_all(row["surfaces"], Meaning("route", row["route"]))
    for surface, route in routes["route_needs_position"].items():
        build.add(surface, Meaning("route", route, ("needs_position",)))
    for row in routes["sites"]:
        build.add_all(row["surfaces"], Meaning("site", row["site"]))
    for surface, site in routes["ambiguous_sites"].items():
        build.add(surface, Meaning("site", site, ("ambiguous_site",)))


def _inert(build: _Builder, inert: Mapping[str, Any]) -> None:
    for category in inert["categories"]:
        build.add_all([*category["words"], *category["phrases"]], Meaning("inert", category["name"]))
    reasons = inert["indications"]
    build.add_all(reasons["indications"], Meaning("indication", "reason"))
    for key in ("starters", "closers", "modifiers", "joiners", "tails"):
        build.add_all(reasons[key], Meaning("indication_part", key))
    build.add_all(inert["order_verbs"]["plain"], Meaning("verb", "plain"))
    not_swallowed = frozenset(inert["order_verbs"]["not_swallowed"])
    for verb in inert["order_verbs"]["route_bearing"]:
        build.add(verb, Meaning("verb", "route_bearing", (NOT_SWALLOWED,) if verb in not_swallowed else ()))


def _sections(build: _Builder, sections: Mapping[str, Any]) -> None:
    for row in sections["sections"]:
        build.add_all(row["headings"], Meaning("heading", (row["name"], row["medication_status"])))
    for label, target in sections["column_labels"].items():
        if label not in _PREPOSITIONS:
            build.add(label, Meaning("label", target))
    for key in ("header_line_starts", "review_phrases", "boilerplate", "person_roles"):
        build.add_all(sections[key], Meaning(key, True))
    build.add_all(sections["instruction_to_model"]["phrases"], Meaning("instruction_to_model", "phrase"))
    build.add_all(sections["instruction_to_model"].get("labels", ()), Meaning("model_label", True))
    build.add_all(sections["composition"]["starts"], Meaning("composition", "start"))
    build.add_all(sections["composition"]["joins"], Meaning("composition", "join"))


def _cues(build: _Builder, cues: Mapping[str, Any]) -> None:
    build.add_all(cues["medicine_classes"], Meaning("medicine_class", True))
    for row in cues["cues"]:
        build.add_all(row["phrases"], Meaning("cue", (row["class"], row["direction"])))
    build.add_all(cues["pseudo"], Meaning("pseudo_cue", True))
    build.add_all(cues["collective"], Meaning("collective", "unlisted"))
    build.add_all(cues.get("collective_listed", ()), Meaning("collective", "listed"))
    build.add_all([c for c in cues["then_connectors"] if c[0].isalpha()], Meaning("then", "then"))
    build.add_all(cues["terminators"], Meaning("terminator", True))


def compile_lexicon(tables: Mapping[str, Any]) -> Lexicon:
    """Compile the parsed lexicon files, keyed by file stem. A missing table is a KeyError for the rulepack loader to report."""
    forms, routes, inert, sections, cues = (tables[name] for name in ("forms", "routes", "inert", "sections", "cues"))
    units, by_ucum = _units(tables["units"])
    build = _Builder()
    # In this order: of two meanings of a phrase that are of one kind, the first comes first.
    _timing(build, tables["timing"])
    _forms_and_routes(build, forms, routes)
    _inert(build, inert)
    _sections(build, sections)
    _cues(build, cues)
    reasons = inert["indications"]
    time_units = {alias: unit for unit, aliases in tables["units"]["time"].items() for alias in aliases}
    meal_words = {word for row in tables["timing"]["when"] for surface in row["surfaces"] for word in surface.split() if _MEAL_WORD(word)}
    timing_rows = [*tables["timing"]["rates"], tables["timing"]["prn"]]
    codes = {surface for row in timing_rows for surface in row["surfaces"] if _CODE(surface)}
    pieces = frozenset(build.single | set(units) | set(time_units) | meal_words | {"x", "for"})
    form_rows = {row["form"]: row for row in forms["forms"]}
    plain = PlainWords.from_json(tables["plain"])
    stamped = (*sections["departments"]["names"], *sections["departments"]["parts"])
    return Lexicon(
        trie=Phrases(build.waiting),
        units=units,
        unit_by_ucum=by_ucum,
        confusable_units=tables["units"]["confusable"],
        scale_words={k: Fraction(v) for k, v in tables["units"]["scale_words"].items()},
        number_words={k: Fraction(v) for k, v in tables["units"]["number_words"].items()},
        spoken_units=frozenset(tables["units"]["spoken"]["units"]),
        spoken_tens=frozenset(tables["units"]["spoken"]["tens"]),
        spoken_hundreds=frozenset(tables["units"]["spoken"]["hundreds"]),
        time_units=time_units,
        pieces=pieces,
        timing_pieces=frozenset(meal_words | codes | {word for word in time_units if len(word) > 2} | {"x"}),
        form_family={name: row["family"] for name, row in form_rows.items()},
        form_unit={name: row["unit"] for name, row in form_rows.items()},
        counted_in={unit: frozenset(families) for unit, families in forms["counted_in"]["families"].items()},
        form_route={name: row["route"] for name, row in form_rows.items()},
        bundle_form_family=forms["bundle_family"],
        release_family={row["token"].replace(" ", "_"): row["family"] for row in forms["release"]},
        suffixes=frozenset(forms["name_suffixes"]),
        salts=frozenset(forms["salt_words"]),
        uncalled=frozenset(forms["uncalled"]["substances"]),
        in_grams=frozenset(forms["in_grams"]["substances"]),
        confusable_timing=frozenset(tables["timing"]["confusable"]),
        doubt_words=frozenset((*cues["doubt_words"], *cues["doubt_marks"])),
        no_allergy=frozenset(cues["no_allergy"]),
        reference_words=frozenset(cues["reference_words"]),
        instruction_marks=tuple(sections["instruction_to_model"].get("marks", ())),
        same_forms=tuple(frozenset(group) for group in forms["same_form"]),
        remarks=RemarkWords.from_json(tables["remarks"]),
        glued=GluedWords.from_json(tables),
        departments={start: frozenset(n for n in stamped if n[:3] == start) for start in {n[:3] for n in stamped}},
        order_headings=OrderHeadings.from_json(sections["order_headings"]),
        long_standing=frozenset(reasons["long_standing"]),
        same_reasons={wording: group[0] for group in reasons["same"] for wording in group},
        mass_and_units=frozenset(tables["units"]["mass_and_units"]),
        asides=compile_asides(tables["asides"]),
        plain=plain,
        advice=Advice.from_json(tables["advice"], _without(tables["plain"]["groups"], plain.vague)),
        quoted=QuotedWords.from_json(tables["quoted"]),
        status=StatusWords.from_json(cues),
        told=ToldWords.from_json(tables["told"]),
        clauses=ClauseWords.from_json(tables["clauses"]["clauses"]),
        page=PageWords.from_json(tables["clauses"]["page"]),
        claims=ClaimWords.from_json(tables["claims"]),
        spoken=frozenset(build.words() | set(units) | set(time_units) | set(tables["units"]["number_words"])) - plain.group_of.keys(),
        printed=tuple(sections["boilerplate"]),
        ending=frozenset(p for row in cues["cues"] if row["class"] not in _GOING_ON for p in row["phrases"] if " " not in p),
        site_route={row["site"]: row["route"] for row in routes["sites"]},
    )


__all__ = ["ANY_NUMBER", "ANY_UNIT", "LEAF", "NUMBER", "WORD", "Lexicon", "Meaning", "Rate", "Trie", "Unit", "compile_lexicon"]
