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

Besides being listed, the words have to say something where they stand: a lead leads to something (`over it`, `to her`, `in full` do not),
a word like `away` or `out` is bound to what it goes with (`keep away from sun`, not `leave out`), what is kept is kept for a time or at
a place of the body, and a refused verb is none by which the medicine is given (`do not chew`, not `do not apply`).

A reason and a place are phrases too. A place says where, and neither when nor what is done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from medfence_guard.reader.chunks import Chunk, means
from medfence_guard.reader.lexicon import Lexicon

_OF_HOURS = frozenset({"h", "min", "s"})
# Read as they are, and of no regimen.
_TOLD = frozenset({"inert", "when", "site", "route"})
_COMPLAINTS = frozenset({"indication", "indication_part"})
_FINDINGS = "findings_and_symptoms"
_READ_ALONE = frozenset({"inert", "when", "verb"})
_OF_A_STEP = frozenset("then rate duration duration_open when prn slots weekday inert".split())
_WITH_A_FORM = frozenset({"via", "through", "using"})
_OF_A_BREATH = frozenset({"s", "sec", "secs", "second", "seconds"})
_LONGEST_INFUSION = 12  # hours; what is given over a longer time is a rate
_NEGATED = frozenset({"no", "not"})


class Run(NamedTuple):
    """Chunks of one clause with their words. `marked`: it fills the clause from a mark on; `told`: the order's chunks beside it."""

    chunks: Sequence[Chunk]
    said: Sequence[str]
    marked: bool
    told: Sequence[Chunk] = ()


class _Word(NamedTuple):
    """One word of a run, or a chunk that was read as something."""

    said: str
    chunk: Chunk


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
        return (
            (as_needed or lead in self._words.conditions)
            and self._holds(run, 0, groups, of_condition=True)
            and self._says_something(run, 0, of_condition=True)
            and self._has_a_complaint(run)
        )

    def _has_a_complaint(self, run: Run) -> bool:
        return any(self._is_suffered(chunk, said) for chunk, said in zip(run.chunks, run.said, strict=True))

    def _is_suffered(self, chunk: Chunk, said: str) -> bool:
        """Whether it is a complaint, a state or a comparison: `if pet`, `if record` and `if curd` are cut off."""
        words = self._words
        if chunk.kind == "indication" or said in words.comparisons:
            return not means(chunk, "header_line_starts")
        states = words.condition_words - words.empty_in_conditions
        return any(word in states or self._lexicon.plain.group(word) == _FINDINGS for word in said.split())

    def place(self, run: Run) -> bool:
        """Whether it may be handed on as the place a dose is put on: leads to places, and what is of a body."""
        words = self._words
        groups = words.leads["on"]
        for chunk, said in zip(run.chunks, run.said, strict=True):
            listed = all(
                word in words.places_within
                or word in words.small - words.particles.keys()
                or word in words.qualities
                or word in words.spots
                or self._lexicon.plain.group(word) in groups
                for word in said.split()
            )
            if not (chunk.kind in ("site", "inert") or (chunk.kind in ("word", *_COMPLAINTS) and listed)):
                return False
        return self._says_something(run, 0, of_condition=False)

    def _is_step(self, run: Run) -> bool:
        if run.chunks[0].kind != "then":
            return False
        last = run.chunks[-1]
        ends = last.kind == "cue" and last.value[0] == "stopped"
        body = run.chunks[1:-1] if ends else run.chunks[1:]
        says = ends
        if sum(chunk.kind in ("rate", "slots") for chunk in body) > 1:
            return False
        for place, chunk in enumerate(body, 1):
            listed = run.said[place] in self._words.of_steps
            counted = chunk.kind == "number" and place + 1 < len(run.said) and run.said[place + 1] in ("times", "time")
            if not (chunk.kind in _OF_A_STEP or (chunk.kind == "word" and listed) or counted or run.said[place] == "/"):
                return False
            if chunk.kind == "slots" and not _is_same_dose(chunk, run.told):
                return False
            says = says or counted or chunk.kind in _OF_A_STEP - {"then", "inert"}
        return says

    def _is_change(self, run: Run) -> bool:
        """`increased from 5 mg BD`, and neither `increased from today to twice daily` nor `from 20 mg 80 mg` nor from what is ordered."""
        said = " ".join(run.said[:2])
        first = run.chunks[0]
        skipped = 1 if run.said[0].endswith(" from") else 2
        if not (first.kind == "cue" and first.value[0] in ("increase", "decrease") and said.split()[1:2] == ["from"]):
            return False
        rest = run.chunks[skipped:]
        amounts = [chunk for chunk in rest if chunk.kind == "amount"]
        rates = [chunk for chunk in rest if chunk.kind in ("rate", "slots")]
        if len(amounts) > 1 or len(rates) > 1 or not (amounts or rates):
            return False
        parts = {len(told.value.parts) for told in run.told if told.kind == "amount"}
        if any(len(was.value.parts) not in {1, *parts} for was in amounts):
            return False
        if any(told.kind == was.kind and told.value == was.value for told in run.told for was in (amounts or rates)):
            return False
        wrong_way = any(_is_other_way(first.value[0], was, told) for was in amounts for told in run.told)
        return not wrong_way and all(
            chunk in amounts or chunk in rates or (chunk.kind == "word" and word in self._words.of_changes)
            for chunk, word in zip(rest, run.said[skipped:], strict=True)
        )

    def _is_repetition(self, run: Run) -> bool:
        """`repeat once after 7 days`; for three days, or within hours, it is more than one dose."""
        words = self._words
        if run.said[0] not in words.repeat_first:
            return False
        rest = list(zip(run.chunks[1:], run.said[1:], strict=True))
        lengths = [place for place, (chunk, _) in enumerate(rest) if chunk.kind == "duration"]
        return (
            len(lengths) == 1
            and not _is_of_hours(rest[lengths[0]][0])
            and lengths[0] > 0
            and rest[lengths[0] - 1][1] in words.repeat_leads
            and all(chunk.kind == "duration" or word in words.of_repeats for chunk, word in rest)
        )

    def _is_phrase(self, run: Run) -> bool:
        words = self._words
        first = run.said[0]
        refused = next((n for n in (1, 2, 3) if " ".join(run.said[:n]) in words.refusals), 0)
        if refused:
            if not (refused < len(run.said) and run.said[refused] in words.handling and self._holds(run, refused, frozenset())):
                return False
            behind = list(zip(run.chunks, run.said, strict=True))[refused + 1 :]
            where = any(chunk.kind == "site" or word in words.leads for chunk, word in behind)
            return (run.said[refused] in words.refusable or where) and self._says_something(run, refused, of_condition=False)
        opens = (
            first in words.leads
            or first in words.handling
            or first in words.conditions
            or first in words.held_breath
            or run.chunks[0].kind in ("number", "inert", "when")
            or (run.chunks[0].kind == "verb" and first in words.giving)
            or _is_of_hours(run.chunks[0])
        )
        if first in words.conditions and not self._has_a_complaint(run):
            return False
        return opens and self._holds(run, 0, frozenset()) and self._says_something(run, 0, of_condition=False)

    def _holds(self, run: Run, start: int, groups: frozenset[str], *, of_condition: bool = False) -> bool:
        """Whether every chunk of a run from `start` on may stand in a phrase. `groups`: those of plain words that are open from there."""
        for place in range(start, len(run.chunks)):
            said = run.said[place]
            of_condition = of_condition or said in self._words.conditions
            groups = groups | self._opened_by(said)
            if not self._may_stand(run, place, groups, of_condition=of_condition):
                return False
        return True

    def _opened_by(self, said: str) -> frozenset[str]:
        words = self._words
        if said in words.conditions:
            return words.condition_groups
        if said in words.handling:
            return words.handling_groups
        return words.leads.get(said, frozenset())

    def _may_stand(self, run: Run, place: int, groups: frozenset[str], *, of_condition: bool) -> bool:
        chunk, said = run.chunks[place], run.said[place]
        words = self._words
        kind = chunk.kind
        if said in words.leads or (kind in ("word", "verb") and said in words.handling):
            return True
        if kind == "word":
            return all(self._is_listed(run, place, word, groups, of_condition) for word in said.split())
        if kind in _TOLD:
            # `if vomiting, IV`: another way of giving it, and only then.
            return kind != "route" or not of_condition
        if kind in _COMPLAINTS:
            return _FINDINGS in groups or said in words.small or (said == "for" and self._is_timed_behind(run, place))
        if kind == "cue":
            return said in words.conditions or (said in words.held_breath and self._is_timed_behind(run, place))
        if kind == "number":
            return self._is_measured(run, place, of_condition)
        if kind == "duration":
            return _is_of_hours(chunk)
        if kind == "amount":
            return chunk.value.units == ("mL",) and self._next(run, place) in words.liquids and self._is_drunk_with(run, place)
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

    # -- whether the words say something where they stand

    def _says_something(self, run: Run, start: int, *, of_condition: bool) -> bool:
        words = _words_of(run, start)
        if sum(chunk.kind == "when" for chunk in run.chunks) > 1:
            # Two times of day are two doses.
            return False
        conditional = of_condition
        says = False
        for place, (said, chunk) in enumerate(words):
            if said in self._words.conditions:
                conditional = True
            if not (self._goes_with_what_it_needs(words, place) and self._leads_somewhere(words, place)):
                return False
            if conditional and not self._stands_in_a_condition(words, place):
                return False
            if said in self._words.keeping and chunk.kind in ("word", "verb") and not self._is_kept(words, place):
                return False
            says = says or self._is_content(words[place], conditional=conditional) or self._is_day_mark(words, place)
        return says

    def _is_content(self, word: _Word, *, conditional: bool) -> bool:
        """Whether it names something, and is no word that only joins, measures or says of what kind."""
        words, (said, chunk) = self._words, word
        if chunk.kind in ("when", "site", "drug", "form") or (chunk.kind == "route" and said not in words.leads):
            return True
        if chunk.kind == "cue":
            return said in words.held_breath
        if chunk.kind not in ("word", *_COMPLAINTS):
            return False
        of_no_thing = said in words.small or said in words.leads or said in words.qualities or said in words.measures
        counts = said in words.halves or said in self._lexicon.number_words or said in words.day_marks or said in words.comparisons
        return not (
            of_no_thing
            or counts
            or said in words.conditions
            or said in words.keeping
            or (conditional and said in words.empty_in_conditions)
            or said == "for"
        )

    def _leads_somewhere(self, words: Sequence[_Word], place: int) -> bool:
        said, chunk = words[place]
        table = self._words
        if chunk.kind not in ("word", "cue", "when", "prn", "route", *_COMPLAINTS) or not (said in table.leads or said in table.conditions):
            return True
        if chunk.kind == "when" and said not in table.conditions:
            return True
        conditional = said in table.conditions
        handled = any(w.said in table.handling for w in words[:place])
        for n, word in enumerate(words[place + 1 :], place + 1):
            if word.said in table.leads or word.said in table.conditions:
                return False
            if self._is_content(word, conditional=conditional) or (self._is_day_mark(words, n) and said in table.day_leads):
                return True
            measured = word.said in table.measures and words[n - 1].chunk.kind == "number"
            if (measured or _is_of_hours(word.chunk)) and (said == "over" or handled):
                return said != "over" or _is_short(word.chunk)
        return False

    def _is_day_mark(self, words: Sequence[_Word], place: int) -> bool:
        said, chunk = words[place]
        behind = words[place + 1 : place + 2]
        before = words[place - 1].said if place else ""
        marked = chunk.kind == "word" and said in self._words.day_marks and bool(behind) and behind[0].chunk.kind == "number"
        return marked and before in self._words.day_leads

    def _goes_with_what_it_needs(self, words: Sequence[_Word], place: int) -> bool:
        table = self._words
        said, chunk = words[place]
        if chunk.kind != "word":
            return True
        before = [w.said for w in words[:place]]
        last = next((w for w in reversed(before) if w not in ("it", "the", "a")), "")
        following = words[place + 1].said if place + 1 < len(words) else ""
        if said in table.particles:
            measured = any(_is_of_hours(w.chunk) or w.chunk.kind == "number" for w in words[:place])
            if said in ("away", "apart"):
                return following == "from" or (said == "apart" and measured)
            return last in table.particles[said]
        if said in table.bound:
            return not table.bound[said].isdisjoint(before)
        if said in table.containers and place and said != "l":
            return self._is_in_a_drink(words, place)
        if said in table.day_marks and following and words[place + 1].chunk.kind == "number":
            return last in table.day_leads
        return True

    def _is_in_a_drink(self, words: Sequence[_Word], place: int) -> bool:
        """`in 1 glass of water`, `2 cups of milk`, and not `1 spoon at night`."""
        table = self._words
        behind = next((w.said for w in words[place + 1 :] if w.said not in table.qualities and w.said not in ("a", "an", "of")), "")
        counted = [*table.qualities, *table.halves, *self._lexicon.number_words, "a", "an", "the", "about", "of"]
        led = next((w.said for w in reversed(words[:place]) if w.said not in counted and w.chunk.kind != "number"), "")
        return behind in table.liquids or led in table.drunk_in

    def _stands_in_a_condition(self, words: Sequence[_Word], place: int) -> bool:
        """Not what the condition leads to: `if BP is low leave out`, `if BP is high more`, `if not`."""
        table = self._words
        said, chunk = words[place]
        before = [w.said for w in words[:place]]
        opened = any(w in table.conditions for w in before)
        if said in table.conditions and before and before[-1] in ("and", "or"):
            # `at bedtime and if in pain` is one dose more.
            return False
        following = words[place + 1] if place + 1 < len(words) else None
        if said in table.handling and chunk.kind in ("word", "verb") and (opened or not place):
            return before[-2:] == ["unable", "to"]
        if said in _NEGATED:
            behind = [w for w in words[place + 1 :] if w.said not in ("very", "any")]
            return bool(behind) and self._is_content(behind[0], conditional=True)
        if said == "more":
            led = not before or before[-1] in ("if", "when", "is", "are", "any")
            return led or (following is not None and (following.said == "than" or self._is_content(following, conditional=True)))
        measured = said in table.measures and words[place - 1].chunk.kind == "number"
        if (measured or _is_of_hours(chunk)) and opened:
            before = before[:-1] if measured else before
            return before[-1] in ("for", "than", "within", "in", "after", "before") or before[-1] in table.comparisons
        return True

    def _is_kept(self, words: Sequence[_Word], place: int) -> bool:
        table = self._words
        behind = words[place + 1 :]
        for w, following in zip(behind[:2], [*behind[1:], None], strict=False):
            timed = following is not None and (_is_of_hours(following.chunk) or following.chunk.kind == "number")
            if w.chunk.kind != "inert" and (w.said in ("at", "with", "to", "by") or (w.said == "for" and not timed)):
                return False
        return any(
            _is_of_hours(w.chunk)
            or w.chunk.kind == "site"
            or (w.chunk.kind == "route" and w.said not in table.leads)
            or w.said in table.postures
            or w.said in ("away", "apart")
            or (w.chunk.kind in ("word", *_COMPLAINTS) and self._lexicon.plain.group(w.said) in ("body", "devices_and_dressings"))
            or w.said in table.spots
            or (w.said in table.measures and behind[n - 1].chunk.kind == "number")
            for n, w in enumerate(behind)
        )

    def _is_drunk_with(self, run: Run, place: int) -> bool:
        skipped = (*self._words.qualities, "a", "an", "the", "about")
        before = next((said for said in reversed(run.said[:place]) if said not in skipped), "")
        return before in self._words.drunk_in or before in self._words.handling

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
        """`hold 10 seconds` is a mouthful; `hold 24 hours` is a dose."""
        behind = run.chunks[place + 1 : place + 3]
        return bool(behind) and (
            (behind[0].kind == "duration" and behind[0].value[2] in _OF_A_BREATH)
            or (len(behind) > 1 and behind[0].kind == "number" and run.said[place + 2] in _OF_A_BREATH)
        )

    def _is_kept_away(self, run: Run, place: int) -> bool:
        told = any(_is_of_hours(c) or c.kind == "number" for c in run.chunks[:place]) or not {"away", "apart"}.isdisjoint(run.said[:place])
        return told and place > 0 and run.said[place - 1] in self._words.apart


def _is_of_hours(chunk: Chunk) -> bool:
    return chunk.kind == "duration" and chunk.value[2] in _OF_HOURS


def _is_short(chunk: Chunk) -> bool:
    """A length over which one dose may run in."""
    return chunk.kind == "duration" and (chunk.value[2] != "h" or (chunk.value[1] or chunk.value[0]) < _LONGEST_INFUSION)


def _is_same_dose(slots: Chunk, told: Sequence[Chunk]) -> bool:
    """Whether each dose of some slots is the one that the rest of the order says; one, if it says none."""
    doses = {dose for dose in slots.value[0] if dose}
    others = [{dose for dose in c.value[0] if dose} for c in told if c.kind == "slots"]
    others.extend(set(c.value.parts) for c in told if c.kind == "amount" and str(c.value.units[0]).startswith("{"))
    return all(doses == other for other in others) if others else doses == {1}


def _is_other_way(change: str, was: Chunk, told: Chunk) -> bool:
    """`increased from 80 mg` beside 40 mg: one of both is not what was meant."""
    if told.kind != "amount" or told.value.units != was.value.units or len(was.value.parts) != 1:
        return False
    return bool(was.value.parts[0] > told.value.parts[0] if change == "increase" else was.value.parts[0] < told.value.parts[0])


def _words_of(run: Run, start: int) -> list[_Word]:
    out: list[_Word] = []
    for chunk, said in zip(run.chunks[start:], run.said[start:], strict=True):
        parts = said.split() if chunk.kind in ("word", *_COMPLAINTS) else [said]
        out.extend(_Word(part, chunk) for part in parts)
    return out


def run_of(chunks: Sequence[Chunk], surface: Callable[[Chunk], str], *, marked: bool, told: Sequence[Chunk] = ()) -> Run:
    """The run with its words as one space sets them apart."""
    return Run(chunks, [" ".join(surface(c).split()) for c in chunks], marked, told)


__all__ = ["Quotable", "Run", "run_of"]
