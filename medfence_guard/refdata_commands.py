"""`medfence-guard refdata …`: is a bundle intact, what does it know, what changed, what is missing, and how one's own list joins it.

What they answer is computed in `refdata_answers`; here files are read and written, and commands print and return the exit code.
Exit codes: 0 done, 1 the answer is no (the name is unknown, the two bundles differ), 2 a file cannot be used.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medfence_guard import canonical_json
from medfence_guard.bundle import SCHEMA, Bundle
from medfence_guard.bundle_file import packed, unpacked
from medfence_guard.bundle_union import union
from medfence_guard.contract import VerificationReport
from medfence_guard.errors import BundleError, InputError, MedfenceError
from medfence_guard.formulary import COLUMNS, IDENTIFIER, Extended, extended, read_rows
from medfence_guard.html.visible import visible
from medfence_guard.refdata_answers import describe, description_text, difference, difference_text, gaps_csv, gaps_of, look_up
from medfence_guard.report import from_json
from medfence_guard.rulepack import LEXICON_FILES, Rulepack, codes_of, lexicon_of, shipped_folder, shipped_jurisdictions

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

NO = 1
UNUSABLE = 2
MAX_FILE_BYTES = 64 * 1024 * 1024
MANIFEST_SCHEMA = "medfence-bundle-manifest/1"

# ---- files ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Opened:
    """A bundle read from a file. `manifest` is None when none lies beside it, so that its digest could not be compared."""

    bundle: Bundle
    facts: dict[str, Any]
    manifest: dict[str, Any] | None


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise InputError("refdata.file", f"{path} cannot be read ({reason})") from None
    if len(data) > MAX_FILE_BYTES:
        raise InputError("refdata.file", f"{path} is larger than {MAX_FILE_BYTES >> 20} MiB")
    return data


def _open(path: Path, jurisdiction: str | None = None) -> Opened:
    """A bundle from its folder or its file: digest, schema, jurisdiction, facts, in this order."""
    file = path / "bundle.json" if path.is_dir() else path
    data = _read(file)
    beside = file.parent / "manifest.json"
    manifest: dict[str, Any] | None = None
    expected: str | None = None
    if file.name == "bundle.json" and beside.is_file():
        try:
            manifest = json.loads(_read(beside))
        except (ValueError, RecursionError):
            raise BundleError("bundle.manifest", "manifest.json is not JSON") from None
        expected = manifest.get("bundle_sha256") if type(manifest) is dict else None
        stated = manifest.get("jurisdiction") if type(manifest) is dict else None
        if type(expected) is not str or type(stated) is not str:
            raise BundleError("bundle.manifest", "manifest.json does not name bundle_sha256 and jurisdiction")
        if jurisdiction is not None and stated != jurisdiction:
            raise BundleError("bundle.jurisdiction", f"manifest.json is not for jurisdiction {jurisdiction!r}")
        jurisdiction = stated
    try:
        bundle = Bundle.from_bytes(data, expected_digest=expected, jurisdiction=jurisdiction)
    except RecursionError:
        raise BundleError("bundle.not_json", f"{file.name} is nested too deeply") from None
    return Opened(bundle, _facts(data), manifest)


def _facts(data: bytes) -> dict[str, Any]:
    """The facts of an accepted bundle. One whose index is not what its rows give is refused: a name would lead to another medicine."""
    raw = json.loads(data)
    facts = unpacked(raw)
    if packed(facts) != raw:
        raise BundleError("bundle.index", "the index of bundle.json is not the one that its rows give; build it again")
    return facts


def _reports_of(path: Path, skipped: list[str]) -> Iterator[VerificationReport]:
    """The reports of a folder, of one file, or of a review queue. A .json file that is no report is skipped and named."""
    if path.is_dir():
        files = sorted(path.rglob("*.json"))
        if not files:
            raise InputError("refdata.no_reports", f"{path} holds no .json file")
        for file in files:
            yield from _reports_of(file, skipped)
        return
    if _read_start(path).startswith(b"SQLite format 3\x00"):
        from medfence_guard.release.queue import ReviewQueue

        queue = ReviewQueue.open_existing(path)
        try:
            for entry in queue.list():
                request = queue.get(entry.request_id)
                if request is not None:
                    yield request._content.open().report
        finally:
            queue.close()
        return
    try:
        yield from_json(_read(path).decode("utf-8-sig").strip())
    except (MedfenceError, UnicodeDecodeError) as error:
        if isinstance(error, InputError) and error.code == "refdata.file":
            raise
        skipped.append(path.name)


def _read_start(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(16)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise InputError("refdata.file", f"{path} cannot be read ({reason})") from None


def read_csv(data: bytes, name: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The header and the numbered rows; the header is row 1."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("formulary.encoding", f"{name} is not UTF-8 (line {line}); save it as 'CSV UTF-8'") from None
    if "\x00" in text:
        raise InputError("formulary.encoding", f"{name} holds null characters; it is not a CSV file")
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise InputError("formulary.csv", f"{name} is not CSV ({error})") from None
    if not rows:
        raise InputError("formulary.csv", f"{name} is empty; its first row names the columns {', '.join(COLUMNS)}")
    return rows[0], list(enumerate(rows[1:], start=2))


def formulary_bytes(base: Opened, built: Extended, identifier: str, data: bytes, lexicon: Mapping[str, bytes]) -> tuple[bytes, bytes]:
    """`bundle.json` and `manifest.json` of the extended bundle, canonical: the same rows on the same base give the same bytes."""
    bundle = (canonical_json.dumps(packed(built.facts)) + "\n").encode("utf-8")
    manifest: dict[str, Any] = {
        "schema": MANIFEST_SCHEMA,
        "jurisdiction": built.facts["jurisdiction"],
        "edition": built.facts["edition"],
        "bundle_sha256": hashlib.sha256(bundle).hexdigest(),
        "bundle_bytes": len(bundle),
        "lexicon": {"folder": "lexicon", "sha256": {name: hashlib.sha256(text).hexdigest() for name, text in lexicon.items()}},
        "extends": {"edition": base.bundle.edition, "bundle_sha256": base.bundle.digest},
        "counts": {
            **(base.manifest or {}).get("counts", {}),
            identifier: {"read": built.accepted + built.merged, "accepted": built.accepted, "merged": built.merged, "rejected": 0},
        },
        "sources": [
            *(base.manifest or {}).get("sources", ()),
            {
                "id": identifier,
                "jurisdiction": built.facts["jurisdiction"],
                "locator": "row=<row of the CSV>",
                "sha256": hashlib.sha256(data).hexdigest(),
            },
        ],
    }
    return bundle, (json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode("utf-8")


# ---- commands -------------------------------------------------------------------------------------------------


def add_refdata_parser(subparsers: Subparsers) -> argparse.ArgumentParser:
    """Add `refdata` with its commands."""
    parser = subparsers.add_parser("refdata", help="verify, show, compare or extend the reference data")
    commands = parser.add_subparsers(dest="refdata_command", required=True, metavar="COMMAND")

    def add(name: str, told: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=told, description=told)

    bundle_told = "bundle folder, or the bundle.json in it; default: the one that comes with the package"
    shipped_told = "shipped reference data to use: in, us, or both as in,us; default: in"

    def jurisdiction(command: argparse.ArgumentParser, told: str = shipped_told) -> None:
        command.add_argument("--jurisdiction", metavar="CC", help=told)

    verify = add("verify", "check that a bundle is intact: digest, schema, jurisdiction, facts; exit 0 intact, 2 not")
    verify.add_argument(
        "bundle", type=Path, nargs="?", metavar="BUNDLE", help="bundle folder, or the bundle.json in it; default: those of the package"
    )
    jurisdiction(verify, "refuse a bundle for any other, such as in; default: the one its manifest names")
    show = add("show", "what the bundle knows about a name, and from which row of which list; exit 1 if it does not know it")
    show.add_argument("name", nargs="+", metavar="NAME", help="a molecule, a brand or a combination")
    show.add_argument("--bundle", type=Path, metavar="BUNDLE", help=bundle_told)
    jurisdiction(show)
    show.add_argument("--json", action="store_true", help="as JSON")
    diff = add("diff", "names, products and brands that two bundles do not share; exit 0 the same facts, 1 not")
    diff.add_argument("old", type=Path, metavar="A", help="bundle folder or file, or the code of a shipped one, such as us")
    diff.add_argument("new", type=Path, metavar="B", help="as A")
    diff.add_argument("--json", action="store_true", help="as JSON")
    gaps = add("gaps", "unknown names of reports or of a review queue, by count, as a CSV to fill in for `refdata import`")
    gaps.add_argument(
        "paths", type=Path, nargs="+", metavar="PATH", help="a folder of report .json files, one of them, or a queue's SQLite file"
    )
    gaps.add_argument("--bundle", type=Path, metavar="BUNDLE", help=f"leave out what this one knows; {bundle_told}")
    jurisdiction(gaps)
    imported = add("import", "add a hospital's own list (CSV) to a bundle; nothing is written unless every row can be used")
    imported.add_argument("csv", type=Path, metavar="CSV", help=f"columns: {', '.join(COLUMNS)}; the first four are needed")
    imported.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="rulepack folder to make; must not exist")
    imported.add_argument("--name", default="formulary", metavar="ID", help="what findings call the list; default: formulary")
    imported.add_argument(
        "--base", type=Path, metavar="FOLDER", help="rulepack folder to extend; default: the one that comes with the package"
    )
    jurisdiction(imported, "the shipped one to extend: in or us; default: in")
    return parser


def refdata_command(args: argparse.Namespace) -> int:
    """Run `refdata <command>`; 2 when a file or an argument cannot be used."""
    try:
        return _COMMANDS[args.refdata_command](args)
    except MedfenceError as error:
        return _refuse(error.diagnostics())


def _verify(args: argparse.Namespace) -> int:
    if args.bundle is not None:
        paths = [args.bundle]
    else:
        paths = [shipped_folder(code) for code in (shipped_jurisdictions() if args.jurisdiction is None else [args.jurisdiction])]
    lines = []
    for path in paths:
        opened = _open(path, args.jurisdiction)
        if opened.manifest is None:
            raise BundleError("bundle.manifest", "there is no manifest.json beside it, so its digest cannot be checked")
        folder = path if path.is_dir() else path.parent
        if "lexicon" in opened.manifest:
            Rulepack.load(folder)
        bundle = opened.bundle
        products = sum(len(rows) for rows in bundle.products.values())
        place = f"{bundle.edition}, jurisdiction {bundle.jurisdiction}"
        lines.append(f"intact: {place}, {SCHEMA}, {products} products, sha256 {bundle.digest}\n")
    _say("".join(lines))
    return 0


def _asked(args: argparse.Namespace) -> Bundle:
    """The bundle of --bundle, or the shipped ones of --jurisdiction as one."""
    if args.bundle is not None:
        return _open(args.bundle, args.jurisdiction).bundle
    codes = codes_of(args.jurisdiction.split(",") if args.jurisdiction is not None else "in")
    return union([_open(shipped_folder(code)).bundle for code in codes])


def _path_or_code(path: Path) -> Path:
    return shipped_folder(str(path)) if not path.exists() and str(path) in shipped_jurisdictions() else path


def _show(args: argparse.Namespace) -> int:
    bundle = _asked(args)
    said = describe(bundle, " ".join(args.name))
    _say(json.dumps(said, ensure_ascii=False, indent=2) + "\n" if args.json else _lines(description_text(said)))
    return 0 if said["found"] else NO


def _diff(args: argparse.Namespace) -> int:
    old, new = _open(_path_or_code(args.old)), _open(_path_or_code(args.new))
    found = difference(old.facts, new.facts)
    same = not any(changes for kinds in found.values() for changes in kinds.values())
    if args.json:
        heads = {side: {"edition": each.bundle.edition, "digest": each.bundle.digest} for side, each in (("old", old), ("new", new))}
        _say(json.dumps({**heads, "differences": found}, ensure_ascii=False, indent=2) + "\n")
    else:
        heads_text = "".join(f"{sign} {each.bundle.snapshot}\n" for sign, each in (("-", old), ("+", new)))
        _say(_lines(heads_text + difference_text(found)))
    for path, each in ((args.old, old), (args.new, new)):
        if each.manifest is None:
            _note(f"{path}: no manifest.json beside it, its digest was not checked")
    return 0 if same else NO


def _gaps(args: argparse.Namespace) -> int:
    bundle = _asked(args)
    skipped: list[str] = []
    gaps = gaps_of((report for path in args.paths for report in _reports_of(path, skipped)), bundle)
    if skipped:
        _note(f"not a report, skipped: {', '.join(skipped[:5])}{f' and {len(skipped) - 5} more' if len(skipped) > 5 else ''}")
    if not gaps.reports and skipped:
        raise InputError("refdata.no_reports", "no file there is a report as `verify --json` prints it")
    _say(gaps_csv(gaps))
    _note(
        f"{len(gaps.names)} unknown names in {gaps.reports} reports; left out: {gaps.known_by_now} known to this bundle, "
        f"{gaps.unread} not confirmed by their source"
    )
    return 0


def _import(args: argparse.Namespace) -> int:
    if len(args.name) > 40 or not IDENTIFIER.fullmatch(args.name):
        raise InputError(
            "formulary.name", "--name is lower-case letters, digits and single hyphens, at most 40, such as city-hospital-2026"
        )
    if args.out.exists():
        raise InputError("formulary.out", f"--out: {args.out} exists; give a folder that does not, nothing is overwritten")
    if args.base is None:
        folder = shipped_folder(args.jurisdiction or "in")
        rulepack = Rulepack.default(args.jurisdiction or "in")
    else:
        folder, rulepack = args.base, Rulepack.load(args.base)
        if args.jurisdiction not in (None, rulepack.jurisdiction):
            raise BundleError("bundle.jurisdiction", f"--base is for jurisdiction {rulepack.jurisdiction!r}, not {args.jurisdiction!r}")
    base = Opened(rulepack.bundle, _facts(_read(folder / "bundle.json")), json.loads(_read(folder / "manifest.json")))
    if args.name in {*base.bundle.editions, *base.facts.get("editions", ())}:
        raise InputError("formulary.name", f"--name: the bundle already has an edition {args.name}")
    data = _read(args.csv)
    header, rows = read_csv(data, args.csv.name)
    reading = read_rows(header, rows, base.bundle, rulepack.lexicon)
    if reading.problems:
        for problem in reading.problems:
            _note(f"{args.csv.name}: {problem}")
        count = len(reading.problems)
        return _refuse(f"formulary.rows: {count} problem{'' if count == 1 else 's'}, nothing was written")
    built = extended(base.facts, reading, args.name)
    where, _ = lexicon_of(folder, base.manifest or {})
    lexicon = {name: _read(where / f"{name}.json") for name in LEXICON_FILES}
    bundle, manifest = formulary_bytes(base, built, args.name, data, lexicon)
    made = Bundle.from_bytes(bundle, jurisdiction=base.bundle.jurisdiction)
    lost = [f"row {e.row}: {n}" for e in reading.entries for n in e.names if look_up(made, n)[0] is None]
    if lost:
        return _refuse(f"formulary.lost: a name would not be found again, nothing was written ({'; '.join(lost)})")
    files = {"bundle.json": bundle, "manifest.json": manifest}
    files.update({f"lexicon/{name}.json": data for name, data in lexicon.items()})
    _write_folder(args.out, files)
    for note in reading.notes:
        _note(note)
    _say(
        f"{built.accepted + built.merged} rows read: {built.accepted} added something, {built.merged} were known; "
        f"added {built.products} products, {built.names} names, {built.molecules} molecules\n"
        f"{built.facts['edition']} written; use it with: medfence-guard verify --rulepack {args.out} ...\n"
    )
    return 0


def _write_folder(out: Path, files: Mapping[str, bytes]) -> None:
    """All files or none: they are written beside the folder and moved there together."""
    partial: Path | None = None
    try:
        partial = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
        for name, data in files.items():
            (partial / name).parent.mkdir(exist_ok=True)
            (partial / name).write_bytes(data)
        partial.chmod(0o755)
        partial.rename(out)
    except OSError as error:
        if partial is not None:
            shutil.rmtree(partial, ignore_errors=True)
        raise InputError("formulary.out", f"--out: {out} cannot be written ({error.strerror})") from None


_COMMANDS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "verify": _verify,
    "show": _show,
    "diff": _diff,
    "gaps": _gaps,
    "import": _import,
}


def _lines(text: str) -> str:
    """Each line with what cannot be seen made visible; a name may come from anywhere."""
    return "".join(visible(line) + "\n" for line in text.splitlines())


def _say(text: str) -> None:
    sys.stdout.write(text)


def _note(text: str) -> None:
    sys.stderr.write(f"{visible(text)}\n")


def _refuse(sentence: str) -> int:
    sys.stderr.write(f"medfence-guard: {visible(sentence)}\n")
    return UNUSABLE
