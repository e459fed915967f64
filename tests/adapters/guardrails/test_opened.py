"""Each test of the register can fail: with the fence opened on purpose, every one of them does. And the register is complete."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
REGISTER = Path(__file__).with_name("test_failopen.py")


def test_every_test_of_the_register_fails_when_the_fence_is_open():
    """Under Guardrails' default engine; the tests themselves run under each."""
    paths = [str(ROOT / folder) for folder in (".", "adapters", "refdata", "tests")]
    # Plain assertions: nobody reads why one fails here, and explaining it takes longer than the test.
    options = ["--assert=plain", "-p", "adapters.guardrails.opened", "-q", "-rA", "--tb=no"]
    options += ["-k", "not sequential and not async_guard and not guard]"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "-p", "no:cacheprovider", str(REGISTER)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "MEDFENCE_REQUIRE_ALL": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    results = re.findall(r"^(PASSED|FAILED|ERROR) \S*::(test_\w+\S*)", done.stdout, re.MULTILINE)
    assert [name for result, name in results if result != "FAILED"] == [], done.stdout
    assert {name.partition("[")[0] for _, name in results} == set(names_in_the_register())


def names_in_the_register():
    return re.findall(r"^def (test_\w+)", REGISTER.read_text("utf-8"), re.MULTILINE)


def test_every_row_of_the_register_has_a_test_and_every_test_a_row():
    rows = re.findall(r"^\| F(\d+) \|", (ROOT / "docs" / "guardrails.md").read_text("utf-8"), re.MULTILINE)
    assert rows == [str(number) for number in range(1, 36)]
    assert {int(found[1]) for name in names_in_the_register() if (found := re.match(r"test_f(\d\d)_", name))} == set(map(int, rows))
