"""What a comparison answers with, what it needs, and the two answers that hang on how far the statement was read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from medfence_guard.bundle import Product
from medfence_guard.contract import Severity, Verdict
from medfence_guard.reader.chunks import Chunk
from medfence_guard.reader.lexicon import Lexicon
from medfence_guard.reader.statement import Statement

PASS, FAIL, ABSTAIN = Verdict.PASS, Verdict.FAIL, Verdict.ABSTAIN


class Judgement(NamedTuple):
    """One rule's answer about one claim. `chunks`: where the source says so. `note`: PASS, but worth a MINOR finding."""

    verdict: Verdict
    rule: str
    says: str
    chunks: tuple[Chunk, ...] = ()
    note: bool = False
    severity: Severity = Severity.CRITICAL
    reference: tuple[Product, ...] = ()


def held(rule: str, says: str, chunks: Iterable[Chunk] = (), *, reference: tuple[Product, ...] = ()) -> Judgement:
    """It may be so, and a person must say."""
    return Judgement(ABSTAIN, rule, says, tuple(chunks), severity=Severity.MAJOR, reference=reference)


@dataclass(frozen=True, slots=True)
class Setting:
    """What a comparison needs beside the two sides: the lexicon, the modality, and what other fields of the item carry."""

    lexicon: Lexicon
    modality: str
    statement: Statement
    carried: Mapping[str, frozenset[str]]
    insulin: bool
    part: bool = False

    @property
    def misreadable(self) -> bool:
        """OCR and transcripts widen what is ambiguous (P5, P16)."""
        return self.modality != "text"


# What may be told once behind several names.
_OF_A_TAIL = ("timing.", "duration.", "route.", "site.", "text.", "when.")
# What a line beside the list may tell, by the rule that misses it.
_TOLD_BY = {"timing": frozenset({"rate", "when"}), "duration": frozenset({"duration"}), "count": frozenset({"count"})}


def added(setting: Setting, rule: str, says: str, chunks: Iterable[Chunk] = ()) -> Judgement:
    """The claim says what the statement does not. Proven only if all of the statement was read."""
    statement = setting.statement
    beside = tuple(r.chunk for r in statement.roles.beside)
    if beside and rule.startswith(("timing.", "duration.", "site.", "text.")):
        return Judgement(
            ABSTAIN, rule, says + "; what stands beside a complaint or an advice may be its own", beside, severity=Severity.MAJOR
        )
    if statement.shared_tail and rule.startswith(_OF_A_TAIL):
        return Judgement(ABSTAIN, rule, says + "; what stands behind several names may belong to any of them", severity=Severity.MAJOR)
    if statement.told_beside & _TOLD_BY.get(rule.partition(".")[0], frozenset()):
        return Judgement(ABSTAIN, rule, says + "; what is told beside the list may be of each order of it", severity=Severity.MAJOR)
    if statement.readable:
        return Judgement(FAIL, rule, says, tuple(chunks))
    unread = tuple(
        r.chunk
        for r in (
            *statement.roles.residue,
            *statement.roles.unreadable,
            *statement.roles.ambiguous,
            *statement.roles.unsupported,
            *statement.roles.numbers,
        )
    )
    return Judgement(ABSTAIN, rule, says + "; part of the statement could not be read, so it may be there", unread, severity=Severity.MAJOR)


def absent(setting: Setting, what: str) -> list[Judgement]:
    """A claim that something is not so is entailed only by a statement read to its end (P20)."""
    if setting.statement.readable:
        return [
            Judgement(
                PASS, "absence.read_to_the_end", f"the statement was read to its end and does not say {what}", setting.statement.chunks[-1:]
            )
        ]
    return [
        Judgement(
            ABSTAIN,
            "absence.not_proven",
            f"part of the statement could not be read, so it may say {what}",
            setting.statement.chunks[-1:],
            severity=Severity.MAJOR,
        )
    ]
