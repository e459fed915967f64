"""How a finding names the place of a value in the payload."""

from __future__ import annotations

import json
import re
from typing import Final

_PLAIN_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_SHOWN_KEY_CHARACTERS: Final = 64


def shown_key(key: str) -> str:
    """The key as a JSON string of ASCII characters (so that invisible and foreign letters are drawn), cut when long."""
    return json.dumps(key if len(key) <= _SHOWN_KEY_CHARACTERS else key[:_SHOWN_KEY_CHARACTERS] + "...")


def child_path(path: str, key: str) -> str:
    """`$.a` + `b` -> `$.a.b`; a key that is no identifier is quoted, so `strength.value` cannot pass for a nested field."""
    return f"{path}.{key}" if _PLAIN_KEY.fullmatch(key) else f"{path}[{shown_key(key)}]"
