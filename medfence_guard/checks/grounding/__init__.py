"""Family G: does this item's own statement entail the claim?

Each record below names one function, which compares one field with the statement that the item owns:

- `names`, `amounts`, `timing`, `texts`, `giving`, `counts`: the checks, by what their fields are about; `document`: of whole items;
  `document_keys`: of what a document says besides its orders.
- `components`: how one part of a value is judged (a form, a route, a limit), whatever field it stands in, and `others`, which judges
  every part that is not what the field is for.
- `ownership`: what follows when an item owns no statement. `firmness`: when a contradiction is no proof, and what becomes a finding.
- `claimed`, `stated`, `wording`: what a claim holds, what a statement holds, and the words of both.
"""

from __future__ import annotations

from medfence_guard.checks.check import Check, Run
from medfence_guard.checks.grounding.amounts import dosage_check, dose_check, strength_check
from medfence_guard.checks.grounding.counts import count_check, sequence_check
from medfence_guard.checks.grounding.document import orphan_check, residue_check
from medfence_guard.checks.grounding.document_keys import document_check
from medfence_guard.checks.grounding.giving import form_check, release_check, route_check, site_check
from medfence_guard.checks.grounding.names import name_check
from medfence_guard.checks.grounding.texts import quote_check, text_check, timing_check
from medfence_guard.checks.grounding.timing import as_needed_check, duration_check, frequency_check


def _g(check_id: str, fields: str, run: Run, what: str, why: str, example: str, *emits: str) -> Check:
    return Check(
        id=check_id,
        scope="claim",
        fields=frozenset(fields.split()),
        run=run,
        what=what,
        why=why,
        example=example,
        emits=(check_id, "source.confidence_floor", "source.confidence_missing", *emits),
    )


CHECKS: tuple[Check, ...] = (
    _g(
        "grounding.name",
        "name generic_name",
        name_check,
        "Compares the name with the name of the item's own statement, suffixes and digits exactly.",
        "Pan and Pan D, XL and XR, GP1 and GP2 are different medicines.",
        "source `Pan D 40 mg`, claim `Pan`: FAIL.",
    ),
    _g(
        "grounding.strength",
        "strength",
        strength_check,
        "Compares strength values exactly, component by component, with their denominators.",
        "A lost decimal point or component is a wrong dose.",
        "source `0.5 mg`, claim `5 mg`: FAIL.",
        "grounding.unit_integrity",
        "schema.role",
    ),
    _g(
        "grounding.dose",
        "dose",
        dose_check,
        "Compares what is taken each time; unequal doses must all be carried.",
        "16 + 10 units is not 16 units twice.",
        "source `5 ml TDS`, claim `15 ml`: FAIL.",
        "grounding.unit_integrity",
        "schema.role",
    ),
    _g(
        "grounding.frequency",
        "frequency",
        frequency_check,
        "Compares count, interval, slots, as-needed, day and period as canonical timing.",
        "BD is `twice daily` but not `every 12 hours`; losing SOS makes a regular order.",
        "source `BD SOS`, claim `BD`: FAIL.",
        "schema.role",
    ),
    _g(
        "grounding.text",
        "timing instructions",
        timing_check,
        "Every meal, time of day, amount and word of a free text must stand in the item's own statement.",
        "Models invent `after food`.",
        "source `BD`, claim `after breakfast`: FAIL.",
    ),
    _g(
        "grounding.text_verbatim",
        "indication as_needed_for",
        text_check,
        "The words must stand in the item's own statement.",
        "An invented indication changes why a medicine is taken.",
        "source `SOS for fever`, claim `fever`: PASS.",
        "grounding.text",
    ),
    _g(
        "grounding.quote",
        "source_quote",
        quote_check,
        "A quoted source must be verbatim in the item's own statement.",
        "A quotation that is not one hides an invention.",
        "source `Telma 40 mg`, claim `Telma 80 mg`: FAIL.",
        "grounding.text",
    ),
    _g(
        "grounding.duration",
        "duration",
        duration_check,
        "Compares durations; weeks and days convert exactly, months and days never.",
        "3 days became 30.",
        "source `x 5/7`, claim `5 days`: PASS.",
    ),
    _g(
        "grounding.as_needed",
        "as_needed",
        as_needed_check,
        "True needs a PRN word; false needs a statement read to its end without one.",
        "As needed and regular are different orders.",
        "source `SOS`, claim `false`: FAIL.",
    ),
    _g(
        "grounding.form",
        "form",
        form_check,
        "Compares the form; an unwritten one only by a product known in exactly one.",
        "A tablet released as an injection.",
        "source `Tab`, claim `inj`: FAIL.",
    ),
    _g(
        "grounding.release",
        "release",
        release_check,
        "Compares release words token by token.",
        "SR, XR and XL are not interchangeable.",
        "source `SR`, claim `XR`: ABSTAIN.",
    ),
    _g(
        "grounding.route",
        "route",
        route_check,
        "Compares the route; an unwritten one only where the form has a single route, never for injections.",
        "IM became IV.",
        "source `IM`, claim `IV`: FAIL.",
    ),
    _g(
        "grounding.site",
        "site",
        site_check,
        "Compares the site, laterality included.",
        "Left eye and right eye.",
        "source `right eye`, claim `left eye`: FAIL.",
        "grounding.text",
    ),
    _g(
        "grounding.quantity",
        "quantity",
        count_check,
        "Compares a stated total; a computed one is not grounded.",
        "A total hides an error of dose or days.",
        "no total in the source, claim `10`: ABSTAIN.",
    ),
    _g(
        "grounding.refills",
        "refills",
        count_check,
        "Compares stated refills; zero needs a statement read to its end.",
        "Invented refills.",
        "source without refills, claim `0`: PASS.",
    ),
    _g(
        "grounding.max_dose",
        "max_dose",
        count_check,
        "Compares the stated maximum.",
        "A maximum read as the dose.",
        "source `max 4/day`, claim `4`: PASS.",
    ),
    _g(
        "grounding.sequence",
        "sequence",
        sequence_check,
        "The number must be the statement's place.",
        "Reordered steps.",
        "second statement, claim `2`: PASS.",
    ),
    _g(
        "grounding.dosage",
        "dosage",
        dosage_check,
        "Reads `dosage` by grammar as strength, dose or schedule and compares each part.",
        "The key means three things in the wild.",
        "source `Telma 40 mg`, claim `40 mg`: PASS.",
        "grounding.unit_integrity",
        "schema.role",
    ),
    Check(
        id="grounding.no_orphans",
        scope="item",
        run=orphan_check,
        emits=("grounding.no_orphans", "completeness.duplicated", "completeness.merged"),
        what="Every item must own a statement of the source.",
        why="Models fabricate medicines.",
        example="An item named in no statement: FAIL.",
    ),
    Check(
        id="grounding.residue",
        scope="item",
        run=residue_check,
        emits=("grounding.residue",),
        what="Words and digits of the item's own statement that nothing consumed.",
        why="An unread word may be the one that stops or changes the order.",
        example="`Telma 40 mg OD xyzzy`: ABSTAIN, naming the word.",
    ),
    Check(
        id="grounding.document",
        scope="claim",
        fields=frozenset({"date", "prescriber", "patient", "facility", "identifier"}),
        run=document_check,
        emits=("grounding.document",),
        what="Document keys must stand in the source verbatim, bound to their label or of their kind.",
        why="A wrong patient or date is a wrong record.",
        example="source `Dr. R. Sharma`, claim `R. Sharma` for the patient: ABSTAIN.",
    ),
)
