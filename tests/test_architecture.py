"""What may import what, so that the trust boundary in the listing is a fact.

Everything `verify()` reaches is pure: it imports from an allowlist of the standard library and from the layers before it.
The rules are the tables below; the tests read the source with `ast`, so a planted import is found without running it.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "medfence_guard"

# Each layer may import itself and the ones before it. A trailing ".*" stands for every module of that folder, and of the folders in it,
# not named elsewhere; the innermost folder named counts.
PURE_LAYERS: tuple[tuple[str, ...], ...] = (
    ("errors", "look_alikes"),
    ("contract",),
    ("canonical_json", "aggregate"),
    ("reader", "reader.text", "reader.lexer", "reader.tables", "reader.lexicon", "reader.glued"),
    ("bundle",),
    ("bundle_file", "bundle_union"),
    ("reader.*",),
    ("artifacts",),
    ("payload.limits", "payload.paths"),
    ("payload.json_text",),
    ("payload.keys", "payload.plain"),
    ("payload.claims", "payload.unverified"),
    ("payload.findings",),
    ("payload.fields",),
    ("payload.*",),
    ("rulepack",),
    ("compare.judgement", "compare.wording", "attest", "confidence"),
    ("compare.quantities", "compare.rates", "compare.slots"),
    ("compare.doses", "compare.strengths"),
    ("compare.schedules", "compare.as_needed"),
    ("compare.*",),
    ("bind",),
    ("near",),
    ("formulary",),
    ("checks.check",),
    ("checks.grounding.wording",),
    ("checks.grounding.claimed", "checks.grounding.stated"),
    ("checks.grounding.ownership", "checks.grounding.firmness", "checks.grounding.components.*"),
    ("checks.grounding.components.others",),
    ("checks.*",),
    ("report",),
    ("verify",),
    ("html.visible", "html.values", "html.style", "html.images", "html.entries"),
    ("html.page",),
    ("html",),
)
EFFECT_LAYERS: tuple[tuple[str, ...], ...] = (
    ("sources",),
    ("release.*",),
    ("refdata_answers",),
    ("refdata_commands",),
    ("__init__",),
    ("cli",),
    ("__main__",),
)
LAYERS = PURE_LAYERS + EFFECT_LAYERS

# Nothing here reads a clock, a file, the environment, the locale or a random source.
# fmt: off
PURE_STDLIB = frozenset((
    "__future__", "abc", "base64", "bisect", "collections", "contextlib", "dataclasses", "decimal", "enum", "fractions", "functools",
    "hashlib", "heapq", "html", "itertools", "json", "math", "operator", "re", "string", "types", "typing",
))
# fmt: on

# Imports upward, inside a function: the types carry the convenience methods of the public interface, nothing more.
FACADE: dict[str, frozenset[str]] = {"contract": frozenset({"aggregate", "html", "report", "sources"})}

# Modules that are pure once loaded, but whose loading functions read files: what they may import beyond PURE_STDLIB, and why.
READS_FILES: dict[str, frozenset[str]] = {
    "contract": frozenset({"pathlib"}),  # the type of an argument
    "rulepack": frozenset({"importlib", "pathlib"}),  # default() and load() read the bundle and the lexicons, once
}

# Its tables differ between Python versions; canonical composition of the characters in our alphabets does not.
UNICODE_TABLES: dict[str, frozenset[str]] = {"reader.text": frozenset({"normalize"})}

# Builtins whose result depends on the process, or that reach outside it.
PROCESS_BUILTINS = frozenset(("open", "print", "input", "eval", "exec", "compile", "__import__", "hash", "globals", "locals"))


def modules() -> dict[str, Path]:
    """Dotted name below the package -> file; a package goes by its own name, the root by `__init__`."""
    found = {}
    for path in sorted(CORE.rglob("*.py")):
        parts = path.relative_to(CORE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)] = path
    return found


MODULES = modules()


def layer_of(module: str) -> int:
    parts = module.split(".")
    for spelled in (module, *(".".join(parts[:length]) + ".*" for length in range(len(parts), 0, -1))):
        for index, layer in enumerate(LAYERS):
            if spelled in layer:
                return index
    return len(LAYERS)  # nowhere: after everything, so that nothing may import it


PURE = [module for module in MODULES if layer_of(module) < len(PURE_LAYERS)]


def imports(tree: ast.AST, here: str) -> Iterator[tuple[str, int]]:
    """Every dotted name an import statement in `tree` may load, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{here}:{node.lineno}: write imports absolutely"
            for alias in node.names:
                yield f"{node.module}.{alias.name}", node.lineno


def own_module(dotted: str) -> str | None:
    """The module of ours that `medfence_guard.a.b` refers to: the longest known prefix; None for a foreign name."""
    parts = dotted.split(".")
    if parts[0] != "medfence_guard":
        return None
    for length in range(len(parts), 1, -1):
        if ".".join(parts[1:length]) in MODULES:
            return ".".join(parts[1:length])
    return "__init__"


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def test_every_module_stands_in_a_layer() -> None:
    """A new module is entered in LAYERS; whether it is pure is said there, not guessed."""
    assert [module for module in MODULES if layer_of(module) == len(LAYERS)] == []


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_its_own_layer_and_the_ones_before(module: str) -> None:
    wrong = []
    for dotted, line in imports(parsed(MODULES[module]), module):
        target = own_module(dotted)
        if target is None or target in FACADE.get(module, ()):
            continue
        if layer_of(target) > layer_of(module):
            wrong.append(f"{module}:{line} imports {target}")
    assert not wrong


@pytest.mark.parametrize("module", FACADE)
def test_an_upward_import_happens_inside_a_function(module: str) -> None:
    top_level = ast.Module([node for node in parsed(MODULES[module]).body if isinstance(node, ast.Import | ast.ImportFrom)], [])
    assert not {own_module(dotted) for dotted, _ in imports(top_level, module)} & FACADE[module]


@pytest.mark.parametrize("module", PURE)
def test_a_pure_module_imports_only_the_allowed_standard_library(module: str) -> None:
    allowed = PURE_STDLIB | READS_FILES.get(module, frozenset()) | ({"unicodedata"} if module in UNICODE_TABLES else set())
    foreign = {dotted.split(".")[0] for dotted, _ in imports(parsed(MODULES[module]), module)} - {"medfence_guard"}
    assert foreign <= allowed


@pytest.mark.parametrize("module", PURE)
def test_a_pure_module_calls_nothing_that_depends_on_the_process(module: str) -> None:
    called = {node.func.id for node in ast.walk(parsed(MODULES[module])) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not called & PROCESS_BUILTINS


@pytest.mark.parametrize("module", UNICODE_TABLES)
def test_a_pure_module_asks_unicode_tables_only_what_every_version_answers_alike(module: str) -> None:
    asked = {
        node.attr
        for node in ast.walk(parsed(MODULES[module]))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "unicodedata"
    }
    assert asked <= UNICODE_TABLES[module]


@pytest.mark.parametrize("module", MODULES)
def test_the_core_imports_the_standard_library_and_itself(module: str) -> None:
    """`medfence_refdata` is data found at run time; nothing of the core names an adapter or a framework."""
    roots = {dotted.split(".")[0] for dotted, _ in imports(parsed(MODULES[module]), module)}
    assert roots <= sys.stdlib_module_names | {"medfence_guard"} | ({"medfence_refdata"} if module == "rulepack" else set())


def test_module_level_imports_form_no_cycle() -> None:
    needs = {
        module: {
            target
            for node in parsed(path).body
            if isinstance(node, ast.Import | ast.ImportFrom)
            for dotted, _ in imports(ast.Module([node], []), module)
            if (target := own_module(dotted)) not in (None, module, "__init__")
        }
        for module, path in MODULES.items()
    }
    while ready := [module for module, targets in needs.items() if not targets]:
        for module in ready:
            del needs[module]
        for targets in needs.values():
            targets.difference_update(ready)
    assert not needs, f"these wait for each other: {sorted(needs)}"


def test_folders_that_are_not_packages_are_never_imported() -> None:
    """In an editable install the repository root is on the path, so `import adapters` would work here and not for users."""
    folders = {"adapters", "refdata", "examples", "tests", "benchmarks"}
    wrong = []
    for folder in ("medfence_guard", "adapters", "refdata", "examples"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            roots = {dotted.split(".")[0] for dotted, _ in imports(parsed(path), str(path))}
            wrong += [f"{path.relative_to(ROOT)} imports {root}" for root in roots & folders]
    assert not wrong


def test_adapters_use_public_names_only() -> None:
    import medfence_guard

    public = set(medfence_guard.__all__) | {"__version__"}
    used = {
        dotted
        for path in sorted((ROOT / "adapters").rglob("*.py"))
        for dotted, _ in imports(parsed(path), str(path))
        if dotted.split(".")[0] == "medfence_guard"
    }
    assert used
    assert used <= {f"medfence_guard.{name}" for name in public}


# Run apart, since an audit hook cannot be taken off again. With a rulepack in hand the very first call may do nothing but compute.
NO_INPUT_OUTPUT = """
import builtins, sys
from medfence_guard import Extraction, Rulepack, SourceDocument, verify

rulepack = Rulepack.default()
extraction = Extraction("prescription", '{"medications": [{"name": "Telma", "strength": "40 mg", "frequency": "OD"}]}')
source = SourceDocument("Rx\\n1. Tab Telma 40 mg OD x 30 days\\n")
forbidden = ("open", "import", "os.", "socket.", "subprocess.", "time.", "ctypes.", "shutil.", "tempfile.", "glob.", "sqlite3.")
armed = False

def refuse(event, arguments):
    if armed and event.startswith(forbidden):
        raise SystemExit(f"verify() caused the event {event}")

def blocked(*arguments, **options):
    raise SystemExit("verify() opened or imported something")

sys.addaudithook(refuse)
kept = builtins.open, builtins.__import__
builtins.open = builtins.__import__ = blocked
armed = True
report = verify(extraction, source, rulepack)
armed = False
builtins.open, builtins.__import__ = kept
print(report.overall.name)
"""


def test_verify_with_a_rulepack_in_hand_does_no_input_or_output() -> None:
    environment = {"PYTHONPATH": ":".join((str(ROOT), str(ROOT / "refdata"))), "PATH": ""}
    done = subprocess.run([sys.executable, "-c", NO_INPUT_OUTPUT], capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "PASS"), done.stderr
