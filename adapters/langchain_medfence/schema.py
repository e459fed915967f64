"""Pydantic models of the canonical payload, for `with_structured_output`. The descriptions ask the model to copy, not to infer.

Every field but the name may be left out: what is absent is no claim, while a default would be one. Values are strings, as written.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

COPIED = "Copied from the note exactly as written there, abbreviations included. Leave it out if the note does not say it; never infer it."


class Quantity(BaseModel):
    """A number with its unit, both as written."""

    model_config = ConfigDict(extra="forbid")

    value: str = Field(description="The number exactly as written, for example 500, 0.5 or 250.")
    unit: str = Field(description="The unit exactly as written, for example mg, mcg, ml or IU. Never converted.")


class Medication(BaseModel):
    """One medicine the note orders now. Not one that was stopped, that the patient is allergic to, or that somebody else takes."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(description="The name as written, brand or generic, with its suffix (XL, SR, AM). Never the one for the other.")
    strength: Quantity | None = Field(default=None, description=f"How strong one unit is, for example 500 mg. {COPIED}")
    form: str | None = Field(default=None, description=f"Tablet, syrup, inhaler and so on. {COPIED}")
    dose: str | None = Field(default=None, description=f"How much is taken each time, for example 1 tablet or 5 ml. {COPIED}")
    route: str | None = Field(default=None, description=f"By mouth, IV, inhaled and so on. {COPIED}")
    site: str | None = Field(default=None, description=f"Where it is applied, for example left eye. {COPIED}")
    frequency: str | None = Field(default=None, description=f"How often, for example BD, 1-0-1, every 8 hours, SOS. {COPIED}")
    timing: str | None = Field(default=None, description=f"Meals or time of day, for example after food or at night. {COPIED}")
    duration: str | None = Field(default=None, description=f"For how long, for example 5 days or x 1 month. {COPIED}")
    instructions: str | None = Field(default=None, description=f"Any other instruction for this medicine. {COPIED}")


class Prescription(BaseModel):
    """All medicines the note orders, in its order, each once."""

    model_config = ConfigDict(extra="forbid")

    medications: list[Medication] = Field(description="One entry per medicine ordered; an empty list if there is none.")
