"""LangChain: nothing a chain or an agent makes of a clinician's document leaves without a PASS or a person's recorded decision.

    from langchain_medfence import MedfenceGuard, GuardedChain            # extra `langchain`
    from langchain_medfence import MedfenceMiddleware, guard_tool         # the middleware: extra `agents`

Each name wraps `medfence_guard.Fence` and adds no judgement; every result is the `medfence_guard.Outcome`.
Importing this package imports no framework; using a name does.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langchain_medfence.agents import MedfenceMiddleware, assert_innermost
    from langchain_medfence.chain import GuardedChain
    from langchain_medfence.guard import MedfenceGuard
    from langchain_medfence.reading import ModelAnswer, normalise
    from langchain_medfence.result import MedfenceBlocked
    from langchain_medfence.schema import Medication, Prescription, Quantity
    from langchain_medfence.tools import context_source, guard_tool

__all__ = [
    "GuardedChain",
    "MedfenceBlocked",
    "MedfenceGuard",
    "MedfenceMiddleware",
    "Medication",
    "ModelAnswer",
    "Prescription",
    "Quantity",
    "assert_innermost",
    "context_source",
    "guard_tool",
    "normalise",
]

# name -> (module, what must be importable, the extra that brings it)
_WHERE = {
    "MedfenceMiddleware": ("agents", "langchain.agents", "agents"),
    "assert_innermost": ("agents", "langchain.agents", "agents"),
    "context_source": ("tools", "langchain_core", "langchain"),
    "guard_tool": ("tools", "langchain_core", "langchain"),
    "GuardedChain": ("chain", "langchain_core", "langchain"),
    "MedfenceGuard": ("guard", "langchain_core", "langchain"),
    "ModelAnswer": ("reading", "langchain_core", "langchain"),
    "normalise": ("reading", "langchain_core", "langchain"),
    "MedfenceBlocked": ("result", "langchain_core", "langchain"),
    "Medication": ("schema", "pydantic", "langchain"),
    "Prescription": ("schema", "pydantic", "langchain"),
    "Quantity": ("schema", "pydantic", "langchain"),
}


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, needed, extra = _WHERE[name]
    try:
        import_module(needed)
    except ImportError as error:
        raise ImportError(f'{__name__}.{name} needs {needed}: pip install "medfence-guard[{extra}]"') from error
    return getattr(import_module(f"{__name__}.{module}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
