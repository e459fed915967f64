"""The evidence page: one HTML file on which a person can check every verdict against the source.

The source stands on the left with the evidence marked, the fields on the right: what contradicts the source or has no
place in it first, then what could not be decided, then what passed; below them the statements of the source that no
field carries. What was not checked at all is named before anything else. Given page images, a held statement is shown
as it looks on the page, with the contested words framed.

Three things hold everywhere. Nothing is said by colour alone: each verdict is a word, a symbol and a border style.
Nothing untrusted becomes markup: all text goes through `draw`, which escapes it and makes invisible, control and
bidirectional characters visible as `[U+200B]`. Nothing is loaded: no script, no font, no address outside the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from medfence_guard.contract import Evidence, Finding, ItemVerdict, Severity, SourceDocument, Span, Verdict, VerificationReport
from medfence_guard.html.entries import LOOKS, PLACES_BELOW, Entry, Look, Place, entries_of, spans_of
from medfence_guard.html.images import PageImage, definitions_of, frames_of, read_image, view_of, words_in
from medfence_guard.html.style import CSS
from medfence_guard.html.values import MISSING, payload_text, shown, values_by_path
from medfence_guard.html.visible import draw, foreign_letters, one_line

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def render(report: VerificationReport, source: SourceDocument, payload: object, images: Mapping[int, bytes] | None = None) -> str:
    """The page for one report.

    source, payload: the ones the report is about. A payload that is not JSON is shown as it was received.
    images: page number -> PNG or JPEG bytes of the pages whose word boxes (pixels) the source carries.
    InputError when an image is neither.
    """
    pages = {number: read_image(number, data) for number, data in sorted((images or {}).items())}
    values = values_by_path(payload)
    entries = entries_of(report)
    first, undecided, unowned, passed = (tuple(entry for entry in entries if entry.place is place) for place in PLACES_BELOW)
    page = _Page(report, source, values, pages)
    look = LOOKS[report.overall]
    groups = [
        _cards(page, LOOKS[Verdict.FAIL], first),
        _cards(page, LOOKS[Verdict.ABSTAIN], undecided),
        _passed_table(page, passed),
    ]
    held = [entry for entry in (*first, *undecided, *unowned) if entry.verdict is not Verdict.PASS]
    held.sort(key=lambda entry: LOOKS[entry.verdict].rank)
    return "".join(
        (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="referrer" content="no-referrer">\n',
            f"<title>{look.word}: {draw(_words(report.artifact_type))}, evidence page</title>\n<style>{CSS}</style>\n</head>\n<body>\n",
            '<a class="skip" href="#fields">Skip to the fields</a>\n',
            '<p class="phi" role="note"><strong>Health data.</strong> This page shows the record of a person. ',
            "Keep, send and destroy it as such.</p>\n",
            definitions_of(pages),
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
class _Page:
    """What the parts of the page share."""

    report: VerificationReport
    source: SourceDocument
    values: Mapping[str, object]
    images: Mapping[int, PageImage]


def _title(page: _Page, entry: Entry) -> str:
    """The entry's name for a person, as HTML: `Item 2, Thyronorm: strength`."""
    if entry.item is None:
        return "The whole document" if entry.path == "$" else draw(_words(entry.path.removeprefix("$.")))
    field = entry.path.removeprefix(entry.item.path).lstrip(".")
    name = _item_name(page, entry.item)
    return name + (f': <span class="field">{draw(_words(field))}</span>' if field else "")


def _item_name(page: _Page, item: ItemVerdict) -> str:
    position = page.report.items.index(item) + 1
    named = [finding.field_path for finding in page.report.findings if finding.check_id == "grounding.name"]
    path = next((path for path in named if path.startswith(item.path + ".") and isinstance(page.values.get(path), str)), None)
    return f"Item {position}" + (f", <bdi>{draw(shown(page.values[path]))}</bdi>" if path else "")


def _words(name: str) -> str:
    return name.replace("_", " ")


# ---- the head of the page --------------------------------------------------------------------------------------------


def _header(page: _Page, held: Sequence[Entry]) -> str:
    report = page.report
    look = LOOKS[report.overall]
    not_checked = list(report.not_checked)
    not_checked += [f.field_path for f in report.findings if f.check_id == "schema.not_checked" and f.field_path not in not_checked]
    parts = ["<header>\n"]
    if not_checked:
        names = "".join(f"<li><code><bdi>{draw(path)}</bdi></code></li>" for path in not_checked)
        parts.append(
            '<section class="notice" aria-labelledby="not-checked"><h2 id="not-checked">Not checked</h2>'
            f"<p>Whoever set up this check excluded these fields. Nothing below says anything about them.</p><ul>{names}</ul></section>\n"
        )
    modality = {"text": "typed text", "ocr": "recognised from an image (OCR)", "stt": "recognised from speech"}[page.source.modality]
    parts.append(
        f'<div class="verdict {look.css}"><h1><span class="symbol" aria-hidden="true">{look.symbol}</span> {look.word}'
        f'<span class="of">{draw(_words(report.artifact_type))} against its source</span></h1>\n'
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
    look = LOOKS[verdict]
    return f'<span class="chip {look.css}"><span aria-hidden="true">{look.symbol}</span> {look.word}</span>'


# ---- the source ------------------------------------------------------------------------------------------------------


def _source_section(source: SourceDocument, entries: Sequence[Entry]) -> str:
    legend = "".join(
        f'<li><mark class="{look.css}">{look.word.lower()}</mark> {how}</li>'
        for look, how in (
            (LOOKS[Verdict.FAIL], "double line, \u2715 and a number"),
            (LOOKS[Verdict.ABSTAIN], "dashed line, ? and a number"),
            (LOOKS[Verdict.PASS], "single line"),
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
    marks = [(span, entry) for entry in entries for span in spans_of(entry.findings) if span.end <= len(text)]
    begins: dict[int, list[Span]] = {}
    ends: dict[int, list[Entry]] = {}
    for span, entry in marks:
        if span not in begins.setdefault(span.start, []):
            begins[span.start].append(span)
        if entry.verdict is not Verdict.PASS and span in entry.spans and entry not in ends.setdefault(span.end, []):
            ends[span.end].append(entry)
    cuts = sorted({0, len(text), *begins, *(span.end for span, _ in marks), *(m.end() for m in re.finditer("\n", text))})
    foreign = foreign_letters(text)
    opening: dict[int, list[tuple[Span, Entry]]] = {}
    for span, entry in marks:
        opening.setdefault(span.start, []).append((span, entry))
    covering: list[tuple[Span, Entry]] = []
    line: list[str] = []
    for start, end in pairwise(cuts):
        covering = [each for each in covering if each[0].end > start] + opening.get(start, [])
        anchors = "".join(f'<a class="at" id="{_anchor(span)}"></a>' for span in begins.get(start, ()))
        drawn = draw(text[start:end].removesuffix("\n").removesuffix("\r") if text[end - 1] == "\n" else text[start:end], start, foreign)
        tags = "".join(_tag(entry) for entry in ends.get(end, ()))
        if covering and (drawn or tags):
            worst = min((entry.verdict for _, entry in covering), key=lambda each: LOOKS[each].rank)
            drawn = f'<mark class="{LOOKS[worst].css}">{anchors}<bdi>{drawn}</bdi>{tags}</mark>'
        else:
            drawn = anchors + drawn
        line.append(drawn)
        if end == len(text) or text[end - 1] == "\n":
            yield f'<div class="line">{"".join(line)}</div>\n'
            line = []


def _tag(entry: Entry) -> str:
    look = LOOKS[entry.verdict]
    return f'<a class="tag" href="#{entry.anchor}" aria-label="{look.word}, entry {entry.number}">{look.symbol}{entry.number}</a>'


def _anchor(span: Span) -> str:
    return f"at-{span.start}-{span.end}"


def _slices(text: str, spans: Sequence[Span]) -> str:
    return " \u2026 ".join(draw(one_line(text[span.start : span.end])) for span in spans)


def _places(text: str, spans: Sequence[Span]) -> str:
    """Links to the marks in the source: `line 8`."""
    links = []
    for span in spans:
        line = text.count("\n", 0, span.start) + 1
        links.append(f'<a href="#{_anchor(span)}">line {line}</a>')
    return ", ".join(dict.fromkeys(links))


# ---- the fields ------------------------------------------------------------------------------------------------------


def _cards(page: _Page, look: Look, entries: Sequence[Entry]) -> str:
    if not entries:
        return ""
    cards = "".join(_card(page, entry) for entry in entries)
    return f"{_group_opening(look, len(entries))}{cards}</section>\n"


def _group_opening(look: Look, size: int) -> str:
    return f'<section aria-labelledby="{look.group_id}"><h3 id="{look.group_id}">{look.group} <span class="count">{size}</span></h3>\n'


def _card(page: _Page, entry: Entry) -> str:
    return (
        f"{_card_opening(entry, 'h4', _title(page, entry))}"
        f'<p class="path"><code><bdi>{draw(entry.path)}</bdi></code></p>\n'
        f"{_comparison(page, entry)}{_crops(page, entry)}{_reasons(entry)}{_parts(page, entry)}</article>\n"
    )


def _parts(page: _Page, entry: Entry) -> str:
    """The fields of an item that is nowhere in the source: what each says, and which checks held it."""
    if not entry.parts:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{_mini(part.verdict)} {draw(_words(part.path.removeprefix(entry.path).lstrip(".")))}</th>'
        f"<td>{_claim(page, part)}</td><td>{_check_ids(part)}</td></tr>\n"
        for part in entry.parts
    )
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("Field", "Payload says", "Held by"))
    return (
        f'<table class="parts"><caption>Its fields, which nothing in the source supports</caption><thead><tr>{heads}</tr></thead>\n'
        f"<tbody>{rows}</tbody></table>\n"
    )


def _check_ids(entry: Entry) -> str:
    return ", ".join(f"<code>{draw(name)}</code>" for name in dict.fromkeys(finding.check_id for finding in entry.findings))


def _card_opening(entry: Entry, heading: str, title: str) -> str:
    look = LOOKS[entry.verdict]
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
    return f'<bdi class="said">{draw(shown(value))}</bdi>'


def _confidence(source: SourceDocument, spans: Sequence[Span]) -> str:
    known = [word.confidence for word in words_in(source, spans) if word.confidence is not None]
    return f"; least recognition confidence {min(known) * 100:.0f}\u00a0%" if known else ""


def _reasons(entry: Entry) -> str:
    ordered = sorted(entry.findings, key=lambda finding: LOOKS[finding.verdict].rank)
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
    rule = "".join(f", rule <code>{draw(rule_id)}</code>" for rule_id in rules)
    return (
        f"{_mini(finding.verdict)}{note} <bdi>{draw(finding.message)}</bdi> "
        f'<span class="ids"><code>{draw(finding.check_id)}</code>{severity}{rule}</span>'
    )


def _mini(verdict: Verdict) -> str:
    look = LOOKS[verdict]
    return f'<span class="mini"><span aria-hidden="true">{look.symbol}</span> {look.word.lower()}</span>'


def _fact(evidence: Evidence) -> str:
    """The fact of the reference data behind a finding; a place in the source is shown as a mark, a rule beside the check."""
    parts = []
    if evidence.refdata_key:
        parts.append(f"reference <code><bdi>{draw(evidence.refdata_key)}</bdi></code>")
    if evidence.citation:
        parts.append(f"cited from <code><bdi>{draw(evidence.citation)}</bdi></code>")
    if evidence.grade:
        parts.append(f"grade {draw(evidence.grade)}")
    return ", ".join(parts)


def _passed_table(page: _Page, entries: Sequence[Entry]) -> str:
    if not entries:
        return ""
    look = LOOKS[Verdict.PASS]
    bodies: dict[str, list[str]] = {}
    places = {item.path: place for place, item in enumerate(page.report.items)}
    # By item; what is said of the whole item after what is said of its fields.
    ordered = sorted(entries, key=lambda entry: (places[entry.item.path], entry.path == entry.item.path) if entry.item else (-1, False))
    for entry in ordered:
        owner = "Document" if entry.item is None else _item_name(page, entry.item)
        field = draw(_words(entry.path.removeprefix(entry.item.path if entry.item else "$").lstrip("."))) or "whole item"
        notes = [finding for finding in entry.findings if finding.severity is Severity.MINOR]
        remarks = "".join(f"<li>Note: <bdi>{draw(note.message)}</bdi> <code>{draw(note.check_id)}</code></li>" for note in notes)
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
    ordered = sorted(entries, key=lambda entry: LOOKS[entry.verdict].rank)
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
    text, how = payload_text(payload)
    return (
        f'<section class="payload" aria-labelledby="payload-title"><h2 id="payload-title">Payload {how}</h2>\n'
        f'<details><summary>Show the whole payload</summary><pre tabindex="0"><bdi>{draw(text)}</bdi></pre></details></section>\n'
    )


def _footer(report: VerificationReport) -> str:
    rows = {
        "Rulepack": report.rulepack_version,
        "Reference data": report.refdata_snapshot,
        "Engine": report.engine_version,
        **{f"SHA-256 of {_words(name)}": digest for name, digest in report.input_hashes.items()},
    }
    body = "".join(f'<tr><th scope="row">{draw(name)}</th><td><code>{draw(value)}</code></td></tr>' for name, value in rows.items())
    return (
        '<footer><h2>What this was made from</h2><table class="versions">'
        "<caption>The same source, payload and rulepack give this page again, byte for byte</caption>"
        f"<tbody>{body}</tbody></table></footer>\n"
    )


def _crops(page: _Page, entry: Entry) -> str:
    """For a held entry, its statement as it looks on each page it stands on, with the contested words framed."""
    if entry.verdict is Verdict.PASS or not page.images:
        return ""
    statement = entry.item.statement_span if entry.item else None
    contested = words_in(page.source, entry.spans)
    around = words_in(page.source, (*entry.spans, *([statement] if statement else ())))
    figures = []
    for number, image in page.images.items():
        view = view_of([word.box for word in around if word.page == number and word.box], page.source, number, image)
        if view is None:
            continue
        x0, y0, x1, y1 = view
        framed = frames_of([word.box for word in contested if word.page == number and word.box]) if len(contested) < len(around) else []
        frames = "".join(
            f'<rect class="{LOOKS[entry.verdict].css}" x="{box[0] - 5}" y="{box[1] - 5}" '
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
