"""Mutation testing of the core: `python -m benchmarks.mutation [--modules NAME ..] [--survivors FILE ..] [--jobs N] [--json FILE]`.

The mutants are cosmic-ray's. All of them would take days, so a sample is judged, and how it is drawn is part of the result:

1. A site is one place in a module with all that one family of operators can make of it (a comparison has up to six mutants, a number two).
   Sites, not mutants, are sampled, else comparisons would be most of it. Left out are annotations, which nothing evaluates, and an
   `is` for an `==` or the reverse, which asks what CPython interned.
2. Sites and mutants are ranked by a hash of the seed, the module and the changed line. The first so many of a module are its sample: a
   change of one function leaves the sample of the others alone. Each module is a stratum with its own number; a
   folder of modules is one as well.
3. A mutant is judged in a fork that imports its module, and what depends on it, anew: first by the vector rows and golden documents
   that run through the changed line when nothing is changed (`ROWS` of them at most), by what `tests/checks/test_vectors.py` asks of
   them; then by the module's own tests. The first failure ends it. The rows' recorded reports, a snapshot of what was, are asked last:
   what they kill nothing else here did. The whole suite has more rows and more tests, so a survivor here may still be killed there.

A survivor that no input can tell from the original is entered in `mutation_equivalent.json` with the reason, by a person, and does not
count. A mutant that runs out of processor time, or waits for ever, is killed: every test would notice.
"""

from __future__ import annotations

import argparse
import ast
import collections
import datetime as dt
import functools
import gc
import hashlib
import importlib
import importlib.abc
import importlib.util
import json
import math
import os
import resource
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / folder) for folder in (".", "adapters", "refdata", "tests")]

CORE = ROOT / "medfence_guard"
EQUIVALENT = ROOT / "benchmarks" / "mutation_equivalent.json"
SEED = 27644
DRAWN = (
    "The tests were written with the survivors of samples of other seeds before them; this seed was chosen before any of its mutants was"
    " judged, and of its survivors nothing was read but for whether they are equivalent."
    " Before that, 88.5 % of the sample, and 86.9 % weighted by sites, were noticed."
)
"""How the seed came to be: say it anew with a new one. A sample whose survivors were read, and tests written against them, flatters."""
ROWS = 400
SECONDS = 45
"""Of processor time; the slowest judgement of an unchanged module takes about a third."""
WAITED = 600
"""Seconds of the clock: a mutant that waits for what never comes takes no processor time."""


@dataclass(frozen=True, slots=True)
class Target:
    """One stratum: `sample` sites of `module`, or of all files of that folder, judged by rows (unless `rows` is false) and by `tests`."""

    module: str
    sample: int
    tests: tuple[str, ...]
    rows: bool = True

    @property
    def files(self) -> dict[str, Path]:
        """Dotted name below `medfence_guard` -> file; the `__init__` of a folder goes by the folder's name."""
        place = CORE.joinpath(*self.module.split("."))
        if not place.is_dir():
            return {self.module: place.with_suffix(".py")}
        return {
            ".".join(path.relative_to(CORE).with_suffix("").parts).removesuffix(".__init__"): path for path in sorted(place.rglob("*.py"))
        }


_RULES = ("tests/checks/test_comparisons.py", "tests/checks/test_rules.py", "tests/checks/test_values.py")
_CHECKS = (*_RULES, "tests/checks/test_records.py", "tests/checks/test_source_checks.py")
_CHUNKS = ("tests/core/test_chunks.py", "tests/core/test_phrases.py", "tests/core/test_glued.py")
TARGETS = (
    Target("reader.lexer", 24, ("tests/core/test_lexer.py", "tests/core/test_kept_values.py", *_CHUNKS)),
    Target("reader.chunks", 60, (*_CHUNKS, *_RULES)),
    Target("reader.roles", 60, ("tests/core/test_roles.py", *_RULES)),
    Target("compare", 60, (*_RULES, "tests/core/test_wording.py")),
    Target("bind", 30, ("tests/core/test_bind.py",)),
    Target("checks.check", 8, _CHECKS),
    Target("checks.source", 12, _CHECKS),
    Target("checks.reference", 14, _CHECKS),
    Target("checks.assertion", 20, _CHECKS),
    Target("checks.completeness", 20, ("tests/checks/test_completeness.py", *_CHECKS)),
    Target("checks.grounding", 70, (*_CHECKS, *(f"tests/checks/test_{name}.py" for name in ("said_besides", "document_keys", "items")))),
    Target("aggregate", 12, ("tests/core/test_aggregate.py",)),
    Target(
        "release.fence",
        24,
        tuple(f"tests/release/test_{name}.py" for name in ("handler_table", "outcome_machine", "fence", "leaks", "queue")),
        rows=False,
    ),
)
NOT_HERE = "not readme"
"""Tests that start a process of their own, which would import the unchanged module."""


# --- the mutants ------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mutant:
    """`before` and `after` are the changed lines, stripped; `line` is the first of them; `source` the whole changed module."""

    module: str
    path: Path
    operator: str
    line: int
    before: str
    after: str
    source: str

    @property
    def full(self) -> str:
        return "medfence_guard." + self.module

    @property
    def identity(self) -> tuple[str, str, str]:
        return self.module, self.before, self.after


_FAMILY = ("ReplaceBinaryOperator", "ReplaceComparisonOperator", "ReplaceUnaryOperator")


def _family(operator: str) -> str:
    return next((family for family in _FAMILY if operator.startswith(family)), operator)


def _asks_identity(operator: str) -> bool:
    """An `is` for an `==`, or the reverse."""
    changed = operator.removeprefix("ReplaceComparisonOperator")
    return changed != operator and any("Is" in part for part in changed.split("_")) and any("Eq" in part for part in changed.split("_"))


def _operators() -> dict[str, Any]:
    """Name -> operator, of all of cosmic-ray's that need no argument."""
    from cosmic_ray.operators.provider import OperatorProvider

    provider = OperatorProvider()
    return {name: provider[name]() for name in provider if not tuple(provider[name].arguments()) and not _asks_identity(name)}


def _signatures(tree: ast.Module) -> set[int]:
    """Lines of the heads of functions; the bare star there is no multiplication."""
    heads = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {line for node in heads for line in range(node.lineno, node.body[0].lineno)}


def _annotations(tree: ast.Module) -> set[tuple[int, int]]:
    """Line and column of every node that stands in an annotation."""
    roots: list[ast.expr | None] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign | ast.arg):
            roots.append(node.annotation)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            roots.append(node.returns)
    spans = set()
    for root in roots:
        if root is not None:
            assert root.end_lineno is not None
            assert root.end_col_offset is not None
            spans |= {(line, column) for line in range(root.lineno, root.end_lineno + 1) for column in _columns(root, line)}
    return spans


def _columns(node: ast.expr, line: int) -> range:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    first = node.col_offset if line == node.lineno else 0
    return range(first, node.end_col_offset + 1 if line == node.end_lineno else 400)


def sites(path: Path) -> dict[tuple[int, int, str], list[tuple[str, int, int, int]]]:
    """Line, column and family -> its mutants, each as operator, first and last line of its top-level statement, and occurrence there.

    Cosmic-ray is given one statement of the module at a time, which changes nothing but the time it takes.
    """
    from cosmic_ray.ast import ast_nodes, get_ast

    source = path.read_text("utf-8")
    lines = source.splitlines(keepends=True)
    tree = ast.parse(source)
    annotated, heads = _annotations(tree), _signatures(tree)
    operators = _operators()
    found: dict[tuple[int, int, str], list[tuple[str, int, int, int]]] = collections.defaultdict(list)
    for statement in tree.body:
        first = min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", ()))])
        assert statement.end_lineno is not None
        last = statement.end_lineno
        nodes = list(ast_nodes(get_ast("".join(lines[first - 1 : last]))))
        for name, operator in operators.items():
            places = [start for node in nodes for start, _ in operator.mutation_positions(node)]
            for occurrence, (line, column) in enumerate(places):
                marker = first + line - 1 in heads and _family(name) == "ReplaceBinaryOperator"
                if not marker and (first + line - 1, column) not in annotated:
                    found[first + line - 1, column, _family(name)].append((name, first, last, occurrence))
    return found


def _changed(before: str, after: str) -> tuple[int, str, str]:
    """Offset of the first changed line, and the changed lines of both, stripped."""
    old, new = before.splitlines(), after.splitlines()
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    was, now = (" ".join(line.strip() for line in part[head : len(part) - tail]) for part in (old, new))
    return head, was, now


def _rank(*words: object) -> bytes:
    return hashlib.sha256("\x1f".join(map(str, (SEED, *words))).encode()).digest()


def sample(target: Target) -> tuple[int, int, list[Mutant]]:
    """How many sites and mutants the stratum has, and the sample: one mutant of each of the sites that rank first."""
    from cosmic_ray.mutating import mutate_code

    operators = _operators()
    sources = {module: path.read_text("utf-8") for module, path in target.files.items()}
    found = {(module, *place): kinds for module, path in target.files.items() for place, kinds in sites(path).items()}
    seen: collections.Counter[tuple[str, str]] = collections.Counter()
    ranked = []
    for place in sorted(found):
        module, number, _, family = place
        line = sources[module].splitlines()[number - 1].strip()
        seen[line, family] += 1  # the same line twice in a stratum, or two such sites on one line
        ranked.append((_rank(target.module, line, family, seen[line, family]), place))
    mutants: list[Mutant] = []
    for rank, place in sorted(ranked):
        if len(mutants) == target.sample:
            break
        module = place[0]
        source = sources[module]
        lines = source.splitlines(keepends=True)
        for name, first, last, occurrence in sorted(found[place], key=lambda one: _rank(rank, *one[:1], one[3])):
            statement = "".join(lines[first - 1 : last])
            mutated = mutate_code(statement, operators[name], occurrence)
            changed = "".join(lines[: first - 1]) + mutated + "".join(lines[last:])
            try:
                if ast.dump(ast.parse(changed)) == ast.dump(ast.parse(source)):
                    continue
            except SyntaxError:
                continue  # a tool's mistake is nobody's kill
            offset, before, after = _changed(statement, mutated)
            mutants.append(Mutant(module, target.files[module], name, first + offset, before, after, changed))
            break
    return len(found), sum(map(len, found.values())), mutants


# --- the judge --------------------------------------------------------------------------------------------------------------------


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Imports one module from its changed source."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(self, fullname: str, path: object, target: ModuleType | None = None) -> ModuleSpec | None:  # noqa: ARG002
        if fullname != self.mutant.full:
            return None
        folder = self.mutant.path.parent if self.mutant.path.stem == "__init__" else None
        spec = importlib.util.spec_from_loader(fullname, self, origin=str(self.mutant.path), is_package=folder is not None)
        if spec is not None:
            spec.has_location = True
            if folder is not None:
                spec.submodule_search_locations = [str(folder)]
        return spec

    def get_source(self, fullname: str) -> str:  # noqa: ARG002
        return self.mutant.source

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002
        return compile(self.mutant.source, str(self.mutant.path), "exec")


@functools.cache
def _imported_by(module: str) -> set[str]:
    """What has to be imported anew when `module` changes: itself and whatever imports it, however far away."""
    imports = {}
    for path in (ROOT / "medfence_guard").rglob("*.py"):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        nodes = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ImportFrom) and node.module]
        imports[name] = {f"{node.module}{part}" for node in nodes for part in ("", *(f".{one.name}" for one in node.names))}
    reached = {module}
    while more := {name for name, wants in imports.items() if wants & reached} - reached:
        reached |= more
    return reached


def _forget(mutant: Mutant) -> None:
    for name in _imported_by(mutant.full):
        module = sys.modules.pop(name, None)
        parent, _, short = name.rpartition(".")
        if module is not None and parent in sys.modules and hasattr(sys.modules[parent], short):
            delattr(sys.modules[parent], short)
    # whatever holds on to it: helpers of the tests, the adapters, the benchmarks
    for name in list(sys.modules):
        if name.split(".")[0] in {"vector_rows", "tests", "prescriptions", "conftest"}:
            del sys.modules[name]


def rows_to_judge() -> list[dict[str, Any]]:
    """Every vector row, and the golden documents as rows."""
    from tests import vector_rows

    files = [*sorted((ROOT / "tests" / "checks" / "vectors").glob("*.jsonl"))]
    files += [ROOT / "tests" / "core" / "vectors" / f"{name}.jsonl" for name in ("adversarial", "hard_lines")]
    rows = [row for file in files for row in vector_rows.read(file) if "known" not in row]
    for file in sorted((ROOT / "tests" / "golden" / "opd").glob("*.json")):
        document = json.loads(file.read_text("utf-8"))
        base = {"kind": "prescription", "source_text": document["source"], "source": {"modality": "text"}, "why": "the golden gate"}
        seeded = {name: ("FAIL", one["payload"]) for name, one in document["faults"].items()}
        for name, (verdict, payload) in {"clean": ("PASS", document["clean"]), **seeded}.items():
            others = [other for other in ("PASS", "FAIL", "ABSTAIN") if other != verdict]
            expected = {"verdict": verdict, "accept": [verdict], "must_not": others, "fields": {}}
            rows.append({"id": f"golden {file.stem} {name}", **base, "payload": payload, "expected": expected})
    return rows


Lines = dict[str, set[int]]


def lines_run(rows: Sequence[dict[str, Any]]) -> list[Lines]:
    """For each row, which lines of which target file it runs through; the row has to hold, or judging by it means nothing."""
    from tests import vector_rows

    files = {str(path): module for target in TARGETS for module, path in target.files.items()}
    seen: list[tuple[str, int]] = []
    monitoring: Any = vars(sys)["monitoring"]  # not there before 3.12

    def line(code: CodeType, number: int) -> object:
        if code.co_filename in files:
            seen.append((files[code.co_filename], number))
        return monitoring.DISABLE

    tool = monitoring.COVERAGE_ID
    monitoring.use_tool_id(tool, "mutation")
    monitoring.register_callback(tool, monitoring.events.LINE, line)
    found = []
    for row in rows:
        seen.clear()
        monitoring.set_events(tool, monitoring.events.LINE)
        monitoring.restart_events()
        report = vector_rows.report_of(row)
        monitoring.set_events(tool, 0)
        vector_rows.check(row, report)
        if missed := vector_rows.missed_fields(row, report):
            raise SystemExit(f"fails unchanged: {missed}")
        lines: Lines = collections.defaultdict(set)
        for module, number in seen:
            lines[module].add(number)
        found.append(lines)
    monitoring.free_tool_id(tool)
    return found


def _statement(source: str, line: int) -> tuple[range, bool]:
    """The lines of the smallest statement around a line (of its head, if it has a body), and whether a call runs it, not the import."""
    best, inside = range(line, line + 1), False
    width = math.inf
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt):
            assert node.end_lineno is not None
            last = node.end_lineno
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.body[0].lineno <= line <= last:
                inside = True
            if body := getattr(node, "body", None):
                last = max(node.lineno, min(last, body[0].lineno - 1))
            if node.lineno <= line <= last and last - node.lineno < width:
                best, width = range(node.lineno, last + 1), last - node.lineno
    return best, inside


def chosen_rows(mutant: Mutant, original: str, rows: Sequence[dict[str, Any]], lines: Sequence[Lines]) -> tuple[list[int], int]:
    """The rows that run through the changed line, at most ROWS, and of how many; for what runs at import, any rows through the module.

    Half of them are those that run through the rarest lines of the module beside, the other half any.
    """
    span, inside = _statement(original, mutant.line)

    def through(wanted: Iterable[int]) -> list[int]:
        return [n for n, run in enumerate(lines) if not run[mutant.module].isdisjoint(wanted)]

    if inside:
        found = through([mutant.line]) or through(span)
    else:
        found = [n for n, run in enumerate(lines) if run[mutant.module]]
    often = collections.Counter(number for run in lines for number in run[mutant.module])
    rich = sorted(found, key=lambda n: (-sum(1 / often[number] for number in lines[n][mutant.module]), n))[: ROWS // 2]
    rest = sorted(set(found) - set(rich), key=lambda n: _rank(rows[n]["id"]))
    return [*rich, *rest][:ROWS], len(found)


def _judge(target: Target, mutant: Mutant, rows: Sequence[dict[str, Any]]) -> str:
    """Runs in the fork. What failed first, or "" if nothing did; `record` if only a recorded report differs."""
    _forget(mutant)
    sys.meta_path.insert(0, _Changed(mutant))
    try:
        from tests import recorded, vector_rows

        record = recorded.recorded()
        differs = False
        for row in rows:
            report = vector_rows.report_of(row)
            vector_rows.check(row, report)
            assert not vector_rows.missed_fields(row, report), row["id"]
            differs = differs or (row["id"] in record and vector_rows.fingerprint(report) != record[row["id"]])
    except Exception as error:  # noqa: BLE001 - a row that crashes is a row that fails
        return f"row: {type(error).__name__}: {str(error)[:80]}"
    import pytest

    files = [str(ROOT / file) for file in target.tests]
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    code = pytest.main(["-x", "-q", "-p", "no:cacheprovider", "--rootdir", str(ROOT), "-k", NOT_HERE, *files])
    if code != pytest.ExitCode.OK:
        return "tests"
    return "record" if differs else ""


def _forked(target: Target, mutant: Mutant, rows: Sequence[dict[str, Any]]) -> tuple[int, int]:
    """Process and the end of the pipe its answer will come from."""
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        return child, reader
    answer = "broken: "
    try:
        os.close(reader)
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(WAITED)
        answer = _judge(target, mutant, rows)
    except BaseException as error:  # noqa: BLE001 - whatever a mutant throws, it is dead
        answer = f"raised {type(error).__name__}"
    finally:
        os.write(writer, answer.encode()[:400])
        os._exit(0)


def _answer(child: int, reader: int) -> str:
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    return f"timeout {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else said


# --- the run ----------------------------------------------------------------------------------------------------------------------


def wilson(seen: int, of: int) -> tuple[float, float]:
    """The two-sided 95 % interval of a share."""
    if not of:
        return 0.0, 1.0
    z, rate = 1.96, seen / of
    middle, spread = rate + z * z / (2 * of), z * math.sqrt(rate * (1 - rate) / of + z * z / (4 * of * of))
    return (middle - spread) / (1 + z * z / of), (middle + spread) / (1 + z * z / of)


def told_equivalent() -> dict[tuple[str, str, str], str]:
    """Module, before and after -> reason."""
    return {(one["module"], one["before"], one["after"]): one["reason"] for one in json.loads(EQUIVALENT.read_text("utf-8"))}


_SAID = {"timeout": "timeout", "rows": "row: ", "record": "record"}
KILLED_BEFORE = "killed before"
COUNTS = {"rows": "by_rows", "record": "by_record", "tests": "by_tests", "timeout": "timeout"}


def digest(module: str) -> str:
    [target] = (target for target in TARGETS if target.module == module)
    return hashlib.sha256(b"".join(path.read_bytes() for path in target.files.values())).hexdigest()[:16]


def judged(
    targets: Sequence[Target], jobs: int, before: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[Target, int, int, list[tuple[Mutant, str, int, int]]]]:
    """For each target its sites, its mutants, and `(mutant, answer, rows it had, rows there were)` of each sampled.

    `before`: the rows of earlier results; of a module that has one, only the survivors are judged.
    """
    reasons = told_equivalent()
    rows = rows_to_judge()
    started = time.perf_counter()
    lines = lines_run(rows)
    print(f"{len(rows)} rows hold on the unchanged code ({time.perf_counter() - started:.0f} s)", flush=True)
    importlib.import_module("pytest")
    gc.freeze()  # the forks share what is there
    for target in targets:
        originals = {module: path.read_text("utf-8") for module, path in target.files.items()}
        for module in originals:
            _imported_by(f"medfence_guard.{module}")  # kept, for the forks
        module, path = next(iter(target.files.items()))
        unchanged = Mutant(module, path, "none", 1, "", "", originals[module])  # imported anew like every other
        if said := _answer(*_forked(target, unchanged, rows[:5] if target.rows else ())):
            raise SystemExit(f"{target.module}: its tests fail on the unchanged code: {said}")
        survived = None
        if target.module in before:
            known = before[target.module]["survivors"]
            survived = {(one.get("module", target.module), one["line"], one["before"], one["after"]) for one in known}
        places, total, mutants = sample(target)
        answers: list[tuple[Mutant, str, int, int]] = []
        running: collections.deque[tuple[Mutant, int, int, int, int]] = collections.deque()
        for mutant in [*mutants, None]:
            if mutant is None or len(running) == jobs:
                while running and (mutant is None or len(running) == jobs):
                    first, child, reader, had, of = running.popleft()
                    answers.append((first, _answer(child, reader), had, of))
            if mutant is None:
                break
            if mutant.identity in reasons:
                answers.append((mutant, "", 0, 0))
            elif survived is None or (mutant.module, mutant.line, mutant.before, mutant.after) in survived:
                numbers, of = chosen_rows(mutant, originals[mutant.module], rows, lines) if target.rows else ([], 0)
                running.append((mutant, *_forked(target, mutant, [rows[n] for n in numbers]), len(numbers), of))
            else:
                answers.append((mutant, KILLED_BEFORE, 0, 0))
        yield target, places, total, answers


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modules", nargs="+", metavar="NAME", help="only these")
    parser.add_argument(
        "--survivors", nargs="+", type=Path, default=[], metavar="FILE", help="judge again only what survived in these results"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="mutants at a time (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the result there")
    parser.add_argument("--date", default=dt.datetime.now(tz=dt.UTC).date().isoformat(), help="the day written into the result")
    options = parser.parse_args()
    os.environ["CI"] = "1"  # the same Hypothesis examples for every mutant
    if sys.version_info < (3, 12):
        raise SystemExit("needs Python 3.12: which rows run through a line is asked of sys.monitoring")

    told = [row for file in options.survivors for row in json.loads(file.read_text("utf-8"))["modules"]]
    before = {row["module"]: row for row in told if row["digest"] == digest(row["module"])}  # a changed module is judged anew
    print(f"seed {SEED}")
    reasons = told_equivalent()
    modules = []
    targets = [target for target in TARGETS if not options.modules or target.module in options.modules]
    for target, places, total, answers in judged(targets, options.jobs, before):
        how: collections.Counter[str] = collections.Counter()
        if target.module in before:
            how.update({name: before[target.module].get(key, 0) for name, key in COUNTS.items()})
        survivors = []
        equivalent = []
        for mutant, said, had, of in answers:
            shown = {"operator": mutant.operator, "line": mutant.line, "before": mutant.before, "after": mutant.after}
            if mutant.module != target.module:
                shown = {"module": mutant.module, **shown}
            if mutant.identity in reasons:
                equivalent.append({**shown, "reason": reasons[mutant.identity]})
            elif said == KILLED_BEFORE:
                continue
            elif not said:
                survivors.append({**shown, "rows": had, "of": of})
                print(f"  {mutant.module}:{mutant.line} {mutant.operator} (rows {had} of {of})")
                print(f"    - {mutant.before}\n    + {mutant.after}")
            else:
                how[next((kind for kind, begins in _SAID.items() if said.startswith(begins)), "tests")] += 1
        killed = sum(how.values())
        counted = killed + len(survivors)
        low, high = wilson(killed, counted)
        row: dict[str, Any] = {
            "module": target.module,
            "digest": digest(target.module),
            "sites": places,
            "mutants": total,
            "sampled": len(answers),
            "killed": killed,
            "by_rows": how["rows"],
            "by_record": how["record"],
            "by_tests": how["tests"],
            "timeout": how["timeout"],
            "survived": len(survivors),
            "equivalent": len(equivalent),
            "score": round(100 * killed / counted, 1) if counted else None,
            "interval": [round(100 * low, 1), round(100 * high, 1)],
            "survivors": survivors,
            "judged_equivalent": equivalent,
        }
        modules.append(row)
        print(
            f"{target.module:22}{places:5} sites {total:5} mutants, {len(answers):3} sampled: killed {killed} (rows {how['rows']},"
            f" record {how['record']}, tests {how['tests']}, timeout {how['timeout']}), survived {len(survivors)},"
            f" equivalent {len(equivalent)}; score {row['score']} % ({row['interval'][0]}-{row['interval'][1]})",
            flush=True,
        )
    result = {
        "command": "python -m benchmarks.mutation",
        "date": options.date,
        "seed": SEED,
        "drawn": DRAWN,
        "rows": ROWS,
        "records_last": True,
        "modules": modules,
        "total": total_of(modules),
    }
    print("total: {score} % of the sample, {weighted} % weighted by sites ({interval[0]}-{interval[1]})".format(**result["total"]))
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return 0


def total_of(modules: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The score of the sample, and of all sites: the modules' scores weighted by their sites, with the interval of a stratified sample."""
    killed, survived = (sum(row[key] for row in modules) for key in ("killed", "survived"))
    sites_of_all = sum(row["sites"] for row in modules)
    rate = spread = 0.0
    for row in modules:
        counted = row["killed"] + row["survived"]
        if counted:
            share, weight = row["killed"] / counted, row["sites"] / sites_of_all
            rate += weight * share
            smoothed = (row["killed"] + 1) / (counted + 2)  # a stratum without a survivor is not certain
            spread += weight**2 * smoothed * (1 - smoothed) / counted
    half = 1.96 * math.sqrt(spread)
    return {
        "killed": killed,
        "survived": survived,
        "score": round(100 * killed / (killed + survived), 1) if killed + survived else None,
        "weighted": round(100 * rate, 1),
        "interval": [round(100 * max(0.0, rate - half), 1), round(100 * min(1.0, rate + half), 1)],
    }


if __name__ == "__main__":
    sys.exit(main())
