"""Each test of the register can fail: with the fence opened on purpose, every one of them does. And the register is complete."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("langchain_core")


ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).parent
FILES = ["test_failopen_chains.py", *(["test_failopen_agents.py"] if importlib.util.find_spec("langchain") else [])]

# What they look at is no run of the fence.
OF_THE_TEXT = {"test_failopen_36_no_assertion_enforces_anything"}
# Fails when LangChain is mended, whatever we do.
CANARY = {"test_failopen_01_canary_langchain_itself_runs_a_cut_off_tool_call"}


def test_every_test_of_the_register_fails_when_the_fence_is_open():
    paths = [str(ROOT / folder) for folder in (".", "adapters", "refdata", "tests")]
    # Plain assertions: nobody reads why one fails here, and explaining it takes longer than the test.
    options = [
        "--assert=plain",
        "-p",
        "adapters.langchain.opened",
        "-k",
        "(failopen_0 or failopen_1 or failopen_2 or failopen_3) and not canary",
        "-q",
        "-rA",
        "--tb=no",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *(str(HERE / name) for name in FILES)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    results = re.findall(r"^(PASSED|FAILED|ERROR) .*::(test_failopen_\d\d\w+)", done.stdout, re.MULTILINE)
    assert {name for result, name in results if result == "FAILED"} >= {name for _, name in results} - OF_THE_TEXT, done.stdout
    assert {name for result, name in results if result == "PASSED"} <= OF_THE_TEXT
    assert {name for _, name in results} == set(names_in(FILES)) - CANARY


def names_in(files):
    return [name for file in files for name in re.findall(r"^def (test_failopen_\d\d\w+)", (HERE / file).read_text("utf-8"), re.MULTILINE)]


def test_every_row_of_the_register_has_a_test_and_every_test_a_row():
    rows = re.findall(r"^\| (\d+) \|", (ROOT / "docs" / "langchain.md").read_text("utf-8"), re.MULTILINE)
    assert rows == [str(number) for number in range(1, len(rows) + 1)]
    tested = {int(name[len("test_failopen_") :][:2]) for name in names_in(["test_failopen_chains.py", "test_failopen_agents.py"])}
    assert tested == set(map(int, rows))


def alone(code):
    paths = [str(ROOT), str(ROOT / "adapters"), str(ROOT / "refdata")]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("package", ["medfence_guard", "langchain_medfence"])
def test_importing_the_package_imports_no_framework(package):
    roots = set(alone(f"import sys, {package}\nprint(*{{name.split('.')[0] for name in sys.modules}})"))
    assert not roots & {"langchain", "langchain_core", "langgraph", "pydantic", "openai"}


def test_using_the_runnables_imports_no_agents():
    roots = set(
        alone("import sys, langchain_medfence as m\nm.GuardedChain, m.MedfenceGuard\nprint(*{n.split('.')[0] for n in sys.modules})")
    )
    assert not roots & {"langchain", "langgraph", "openai"}


@pytest.mark.parametrize(
    ("name", "missing", "extra"), [("GuardedChain", "langchain_core", "langchain"), ("MedfenceMiddleware", "langchain", "agents")]
)
def test_a_missing_framework_is_told_with_its_extra(name, missing, extra):
    code = f"""
import sys
sys.modules[{missing!r}] = None
try:
    from langchain_medfence import {name}
except ImportError as error:
    print(error)
"""
    assert f'"medfence-guard[{extra}]"' in " ".join(alone(code))


def test_every_public_name_is_there():
    import langchain_medfence

    if importlib.util.find_spec("langchain"):
        assert all(getattr(langchain_medfence, name) for name in langchain_medfence.__all__)
    assert set(langchain_medfence._WHERE) == set(langchain_medfence.__all__)
    with pytest.raises(AttributeError):
        _ = langchain_medfence.nothing
