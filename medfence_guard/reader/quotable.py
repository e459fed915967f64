"""Which words of an order may be handed on as they are written, and which change it (P21, P22; `lexicon/quoted.json`).

Free words of an order may end it, halve it, give it to another person or count a second dose. So what is handed on word for word has
to have a shape, and every word of it has to be listed:

- a phrase: led by a preposition, by what is done with the dose, by a condition, or by a length of hours or minutes (`keep 2 hours away
  from iron`, `in half glass of water`, `even if not complaining of pain`). It holds no rate, count, day, form, person or medicine, but
  for what it is kept away from;
- a further step of the same amount: `then BD x 1 week`, `then stop`;
- what was before: `increased from 5 mg`;
- one repetition: `repeat once after 7 days`;
- one of the listed beginnings: `from next day`.

A reason and a place are phrases too, and may hold words that are in no list, if they stand in small letters and decide nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from medfence_guard.reader.chunks import Chunk
from medfence_guard.reader.lexicon import Lexicon

_OF_HOURS = frozenset({"h", "min", "s"})
# Read as they are, and of no regimen.
_TOLD = frozenset({"inert", "when", "site", "route"})
_COMPLAINTS = frozenset({"indication", "indication_part"})
_FINDINGS = "findings_and_symptoms"
_READ_ALONE = frozenset({"inert", "when", "verb"})
_OF_A_STEP = frozenset("then rate duration duration_open when prn slots weekday inert".split())
_WITH_A_FORM = frozenset({"via", "through", "using"})
_NEEDS_SPACE = 2  # a word of more letters than these is no unit or code


class Run(NamedTuple):
    """Chunks of one clause with their words. `marked`: it fills the clause from a mark on; `small`: which stand in small letters."""

    chunks: Sequence[Chunk]
    said: Sequence[str]
    marked: bool
    small: Sequence[bool]


class Quotable:
    """The shapes, with the words of a lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._words = lexicon.quoted

    def instruction(self, run: Run) -> bool:
        """Whether a run may be handed on as an instruction."""
        if all(chunk.kind in _READ_ALONE for chunk in run.chunks) or " ".join(run.said) in self._words.beginnings:
            return True
        if len(run.said) == 1:
            return run.marked and run.said[0] in self._words.alone
        return self._is_step(run) or self._is_change(run) or self._is_repetition(run) or self._is_phrase(run)

    def time(self, run: Run) -> bool:
        """Whether it may be handed on as the time at which a dose is taken."""
        return (run.said[0] in self._words.times or any(c.kind == "when" for c in run.chunks)) and self.instruction(run)

    def reason(self, run: Run, lead: str, *, as_needed: bool) -> bool:
        """Whether it may be handed on as the reason that `lead`, a condition or a word for `as needed`, opens."""
        groups = self._words.condition_groups
        return (as_needed or lead in self._words.conditions) and self._holds(run, 0, groups, of_condition=True, unlisted=True)

    def place(self, run: Run) -> bool:
        """Whether it may be handed on as the place a dose is put on."""
        if any(c.kind in ("number", "when", "duration", "cue", "verb", "amount") for c in run.chunks):
            return False
        return self._holds(run, 0, self._words.leads["on"], of_condition=False, unlisted=True)

    def _is_step(self, run: Run) -> bool:
        if run.chunks[0].kind != "then":
            return False
        last = run.chunks[-1]
        body = run.chunks[1:-1] if last.kind == "cue" and last.value[0] == "stopped" else run.chunks[1:]
        for place, chunk in enumerate(body, 1):
            listed = run.said[place] in self._words.of_steps
            counted = chunk.kind == "number" and place + 1 < len(run.said) and run.said[place + 1] in ("times", "time")
            if not (chunk.kind in _OF_A_STEP or (chunk.kind == "word" and listed) or counted or run.said[place] == "/"):
                return False
        return True

    def _is_change(self, run: Run) -> bool:
        """`increased from 5 mg BD`, and not `increased from today to twice daily`."""
        said = " ".join(run.said[:2])
        first = run.chunks[0]
        skipped = 1 if run.said[0].endswith(" from") else 2
        if not (first.kind == "cue" and first.value[0] in ("increase", "decrease") and said.split()[1:2] == ["from"]):
            return False
        rest = run.chunks[skipped:]
        return bool(rest) and all(
            chunk.kind in ("amount", "rate", "slots", "when") or (chunk.kind == "word" and word in self._words.of_changes)
            for chunk, word in zip(rest, run.said[skipped:], strict=True)
        )

    def _is_repetition(self, run: Run) -> bool:
        if run.said[0] not in self._words.repeat_first:
            return False
        rest = list(zip(run.chunks[1:], run.said[1:], strict=True))
        lengths = [chunk for chunk, _ in rest if chunk.kind == "duration"]
        return len(lengths) == 1 and all(chunk.kind == "duration" or word in self._words.of_repeats for chunk, word in rest)

    def _is_phrase(self, run: Run) -> bool:
        words = self._words
        first = run.said[0]
        refused = next((n for n in (1, 2, 3) if " ".join(run.said[:n]) in words.refusals), 0)
        if refused:
            return refused < len(run.said) and run.said[refused] in words.handling and self._holds(run, refused, frozenset())
        opens = (
            first in words.leads
            or first in words.handling
            or first in words.conditions
            or first in words.held_breath
            or run.chunks[0].kind in ("verb", "number", "inert", "when")
            or _is_of_hours(run.chunks[0])
        )
        return opens and self._holds(run, 0, frozenset())

    def _holds(self, run: Run, start: int, groups: frozenset[str], *, of_condition: bool = False, unlisted: bool = False) -> bool:
        """Whether every chunk of a run from `start` on may stand in a phrase. `groups`: those of plain words that are open from there."""
        for place in range(start, len(run.chunks)):
            said = run.said[place]
            of_condition = of_condition or said in self._words.conditions
            groups = groups | self._opened_by(said)
            if not self._may_stand(run, place, groups, of_condition=of_condition, unlisted=unlisted):
                return False
        return True

    def _opened_by(self, said: str) -> frozenset[str]:
        words = self._words
        if said in words.conditions:
            return words.condition_groups
        if said in words.handling:
            return words.handling_groups
        return words.leads.get(said, frozenset())

    def _may_stand(self, run: Run, place: int, groups: frozenset[str], *, of_condition: bool, unlisted: bool) -> bool:
        chunk, said = run.chunks[place], run.said[place]
        words = self._words
        kind = chunk.kind
        if said in words.leads or (kind in ("word", "verb") and said in words.handling):
            return True
        if kind == "word":
            return all(self._is_listed(run, place, word, groups, of_condition) for word in said.split()) or (
                unlisted and self._is_of_no_list(run, place)
            )
        if kind in _TOLD:
            return True
        if kind in _COMPLAINTS:
            return _FINDINGS in groups or said in words.small or (said == "for" and self._is_timed_behind(run, place))
        if kind == "cue":
            return said in words.conditions or (said in words.held_breath and self._is_timed_behind(run, place))
        if kind == "number":
            return self._is_measured(run, place, of_condition)
        if kind == "duration":
            return _is_of_hours(chunk)
        if kind == "amount":
            return chunk.value.units == ("mL",) and self._next(run, place) in words.liquids
        if kind == "drug":
            return self._is_kept_away(run, place)
        if kind == "verb":
            return place == 0
        if kind == "form":
            return any(word in _WITH_A_FORM for word in run.said[max(place - 2, 0) : place])
        if kind == "mark":
            return said in ("/", "&") or (of_condition and said in words.comparisons)
        return kind == "then" and place + 1 < len(run.said) and run.said[place + 1] in words.handling

    def _is_listed(self, run: Run, place: int, word: str, groups: frozenset[str], of_condition: bool) -> bool:
        words = self._words
        if word in words.small or word in words.qualities or word in words.things or word in words.liquids or word in words.containers:
            return True
        if of_condition and (word in words.condition_words or word in words.comparisons):
            return True
        if word in words.halves or word in self._lexicon.number_words:
            return self._next(run, place) in words.containers
        if word in words.measures:
            return place > 0 and run.chunks[place - 1].kind == "number"
        if word in words.day_marks:
            return place + 1 < len(run.chunks) and run.chunks[place + 1].kind == "number"
        return self._lexicon.plain.group(word) in groups

    def _is_of_no_list(self, run: Run, place: int) -> bool:
        """A word in small letters, where no medicine would be joined, that decides nothing about an order."""
        said, remarks = run.said[place], self._lexicon.remarks
        before = run.said[place - 1] if place else ""
        decides = any(
            word in table
            for word in said.split()
            for table in (
                remarks.ordinary,
                remarks.deciding,
                remarks.deciding_first,
                remarks.deciding_short,
                remarks.changes,
                remarks.changes_beside,
                remarks.endings,
                remarks.denials,
                remarks.starts,
                self._lexicon.number_words,
            )
        )
        return not decides and run.small[place] and before not in self._words.joining and len(said) > _NEEDS_SPACE

    def _next(self, run: Run, place: int) -> str:
        """The next word that is no quality and says something: `1 full glass`, `200 ml of water`."""
        rest = (word for said in run.said[place + 1 :] for word in said.split())
        return next((word for word in rest if word not in self._words.qualities and word not in ("a", "an", "of")), "")

    def _is_measured(self, run: Run, place: int, of_condition: bool) -> bool:
        before = run.said[place - 1] if place else ""
        behind = self._next(run, place)
        return (
            behind in self._words.measures
            or behind in self._words.containers
            or before in self._words.day_marks
            or (of_condition and before in self._words.comparisons)
        )

    def _is_timed_behind(self, run: Run, place: int) -> bool:
        behind = run.chunks[place + 1 : place + 3]
        return bool(behind) and (
            _is_of_hours(behind[0]) or (len(behind) > 1 and behind[0].kind == "number" and run.said[place + 2] in self._words.measures)
        )

    def _is_kept_away(self, run: Run, place: int) -> bool:
        told = any(_is_of_hours(c) or c.kind == "number" for c in run.chunks[:place]) or not {"away", "apart"}.isdisjoint(run.said[:place])
        return told and place > 0 and run.said[place - 1] in self._words.apart


def _is_of_hours(chunk: Chunk) -> bool:
    return chunk.kind == "duration" and chunk.value[2] in _OF_HOURS


def run_of(chunks: Sequence[Chunk], surface: Callable[[Chunk], str], written: str, *, marked: bool, in_small: bool) -> Run:
    """`written`: the source as it stands; `in_small`: whether its letters tell names from words at all."""
    small = [in_small and written[c.start : c.end].islower() for c in chunks]
    return Run(chunks, [" ".join(surface(c).split()) for c in chunks], marked, small)


__all__ = ["Quotable", "Run", "run_of"]
