"""Which number is which: a role for every chunk of a statement, or of a payload value.

A number grounds a field only with that field's role evidence: a strength has a mass, IU, % or mEq unit next to the
name; a dose has a countable or volume unit or is a slot value; a duration has a time unit; a bare number after a name
is a label whose unit only the bundle may supply. What gets no role is residue, and stays visible.

`reader.py` goes along the chunks and has the table of which rule is asked for which kind; the other modules are those
rules, by what they are about. `record.py` is what they fill in.
"""
