"""Who broke it decides the type.

A fault of the *model* is never an exception: it is a finding. These three are for everybody else.
Messages name what, where and what to do, and never carry source or payload text.
"""

from __future__ import annotations


class MedfenceError(Exception):
    """Base of the three; not raised itself."""

    code: str

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code

    def diagnostics(self) -> str:
        """The text for a person, without a traceback."""
        return f"{self.code}: {self.args[0]}"


class ContractError(MedfenceError):
    """The caller used the library wrongly."""


class InputError(MedfenceError):
    """A source document or a file cannot be used."""


class BundleError(MedfenceError):
    """A rulepack or reference bundle is missing, tampered with or for another jurisdiction."""
