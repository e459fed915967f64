"""A box for text that must not travel by accident.

Loggers, tracers and checkpointers walk attributes, `vars`, `asdict`, `repr` and pickles. A sealed value is in none
of them; only `open()` yields it. This stops accidents, not a determined reader inside the same process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NoReturn, TypeVar

from medfence_guard.errors import ContractError

T = TypeVar("T")


class Sealed(Generic[T]):
    """Holds one value that only `open()` returns."""

    __slots__ = ("_open",)

    def __init__(self, value: T) -> None:
        self._open: Callable[[], T] = lambda: value

    def open(self) -> T:
        """The value itself."""
        return self._open()

    def __repr__(self) -> str:
        return "<sealed>"

    def __copy__(self) -> Sealed[T]:
        return self

    def __deepcopy__(self, _memo: object) -> Sealed[T]:
        return self

    def __reduce__(self) -> NoReturn:
        raise ContractError("release.sealed", "health data is not pickled; a ReviewQueue in a file carries it between processes")
