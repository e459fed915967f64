"""Which paths a deployer may leave unverified."""

from __future__ import annotations

import json
import re
from typing import Final

from medfence_guard.artifacts import ArtifactType
from medfence_guard.errors import ContractError
from medfence_guard.payload.keys import AliasTable, fold_key
from medfence_guard.payload.paths import child_path

_STEP: Final = re.compile(r'\.([A-Za-z_][A-Za-z0-9_]*)|\[(0|[1-9][0-9]{0,5})\]|\[("(?:[^"\\]|\\.)*")\]')


def _steps(path: str) -> list[str | int]:
    steps: list[str | int] = []
    at = 1
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            message = 'an unverified path must be exact, as in $.vitals or $["blood group"]; wildcards are refused'
            raise ContractError("contract.unverified_path", message)
        name, number, quoted = found.groups()
        try:
            steps.append(int(number) if number is not None else name if name is not None else str(json.loads(quoted)))
        except ValueError:
            raise ContractError("contract.unverified_path", "a quoted key of an unverified path is not a JSON string") from None
        at = found.end()
    return steps


def check_unverified_path(path: str, artifact: ArtifactType, aliases: AliasTable) -> None:
    """Refuse (ContractError) a path that could hide a clinical claim (P19).

    Allowed: one exact path beside the items, or one under a key of an item that stands for no field. Refused: `$`,
    the container, a whole item, a field of an item, anything that is not an exact path as findings write it.
    """
    if type(path) is not str or not path.startswith("$") or path == "$":
        message = "an unverified path must be exact and start with $, as in $.vitals; $ alone is everything"
        raise ContractError("contract.unverified_path", message)
    steps = _steps(path)
    rendered = "$"
    for step in steps:
        rendered = f"{rendered}[{step}]" if isinstance(step, int) else child_path(rendered, step)
    if rendered != path:
        raise ContractError("contract.unverified_path", f"write the path as findings do: {rendered}")
    in_item = False
    for position, step in enumerate(steps):
        if isinstance(step, int):
            in_item = True  # an entry of the root list or of a container
            continue
        if in_item:
            role, outer = aliases.item_role(step), aliases.document_role(step)
            clinical = role is not None and role.kind != "metadata"
            if clinical or fold_key(step) is None or (outer is not None and outer.kind == "container"):
                raise ContractError("contract.unverified_clinical", f"{path} lies under a field of an item; such fields are always checked")
            return
        outer = aliases.document_role(step)
        if outer is None or outer.kind not in ("container", "wrapper"):
            return
        if outer.kind == "container" and outer.target != artifact.container:
            return
        following = steps[position + 1] if position + 1 < len(steps) else None
        if outer.kind == "wrapper" and following is None:
            return  # items inside a wrapper are read all the same
        if outer.kind == "container" and outer.template != "wraps" and not isinstance(following, int):
            break  # what a container holds without a list are items too
    raise ContractError("contract.unverified_clinical", f"{path} is, holds or may hold the items themselves; they are always checked")
