"""The evidence page: one HTML file on which a person can check every verdict against the source.

The source stands on the left with the evidence marked, the fields on the right: what contradicts the source or has no
place in it first, then what could not be decided, then what passed; below them the statements of the source that no
field carries. What was not checked at all is named before anything else. Given page images, a held statement is shown
as it looks on the page, with the contested words framed.

Three things hold everywhere. Nothing is said by colour alone: each verdict is a word, a symbol and a border style.
Nothing untrusted becomes markup: all text goes through `_draw`, which escapes it and makes invisible, control and
bidirectional characters visible as `[U+200B]`. Nothing is loaded: no script, no font, no address outside the file.
"""

from __future__ import annotations

import base64
import enum
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from typing import TypeAlias

from medfence_guard.contract import Evidence, Finding, ItemVerdict, Severity, SourceDocument, Span, Verdict, VerificationReport, Word
from medfence_guard.errors import InputError


@dataclass(frozen=True, slots=True)
class _Look:
    """How one verdict looks; `rank` sorts the worst first."""

    rank: int
    css: str
    symbol: str
    word: str
    headline: str
    group: str
    group_id: str


_LOOKS: Mapping[Verdict, _Look] = {
    Verdict.FAIL: _Look(
        0,
        "fail",
        "\u2715",
        "FAIL",
        "The payload does not say what the source says.",
        "Contradicted, or without a place in the source",
        "failed",
    ),
    Verdict.ABSTAIN: _Look(
        1, "abstain", "?", "ABSTAIN", "Not everything could be checked. A person must look.", "Could not be decided", "undecided"
    ),
    Verdict.PASS: _Look(2, "pass", "\u2713", "PASS", "Everything the payload says is in the source.", "Entailed by the source", "passed"),
}

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

_MAX_SHOWN = 2_000
"""Characters of one payload value that are shown; the rest is counted, not dropped in silence."""


class Place(enum.IntEnum):
    """The part of the page an entry stands in, in the order in which entries are numbered."""

    FIRST = 0
    UNDECIDED = 1
    STATEMENT = 2
    PASSED = 3
    HEAD = 4


_PLACES_BELOW = (Place.FIRST, Place.UNDECIDED, Place.STATEMENT, Place.PASSED)


@dataclass(frozen=True, slots=True)
class Entry:
    """All findings about one path, as one numbered entry of the page.

    parts: for an item without any statement in the source, its fields, which share that fate: they are listed in its entry.
    """

    number: int
    place: Place
    path: str
    verdict: Verdict
    findings: tuple[Finding, ...]
    item: ItemVerdict | None
    parts: tuple[Entry, ...] = ()

    @property
    def anchor(self) -> str:
        return f"entry-{self.number}"

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where the source speaks about it: the places the deciding findings name, or else any place a finding names."""
        deciding = _spans(finding for finding in self.findings if finding.verdict is self.verdict)
        found = deciding or _spans(self.findings)
        return tuple(span for span in found if not any(_holds(other, span) for other in found))


def render(report: VerificationReport, source: SourceDocument, payload: object, images: Mapping[int, bytes] | None = None) -> str:
    """The page for one report.

    source, payload: the ones the report is about. A payload that is not JSON is shown as it was received.
    images: page number -> PNG or JPEG bytes of the pages whose word boxes (pixels) the source carries.
    InputError when an image is neither.
    """
    pages = {number: _read_image(number, data) for number, data in sorted((images or {}).items())}
    values = values_by_path(payload)
    entries = entries_of(report)
    first, undecided, unowned, passed = (tuple(entry for entry in entries if entry.place is place) for place in _PLACES_BELOW)
    page = _Page(report, source, values, pages)
    look = _LOOKS[report.overall]
    groups = [
        _cards(page, _LOOKS[Verdict.FAIL], first),
        _cards(page, _LOOKS[Verdict.ABSTAIN], undecided),
        _passed_table(page, passed),
    ]
    held = [entry for entry in (*first, *undecided, *unowned) if entry.verdict is not Verdict.PASS]
    held.sort(key=lambda entry: _LOOKS[entry.verdict].rank)
    return "".join(
        (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="referrer" content="no-referrer">\n',
            f"<title>{look.word}: {_draw(_words(report.artifact_type))}, evidence page</title>\n<style>{_CSS}</style>\n</head>\n<body>\n",
            '<a class="skip" href="#fields">Skip to the fields</a>\n',
            '<p class="phi" role="note"><strong>Health data.</strong> This page shows the record of a person. ',
            "Keep, send and destroy it as such.</p>\n",
            _page_definitions(pages),
            _header(page, held),
            '<main>\n<div class="columns">\n',
            _source_section(source, entries),
            '<section id="fields" class="fields" aria-labelledby="fields-title" tabindex="-1">\n',
            '<h2 id="fields-title">Fields of the payload</h2>\n',
            *(group for group in groups if group),
            "" if any(groups) else '<p class="empty">The report has no finding about a field.</p>\n',
            "</section>\n</div>\n",
            _statements_section(page, unowned),
            _payload_section(payload),
            "</main>\n",
            _footer(report),
            "</body>\n</html>\n",
        )
    )


@dataclass(frozen=True, slots=True)
class _Image:
    """One page image, ready to embed. Width and height in pixels."""

    data_uri: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class _Page:
    """What the parts of the page share."""

    report: VerificationReport
    source: SourceDocument
    values: Mapping[str, object]
    images: Mapping[int, _Image]


# ---- what goes where ------------------------------------------------------------------------------------------


def entries_of(report: VerificationReport) -> list[Entry]:
    """The findings grouped by path, in the report's order. A statement nobody owns is an entry of its own."""
    grouped: dict[object, list[Finding]] = {}
    for index, finding in enumerate(report.findings):
        item = _item_of(finding.field_path, report.items)
        own = finding.check_id.startswith("completeness.") and item is None
        grouped.setdefault((finding.field_path, index) if own else finding.field_path, []).append(finding)
    entries = []
    for findings in grouped.values():
        verdict = min((finding.verdict for finding in findings), key=lambda each: _LOOKS[each].rank)
        item = _item_of(findings[0].field_path, report.items)
        entries.append(Entry(0, _place_of(findings, verdict, item), findings[0].field_path, verdict, tuple(findings), item))
    entries = _with_parts(entries)
    entries.sort(key=lambda entry: entry.place)
    return [replace(entry, number=number) for number, entry in enumerate(entries, start=1)]


def _with_parts(entries: Sequence[Entry]) -> list[Entry]:
    """The same entries, the fields of an item without a statement gathered under it."""
    orphans = {
        entry.path: entry
        for entry in entries
        if entry.item is not None and entry.path == entry.item.path and entry.place is Place.FIRST and not entry.spans
    }

    def owner(entry: Entry) -> Entry | None:
        orphan = orphans.get(entry.item.path) if entry.item is not None and not entry.spans else None
        return orphan if orphan is not None and orphan is not entry and orphan.verdict is entry.verdict else None

    return [
        replace(entry, parts=tuple(each for each in entries if owner(each) is entry)) if entry.path in orphans else entry
        for entry in entries
        if owner(entry) is None
    ]


def _place_of(findings: Sequence[Finding], verdict: Verdict, item: ItemVerdict | None) -> Place:
    if all(finding.check_id == "schema.not_checked" for finding in findings):
        return Place.HEAD  # the caller chose not to have it checked: named at the top, and there only
    if item is None and findings[0].check_id.startswith("completeness."):
        return Place.STATEMENT
    if verdict is Verdict.PASS:
        return Place.PASSED
    return Place.UNDECIDED if verdict is Verdict.ABSTAIN and _spans(findings) else Place.FIRST


def _item_of(path: str, items: Sequence[ItemVerdict]) -> ItemVerdict | None:
    return next((item for item in items if path == item.path or path.startswith((item.path + ".", item.path + "["))), None)


def _spans(findings: Iterable[Finding]) -> tuple[Span, ...]:
    found = {span for finding in findings for evidence in finding.evidence for span in evidence.source_spans}
    return tuple(sorted(found, key=lambda span: (span.start, span.end)))


def _holds(outer: Span, inner: Span) -> bool:
    return outer != inner and outer.start <= inner.start and inner.end <= outer.end


def _title(page: _Page, entry: Entry) -> str:
    """The entry's name for a person, as HTML: `Item 2, Thyronorm: strength`."""
    if entry.item is None:
        return "The whole document" if entry.path == "$" else _draw(_words(entry.path.removeprefix("$.")))
    field = entry.path.removeprefix(entry.item.path).lstrip(".")
    name = _item_name(page, entry.item)
    return name + (f': <span class="field">{_draw(_words(field))}</span>' if field else "")


def _item_name(page: _Page, item: ItemVerdict) -> str:
    position = page.report.items.index(item) + 1
    named = [finding.field_path for finding in page.report.findings if finding.check_id == "grounding.name"]
    path = next((path for path in named if path.startswith(item.path + ".") and isinstance(page.values.get(path), str)), None)
    return f"Item {position}" + (f", <bdi>{_draw(shown(page.values[path]))}</bdi>" if path else "")


def _words(name: str) -> str:
    return name.replace("_", " ")


# ---- the head of the page -------------------------------------------------------------------------------------


def _header(page: _Page, held: Sequence[Entry]) -> str:
    report = page.report
    look = _LOOKS[report.overall]
    not_checked = list(report.not_checked)
    not_checked += [f.field_path for f in report.findings if f.check_id == "schema.not_checked" and f.field_path not in not_checked]
    parts = ["<header>\n"]
    if not_checked:
        names = "".join(f"<li><code><bdi>{_draw(path)}</bdi></code></li>" for path in not_checked)
        parts.append(
            '<section class="notice" aria-labelledby="not-checked"><h2 id="not-checked">Not checked</h2>'
            f"<p>Whoever set up this check excluded these fields. Nothing below says anything about them.</p><ul>{names}</ul></section>\n"
        )
    modality = {"text": "typed text", "ocr": "recognised from an image (OCR)", "stt": "recognised from speech"}[page.source.modality]
    parts.append(
        f'<div class="verdict {look.css}"><h1><span class="symbol" aria-hidden="true">{look.symbol}</span> {look.word}'
        f'<span class="of">{_draw(_words(report.artifact_type))} against its source</span></h1>\n'
        f"<p>{look.headline} This page judges whether the payload is true to the source, never whether the treatment is right.</p>\n"
        f'<dl class="figures"><div><dt>Claims that passed</dt><dd>{report.coverage.verified} of {report.coverage.claims}</dd></div>'
        f"<div><dt>Statements accounted for</dt><dd>{report.completeness.accounted} of {report.completeness.statements}</dd></div>"
        f"<div><dt>Source</dt><dd>{modality}</dd></div></dl></div>\n"
    )
    if held:
        links = "".join(f'<li>{_chip(entry.verdict)} <a href="#{entry.anchor}">{_brief(page, entry)}</a></li>' for entry in held)
        parts.append(
            f'<nav class="todo" aria-labelledby="todo-title"><h2 id="todo-title">To look at ({len(held)})</h2><ul>{links}</ul></nav>\n'
        )
    parts.append("</header>\n")
    return "".join(parts)


def _brief(page: _Page, entry: Entry) -> str:
    if entry.place is not Place.STATEMENT:
        return _title(page, entry)
    said = _slices(page.source.text, entry.spans)
    return f"In the source only: <bdi>{said}</bdi>" if said else "In the source only"


def _chip(verdict: Verdict) -> str:
    look = _LOOKS[verdict]
    return f'<span class="chip {look.css}"><span aria-hidden="true">{look.symbol}</span> {look.word}</span>'


# ---- the source -----------------------------------------------------------------------------------------------


def _source_section(source: SourceDocument, entries: Sequence[Entry]) -> str:
    legend = "".join(
        f'<li><mark class="{look.css}">{look.word.lower()}</mark> {how}</li>'
        for look, how in (
            (_LOOKS[Verdict.FAIL], "double line, \u2715 and a number"),
            (_LOOKS[Verdict.ABSTAIN], "dashed line, ? and a number"),
            (_LOOKS[Verdict.PASS], "single line"),
        )
    )
    body = "".join(_source_lines(source.text, entries)) if source.text.strip() else '<p class="empty">The source holds no text.</p>'
    return (
        '<section id="source" class="source" aria-labelledby="source-title">\n<h2 id="source-title">Source, as received</h2>\n'
        f'<ul class="legend" aria-label="How the source is marked">{legend}</ul>\n<div class="text" tabindex="0" role="group" '
        f'aria-label="Text of the source">\n{body}</div>\n</section>\n'
    )


def _source_lines(text: str, entries: Sequence[Entry]) -> Iterator[str]:
    """The source line by line, cut wherever a span or a line begins or ends: overlaps become neighbours, never nested tags.

    A piece looks like the worst entry that covers it. Where a span begins stands its anchor;
    where a held span ends, the number of its entry.
    """
    marks = [(span, entry) for entry in entries for span in _spans(entry.findings) if span.end <= len(text)]
    begins: dict[int, list[Span]] = {}
    ends: dict[int, list[Entry]] = {}
    for span, entry in marks:
        if span not in begins.setdefault(span.start, []):
            begins[span.start].append(span)
        if entry.verdict is not Verdict.PASS and span in entry.spans and entry not in ends.setdefault(span.end, []):
            ends[span.end].append(entry)
    cuts = sorted({0, len(text), *begins, *(span.end for span, _ in marks), *(m.end() for m in re.finditer("\n", text))})
    foreign = _foreign_letters(text)
    opening: dict[int, list[tuple[Span, Entry]]] = {}
    for span, entry in marks:
        opening.setdefault(span.start, []).append((span, entry))
    covering: list[tuple[Span, Entry]] = []
    line: list[str] = []
    for start, end in pairwise(cuts):
        covering = [each for each in covering if each[0].end > start] + opening.get(start, [])
        anchors = "".join(f'<a class="at" id="{_anchor(span)}"></a>' for span in begins.get(start, ()))
        drawn = _draw(text[start:end].removesuffix("\n").removesuffix("\r") if text[end - 1] == "\n" else text[start:end], start, foreign)
        tags = "".join(_tag(entry) for entry in ends.get(end, ()))
        if covering and (drawn or tags):
            worst = min((entry.verdict for _, entry in covering), key=lambda each: _LOOKS[each].rank)
            drawn = f'<mark class="{_LOOKS[worst].css}">{anchors}<bdi>{drawn}</bdi>{tags}</mark>'
        else:
            drawn = anchors + drawn
        line.append(drawn)
        if end == len(text) or text[end - 1] == "\n":
            yield f'<div class="line">{"".join(line)}</div>\n'
            line = []


def _tag(entry: Entry) -> str:
    look = _LOOKS[entry.verdict]
    return f'<a class="tag" href="#{entry.anchor}" aria-label="{look.word}, entry {entry.number}">{look.symbol}{entry.number}</a>'


def _anchor(span: Span) -> str:
    return f"at-{span.start}-{span.end}"


def _slices(text: str, spans: Sequence[Span]) -> str:
    return " \u2026 ".join(_draw(_one_line(text[span.start : span.end])) for span in spans)


def _places(text: str, spans: Sequence[Span]) -> str:
    """Links to the marks in the source: `line 8`."""
    links = []
    for span in spans:
        line = text.count("\n", 0, span.start) + 1
        links.append(f'<a href="#{_anchor(span)}">line {line}</a>')
    return ", ".join(dict.fromkeys(links))


# ---- the fields -----------------------------------------------------------------------------------------------


def _cards(page: _Page, look: _Look, entries: Sequence[Entry]) -> str:
    if not entries:
        return ""
    cards = "".join(_card(page, entry) for entry in entries)
    return f"{_group_opening(look, len(entries))}{cards}</section>\n"


def _group_opening(look: _Look, size: int) -> str:
    return f'<section aria-labelledby="{look.group_id}"><h3 id="{look.group_id}">{look.group} <span class="count">{size}</span></h3>\n'


def _card(page: _Page, entry: Entry) -> str:
    return (
        f"{_card_opening(entry, 'h4', _title(page, entry))}"
        f'<p class="path"><code><bdi>{_draw(entry.path)}</bdi></code></p>\n'
        f"{_comparison(page, entry)}{_crops(page, entry)}{_reasons(entry)}{_parts(page, entry)}</article>\n"
    )


def _parts(page: _Page, entry: Entry) -> str:
    """The fields of an item that is nowhere in the source: what each says, and which checks held it."""
    if not entry.parts:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{_mini(part.verdict)} {_draw(_words(part.path.removeprefix(entry.path).lstrip(".")))}</th>'
        f"<td>{_claim(page, part)}</td><td>{_check_ids(part)}</td></tr>\n"
        for part in entry.parts
    )
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("Field", "Payload says", "Held by"))
    return (
        f'<table class="parts"><caption>Its fields, which nothing in the source supports</caption><thead><tr>{heads}</tr></thead>\n'
        f"<tbody>{rows}</tbody></table>\n"
    )


def _check_ids(entry: Entry) -> str:
    return ", ".join(f"<code>{_draw(name)}</code>" for name in dict.fromkeys(finding.check_id for finding in entry.findings))


def _card_opening(entry: Entry, heading: str, title: str) -> str:
    look = _LOOKS[entry.verdict]
    return (
        f'<article id="{entry.anchor}" class="card {look.css}" tabindex="-1" aria-labelledby="{entry.anchor}-title">\n'
        f'<{heading} id="{entry.anchor}-title">{_chip(entry.verdict)} '
        f'<span class="number">{look.symbol}{entry.number}</span> {title}</{heading}>\n'
    )


def _comparison(page: _Page, entry: Entry) -> str:
    said = _slices(page.source.text, entry.spans)
    claim = _claim(page, entry)
    confidence = _confidence(page.source, entry.spans)
    source = f'<bdi class="said">{said}</bdi> <span class="place">{_places(page.source.text, entry.spans)}{confidence}</span>'
    none = '<em class="none">no place for this in the source</em>'
    left = f"<div><dt>Payload says</dt><dd>{claim}</dd></div>" if claim else ""
    return f'<dl class="versus">{left}<div><dt>Source says</dt><dd>{source if said else none}</dd></div></dl>\n'


def _claim(page: _Page, entry: Entry) -> str:
    """The payload's value at this path, as HTML; empty for the whole document and for containers, which are shown further down."""
    value = page.values.get(entry.path, MISSING)
    if entry.path == "$" or value is MISSING or (entry.item is not None and entry.path == entry.item.path):
        return ""
    return f'<bdi class="said">{_draw(shown(value))}</bdi>'


def _confidence(source: SourceDocument, spans: Sequence[Span]) -> str:
    known = [word.confidence for word in _words_in(source, spans) if word.confidence is not None]
    return f"; least recognition confidence {min(known) * 100:.0f}\u00a0%" if known else ""


def _reasons(entry: Entry) -> str:
    ordered = sorted(entry.findings, key=lambda finding: _LOOKS[finding.verdict].rank)
    said: dict[str, list[Evidence]] = {}
    for finding in ordered:
        said.setdefault(_reason(finding), []).extend(finding.evidence)
    told = []
    for reason, evidence in said.items():
        facts = dict.fromkeys(filter(None, map(_fact, evidence)))
        told.append(f"<li>{reason}{'<ul>' + ''.join(f'<li>{fact}</li>' for fact in facts) + '</ul>' if facts else ''}</li>")
    return f'<ul class="why">{"".join(told)}</ul>\n'


def _reason(finding: Finding) -> str:
    note = ", note" if finding.severity is Severity.MINOR else ""
    severity = "" if finding.verdict is Verdict.PASS else f" {finding.severity.value}"
    rules = dict.fromkeys(evidence.rule_id for evidence in finding.evidence if evidence.rule_id and evidence.rule_id != finding.check_id)
    rule = "".join(f", rule <code>{_draw(rule_id)}</code>" for rule_id in rules)
    return (
        f"{_mini(finding.verdict)}{note} <bdi>{_draw(finding.message)}</bdi> "
        f'<span class="ids"><code>{_draw(finding.check_id)}</code>{severity}{rule}</span>'
    )


def _mini(verdict: Verdict) -> str:
    look = _LOOKS[verdict]
    return f'<span class="mini"><span aria-hidden="true">{look.symbol}</span> {look.word.lower()}</span>'


def _fact(evidence: Evidence) -> str:
    """The fact of the reference data behind a finding; a place in the source is shown as a mark, a rule beside the check."""
    parts = []
    if evidence.refdata_key:
        parts.append(f"reference <code><bdi>{_draw(evidence.refdata_key)}</bdi></code>")
    if evidence.citation:
        parts.append(f"cited from <code><bdi>{_draw(evidence.citation)}</bdi></code>")
    if evidence.grade:
        parts.append(f"grade {_draw(evidence.grade)}")
    return ", ".join(parts)


def _passed_table(page: _Page, entries: Sequence[Entry]) -> str:
    if not entries:
        return ""
    look = _LOOKS[Verdict.PASS]
    bodies: dict[str, list[str]] = {}
    places = {item.path: place for place, item in enumerate(page.report.items)}
    # By item; what is said of the whole item after what is said of its fields.
    ordered = sorted(entries, key=lambda entry: (places[entry.item.path], entry.path == entry.item.path) if entry.item else (-1, False))
    for entry in ordered:
        owner = "Document" if entry.item is None else _item_name(page, entry.item)
        field = _draw(_words(entry.path.removeprefix(entry.item.path if entry.item else "$").lstrip("."))) or "whole item"
        notes = [finding for finding in entry.findings if finding.severity is Severity.MINOR]
        remarks = "".join(f"<li>Note: <bdi>{_draw(note.message)}</bdi> <code>{_draw(note.check_id)}</code></li>" for note in notes)
        said = _slices(page.source.text, entry.spans)
        bodies.setdefault(owner, []).append(
            f'<tr id="{entry.anchor}" role="row"><th scope="row" role="rowheader">{_mini(Verdict.PASS)} {field}</th>'
            f'<td role="cell" data-label="Payload says">{_claim(page, entry) or "&ndash;"}</td>'
            f'<td role="cell" data-label="Source says">{f"<bdi>{said}</bdi>" if said else "<em>see the check</em>"} '
            f'<span class="place">{_places(page.source.text, entry.spans)}</span></td>'
            f'<td role="cell" data-label="Checked by">{_check_ids(entry)}{f"<ul>{remarks}</ul>" if remarks else ""}</td></tr>\n'
        )
    tables = "".join(
        f'<tbody role="rowgroup"><tr role="row"><th colspan="4" scope="rowgroup" role="rowheader" class="owner">{owner}</th></tr>\n'
        f"{''.join(rows)}</tbody>"
        for owner, rows in bodies.items()
    )
    heads = "".join(f'<th scope="col" role="columnheader">{name}</th>' for name in ("Field", "Payload says", "Source says", "Checked by"))
    return (
        f"{_group_opening(look, len(entries))}"
        '<table role="table"><caption>Fields that passed, by item</caption>'
        f'<thead role="rowgroup"><tr role="row">{heads}</tr></thead>\n{tables}</table></section>\n'
    )


def _statements_section(page: _Page, entries: Sequence[Entry]) -> str:
    """The statements of the source that no field of the payload carries, the held ones first."""
    ordered = sorted(entries, key=lambda entry: _LOOKS[entry.verdict].rank)
    cards = []
    for entry in ordered:
        said = _slices(page.source.text, entry.spans)
        statement = f'<bdi class="said">{said}</bdi> <span class="place">{_places(page.source.text, entry.spans)}</span>' if said else ""
        title = "Accounted for" if entry.verdict is Verdict.PASS else "No field carries this"
        cards.append(f"{_card_opening(entry, 'h3', title)}<p>{statement}</p>\n{_crops(page, entry)}{_reasons(entry)}</article>\n")
    body = "".join(cards) or '<p class="empty">None: every statement found in the source is carried by a field or accounted for.</p>\n'
    return (
        '<section id="statements" class="statements" aria-labelledby="statements-title">\n'
        f'<h2 id="statements-title">Statements of the source that no field carries</h2>\n<div class="grid">{body}</div></section>\n'
    )


def _payload_section(payload: object) -> str:
    text, how = _payload_text(payload)
    return (
        f'<section class="payload" aria-labelledby="payload-title"><h2 id="payload-title">Payload {how}</h2>\n'
        f'<details><summary>Show the whole payload</summary><pre tabindex="0"><bdi>{_draw(text)}</bdi></pre></details></section>\n'
    )


def _footer(report: VerificationReport) -> str:
    rows = {
        "Rulepack": report.rulepack_version,
        "Reference data": report.refdata_snapshot,
        "Engine": report.engine_version,
        **{f"SHA-256 of {_words(name)}": digest for name, digest in report.input_hashes.items()},
    }
    body = "".join(f'<tr><th scope="row">{_draw(name)}</th><td><code>{_draw(value)}</code></td></tr>' for name, value in rows.items())
    return (
        '<footer><h2>What this was made from</h2><table class="versions">'
        "<caption>The same source, payload and rulepack give this page again, byte for byte</caption>"
        f"<tbody>{body}</tbody></table></footer>\n"
    )


# ---- the payload ----------------------------------------------------------------------------------------------

MISSING = object()
_FENCED = re.compile(r"\s*```[A-Za-z]*\n(.*)\n?```\s*", re.DOTALL)


def _parsed(payload: object) -> object:
    """The payload as Python values; text that is not JSON gives `MISSING`."""
    if type(payload) is bytes:
        payload = payload.decode("utf-8", "replace")
    if type(payload) is not str:
        return payload
    fenced = _FENCED.fullmatch(payload)
    try:
        value: object = json.loads(fenced[1] if fenced else payload)
    except (ValueError, RecursionError):
        return MISSING
    return value


def values_by_path(payload: object) -> dict[str, object]:
    """Every value of the payload under its path. A payload deeper or larger than any that can be verified is cut, not followed."""
    values: dict[str, object] = {}
    waiting: list[tuple[str, object, int]] = [("$", _parsed(payload), 0)]
    while waiting and len(values) < 100_000:
        path, value, depth = waiting.pop()
        if value is MISSING:
            continue
        values[path] = value
        if depth < 64 and type(value) is dict:
            waiting += [(f"{path}.{key}", each, depth + 1) for key, each in value.items() if type(key) is str]
        elif depth < 64 and type(value) is list:
            waiting += [(f"{path}[{index}]", each, depth + 1) for index, each in enumerate(value)]
    return values


def shown(value: object) -> str:
    """One value as text: strings as they are, `{"value", "unit"}` as `500 mg`, the rest as JSON."""
    if type(value) is dict and value.keys() == {"value", "unit"} and not any(type(each) in (dict, list) for each in value.values()):
        text = f"{shown(value['value'])} {shown(value['unit'])}"
    else:
        text = value if type(value) is str else _json(value, None)
    cut = len(text) - _MAX_SHOWN
    return text if cut <= 0 else f"{text[:_MAX_SHOWN]} \u2026 ({cut} characters more)"


def _json(value: object, indent: int | None) -> str:
    """JSON for reading. Values JSON does not have are named by their type: `repr` would run code of an unknown class."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent, default=lambda other: f"<{type(other).__name__}>")
    except (ValueError, TypeError, RecursionError):
        return f"<{type(value).__name__} that JSON cannot write>"


def _payload_text(payload: object) -> tuple[str, str]:
    value = _parsed(payload)
    if value is not MISSING:
        return _json(value, 2), "as read"
    return (payload.decode("utf-8", "replace") if type(payload) is bytes else str(payload)), "as received (it is not JSON)"


# ---- text that nobody may trust -------------------------------------------------------------------------------

# Code points without ink, with a control function, or for private use, as an explicit table: `unicodedata` differs between Pythons.
# A tab and a line feed are layout and stay; so does a carriage return before a line feed, which is part of the line end.
_LINE_END = re.compile("\r?\n|\t")
_UNSEEN = re.compile(
    "\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f"
    "\u2800\u3000\u3164\ud800-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff]"
)

# A word that mixes Latin with look-alike alphabets. The Greek mu is a unit prefix and may stand before Latin letters.
_WORD = re.compile(r"\w+")
_LATIN = re.compile("[A-Za-z]")
_LOOK_ALIKE = re.compile("[\u0370-\u03bb\u03bd-\u03ff\u0400-\u052f\u0531-\u058f\u13a0-\u13ff\uff10-\uff5a\U0001d400-\U0001d7ff]")


def _foreign_letters(text: str) -> frozenset[int]:
    """Positions of letters that do not belong to the Latin word they stand in."""
    if text.isascii():
        return frozenset()
    return frozenset(
        word.start() + letter.start() for word in _WORD.finditer(text) if _LATIN.search(word[0]) for letter in _LOOK_ALIKE.finditer(word[0])
    )


def _draw(text: str, offset: int = 0, foreign: frozenset[int] | None = None) -> str:
    """HTML for text from anywhere: escaped, what cannot be seen drawn as `[U+200B]`, a foreign look-alike letter followed by its code.

    offset, foreign: for a piece of a longer text, where it begins there and the foreign letters of the whole.
    """
    return escape(text) if text.isascii() and text.isprintable() else _drawn(text, offset, foreign, escape, '<span class="code">{}</span>')


def visible(text: str) -> str:
    """The same for plain text, on one line: what cannot be seen becomes `[U+200B]`. A terminal's control sequences among it."""
    return _drawn(_one_line(text), 0, None, str, "{}")


def _one_line(text: str) -> str:
    return _LINE_END.sub(" ", text)


def _drawn(text: str, offset: int, foreign: frozenset[int] | None, quote: Callable[[str], str], around: str) -> str:
    if foreign is None:
        foreign = _foreign_letters(text)
    pieces: list[str] = []
    done = 0
    cuts = {match.start() for match in _UNSEEN.finditer(text)} | {at - offset for at in foreign if offset <= at < offset + len(text)}
    for at in sorted(cuts):
        pieces.append(quote(text[done:at]))
        if at + offset in foreign:
            pieces.append(quote(text[at]))
        pieces.append(around.format(f"[U+{ord(text[at]):04X}]"))
        done = at + 1
    pieces.append(quote(text[done:]))
    return "".join(pieces)


# ---- page images ----------------------------------------------------------------------------------------------

Box: TypeAlias = tuple[int, int, int, int]

_MARGIN = 14
"""Pixels of paper left around a crop."""


def _words_in(source: SourceDocument, spans: Sequence[Span]) -> list[Word]:
    return [word for word in source.words if any(word.start < span.end and span.start < word.end for span in spans)]


def _crops(page: _Page, entry: Entry) -> str:
    """For a held entry, its statement as it looks on each page it stands on, with the contested words framed."""
    if entry.verdict is Verdict.PASS or not page.images:
        return ""
    statement = entry.item.statement_span if entry.item else None
    contested = _words_in(page.source, entry.spans)
    around = _words_in(page.source, (*entry.spans, *([statement] if statement else ())))
    figures = []
    for number, image in page.images.items():
        view = _view([word.box for word in around if word.page == number and word.box], page.source, number, image)
        if view is None:
            continue
        x0, y0, x1, y1 = view
        framed = _frames([word.box for word in contested if word.page == number and word.box]) if len(contested) < len(around) else []
        frames = "".join(
            f'<rect class="{_LOOKS[entry.verdict].css}" x="{box[0] - 5}" y="{box[1] - 5}" '
            f'width="{box[2] - box[0] + 10}" height="{box[3] - box[1] + 10}"/>'
            for box in framed
        )
        said = _slices(page.source.text, entry.spans)
        figures.append(
            f'<figure class="crop"><svg viewBox="{x0} {y0} {x1 - x0} {y1 - y0}" style="max-width:{x1 - x0}px" role="img" '
            f'aria-label="The statement on page {number}"><use href="#page-{number}"/>{frames}</svg>'
            f"<figcaption>On page {number}{f', framed: read as <bdi>{said}</bdi>' if said and frames else ''}</figcaption></figure>\n"
        )
    return "".join(figures)


def _view(boxes: Sequence[Box], source: SourceDocument, number: int, image: _Image) -> Box | None:
    """The part of the page that shows these words and whatever else stands on their lines; None when it lies outside the image."""
    if not boxes:
        return None
    top, bottom = min(box[1] for box in boxes), max(box[3] for box in boxes)
    beside = [word.box for word in source.words if word.page == number and word.box and top <= (word.box[1] + word.box[3]) / 2 <= bottom]
    # A rule or a stain read as one huge word would swallow the page.
    beside = [box for box in beside if box[3] - box[1] <= bottom - top] or list(boxes)
    left, right = min(box[0] for box in (*boxes, *beside)), max(box[2] for box in (*boxes, *beside))
    x0, y0 = max(0, left - _MARGIN), max(0, top - _MARGIN)
    x1, y1 = min(image.width, right + _MARGIN), min(image.height, bottom + _MARGIN)
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None


def _frames(boxes: Sequence[Box]) -> list[Box]:
    """One frame per run of neighbouring words: two join when they overlap in height and the gap is no wider than they are high."""
    frames: list[Box] = []
    for box in boxes:
        last = frames[-1] if frames else None
        if last and last[1] < box[3] and box[1] < last[3] and -_MARGIN < box[0] - last[2] <= box[3] - box[1]:
            frames[-1] = (min(last[0], box[0]), min(last[1], box[1]), max(last[2], box[2]), max(last[3], box[3]))
        else:
            frames.append(box)
    return frames


def _page_definitions(images: Mapping[int, _Image]) -> str:
    """Each page image once; every crop is a view of it."""
    if not images:
        return ""
    pages = "".join(
        f'<image id="page-{number}" width="{image.width}" height="{image.height}" href="{image.data_uri}"/>'
        for number, image in images.items()
    )
    return f'<svg class="pages" width="0" height="0" aria-hidden="true" focusable="false"><defs>{pages}</defs></svg>\n'


def _read_image(number: int, data: bytes) -> _Image:
    size = _png_size(data) or _jpeg_size(data)
    if type(number) is not int or size is None:
        raise InputError("html.image", "images maps page numbers to the bytes of a PNG or JPEG file; one of these is neither, or cut off")
    kind = "png" if data.startswith(b"\x89PNG") else "jpeg"
    return _Image(f"data:image/{kind};base64,{base64.b64encode(data).decode('ascii')}", *size)


def _png_size(data: bytes) -> tuple[int, int] | None:
    if type(data) is not bytes or len(data) < 24 or not data.startswith(b"\x89PNG\r\n\x1a\n") or data[12:16] != b"IHDR":
        return None
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Walk the marker segments to the frame header, which holds height and width."""
    if type(data) is not bytes or not data.startswith(b"\xff\xd8\xff"):
        return None
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        if data[at + 1] in _JPEG_FRAMES:
            return int.from_bytes(data[at + 7 : at + 9], "big"), int.from_bytes(data[at + 5 : at + 7], "big")
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big") if data[at + 1] != 0xFF else 1
    return None


_CSS = """
:root{color-scheme:light;--ink:#1A1A1A;--quiet:#4A4A4A;--rule:#C9CDD2;--paper:#fff;--wash:#F6F7F8;
--pass:#0072B2;--fail:#D55E00;--abstain:#E69F00;--pass-wash:#EDF5FA;--fail-wash:#FDF0E8;--abstain-wash:#FEF7E6}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:1rem}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0 auto;max-width:96rem;padding:0 1.5rem 3rem;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans Devanagari","Liberation Sans","DejaVu Sans",
sans-serif}
h1,h2,h3,h4,p,ul,dl,figure{margin:0}
ul{padding:0;list-style:none}
h2{font-size:1.15rem;line-height:1.3;margin-bottom:.75rem}
h3{font-size:1rem;margin-bottom:.6rem}
h4{font-size:1rem;line-height:1.4}
a{color:var(--ink);text-underline-offset:.15em}
a:focus-visible,[tabindex]:focus-visible,summary:focus-visible{outline:3px solid var(--ink);outline-offset:2px}
code,.text,pre{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace}
code{font-size:.85em;overflow-wrap:anywhere}
.skip{position:absolute;left:-999rem}
.skip:focus{left:1rem;top:.5rem;z-index:2;padding:.5rem 1rem;background:var(--paper);border:2px solid var(--ink)}
.phi{margin:0 -1.5rem;padding:.45rem 1.5rem;background:var(--ink);color:#fff;font-size:.9rem}
.pages{position:absolute}
header{display:grid;gap:1.25rem;padding:1.5rem 0}
.notice{border:3px solid var(--ink);padding:.9rem 1.1rem}
.notice h2{margin-bottom:.25rem}
.notice ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin-top:.4rem;font-weight:600}
.pass{--line:var(--pass);--style:solid;--wash-here:var(--pass-wash)}
.fail{--line:var(--fail);--style:double;--wash-here:var(--fail-wash)}
.abstain{--line:var(--abstain);--style:dashed;--wash-here:var(--abstain-wash)}
.verdict{border:6px var(--style) var(--line);background:var(--wash-here);padding:1rem 1.25rem;border-radius:6px}
.verdict.pass,.verdict.abstain{border-width:4px}
h1{font-size:1.9rem;line-height:1.2;letter-spacing:.02em;display:flex;flex-wrap:wrap;align-items:baseline;gap:.1rem .6rem;
margin-bottom:.35rem}
h1 .of{font-size:1.1rem;font-weight:400;letter-spacing:0}
.figures{display:flex;flex-wrap:wrap;gap:.5rem 2.5rem;margin-top:.75rem}
dt{font-size:.8rem;color:var(--quiet)}
dd{margin:0}
.figures dd{font-weight:600}
.todo ul{columns:2;column-gap:2.5rem}
.todo li{break-inside:avoid;padding:.2rem 0 .2rem 6.6rem;position:relative;overflow-wrap:anywhere}
.todo .chip{position:absolute;left:0;top:.25rem}
.chip,.mini{display:inline-block;white-space:nowrap;font-weight:700}
.chip{border:2px var(--style) var(--line);background:var(--wash-here);border-radius:4px;padding:0 .5rem;font-size:.8rem;
line-height:1.45;letter-spacing:.03em}
.chip.fail{border-width:4px;padding:0 .4rem;line-height:1.3}
.mini{font-size:.85em}
.columns{display:grid;grid-template-columns:minmax(0,5fr) minmax(0,6fr);gap:2rem;align-items:start}
.source{position:sticky;top:1rem}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;font-size:.85rem;color:var(--quiet);margin-bottom:.6rem}
.text{border:1px solid var(--rule);border-radius:6px;background:var(--wash);padding:.75rem .75rem .75rem 0;font-size:.9rem;
line-height:1.85;
counter-reset:line;max-height:calc(100vh - 8.5rem);overflow:auto}
.line{counter-increment:line;position:relative;padding-left:3.4rem;min-height:1.85em;white-space:pre-wrap;overflow-wrap:anywhere}
.line::before{content:counter(line);position:absolute;left:0;width:2.5rem;text-align:right;color:#63676B;font-size:.8em}
mark{color:inherit;background:var(--wash-here);border-bottom:2px var(--style) var(--line);padding:.08em 0;
box-decoration-break:clone;-webkit-box-decoration-break:clone}
mark.fail{border-bottom-width:4px;font-weight:700}
mark.abstain{border-bottom-width:3px}
mark:has(:target),:target{outline:3px solid var(--ink);outline-offset:2px}
.at:target{outline:0}
.tag{font:700 .78em/1 system-ui,sans-serif;text-decoration:none;border:1px solid var(--ink);border-radius:3px;
background:var(--paper);padding:.05em .3em;margin:0 .15em 0 .3em;white-space:nowrap}
.code{font:.8em/1 ui-monospace,"Liberation Mono",monospace;border:1px solid var(--ink);background:var(--paper);padding:0 .15em;
white-space:nowrap}
.fields>section+section{margin-top:2rem}
.count{font-weight:400;color:var(--quiet)}
.card{border:1px solid var(--rule);border-left:5px var(--style) var(--line);border-radius:0 6px 6px 0;padding:.8rem 1rem .9rem;
margin-bottom:1rem;break-inside:avoid;overflow-wrap:anywhere}
.card.fail{border-left-width:8px}
.number{font-weight:700;font-size:.85rem;border:1px solid var(--ink);border-radius:3px;padding:0 .3em;margin:0 .3em 0 .2em}
.field{font-weight:700}
h4,.card h3{font-weight:500}
.path{color:var(--quiet);font-size:.85rem;margin:.1rem 0 .6rem}
.versus{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,12rem),1fr));gap:.5rem 1rem;background:var(--wash-here);
border-radius:4px;padding:.55rem .8rem;margin-bottom:.7rem}
.said{font-size:1.08rem;font-weight:600;white-space:pre-wrap}
.none{font-weight:600}
.place{font-size:.85rem;color:var(--quiet)}
.crop{margin-bottom:.7rem}
.crop svg{display:block;width:100%;height:auto;border:1px solid var(--rule);background:#fff}
.crop rect{fill:none;stroke:var(--ink);stroke-width:2.5}
.crop rect.abstain{stroke-dasharray:9 6}
figcaption{font-size:.85rem;color:var(--quiet);margin-top:.2rem}
.why{display:grid;gap:.4rem;font-size:.95rem}
.why ul,td ul{font-size:.85rem;color:var(--quiet)}
.ids{font-size:.85rem;color:var(--quiet)}
.parts{margin-top:.7rem}
.parts tr:last-child>*{border-bottom:0}
table{border-collapse:collapse;width:100%;font-size:.9rem}
caption{text-align:left;color:var(--quiet);font-size:.85rem;padding-bottom:.4rem}
th,td{text-align:left;vertical-align:top;padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--rule);font-weight:400;
overflow-wrap:anywhere}
thead th{font-size:.8rem;color:var(--quiet)}
th[scope=row]{min-width:6.5rem}
.owner{font-weight:600;padding-top:.9rem}
tbody th,td{overflow-wrap:break-word}
td code{overflow-wrap:anywhere}
td bdi{font-weight:600}
td .said{font-size:inherit}
td li bdi{font-weight:400}
.statements,.payload,footer{border-top:1px solid var(--rule);margin-top:2rem;padding-top:1.25rem}
.statements .grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:0 1.5rem}
.statements .card p{margin:.4rem 0 .6rem}
.empty{color:var(--quiet)}
summary{cursor:pointer}
pre{background:var(--wash);border:1px solid var(--rule);border-radius:6px;padding:.75rem;font-size:.85rem;white-space:pre-wrap;
overflow-wrap:anywhere}
.versions th{width:12rem;color:var(--quiet)}
@media (max-width:60rem){.columns{grid-template-columns:minmax(0,1fr)}.source{position:static}.text{max-height:none}
.todo ul{columns:1}}
@media (max-width:36rem){body{padding:0 1rem 2rem}.phi{margin:0 -1rem;padding:.45rem 1rem}h1{font-size:1.6rem}
.line{padding-left:2.1rem}.line::before{width:1.5rem}
.text{padding-right:.5rem}table[role=table],table[role=table] tbody,table[role=table] tr,table[role=table] th,
table[role=table] td{display:block}
table[role=table] thead{position:absolute;left:-999rem}table[role=table] tr{border-bottom:1px solid var(--rule);padding:.4rem 0}
table[role=table] th,table[role=table] td{border:0;padding:.1rem 0}
td[data-label]::before{content:attr(data-label) ": ";color:var(--quiet);font-size:.85em}.versions th{width:7rem}}
@media print{h2,h3{break-after:avoid}body{max-width:none;padding:0;font-size:10.5pt}.phi{margin:0;color:var(--ink);background:none;
border:2px solid var(--ink)}.skip{display:none}
.columns{display:block}.source{position:static}.text{max-height:none;overflow:visible}.fields{margin-top:1.5rem}.todo ul{columns:2}
a{text-decoration:none}}
"""
