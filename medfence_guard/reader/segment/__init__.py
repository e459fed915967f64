"""Cut a chunked source into medication statements, and remember what was not understood.

A statement begins at a name (an anchor) with what leads up to it (`Start Tab`, `STOP`, `2 tabs of`), and goes on over
timing, amounts and remarks until the next name, a new sentence, a heading or a line that is no continuation.
Headings set the section; a section may say that what stands in it is no order at all. Letterhead, vitals, dates and
review notes never start one. Everything here is structure; what the words mean is `statement.py`'s business.

`page.py` goes over the lines of a page, `line.py` reads what stands before the words of a line, and `walk.py` goes
along the words. Of these, `headings.py` knows the headings, `anchors.py` where a statement begins, `orders.py` what it begins
with, and `clauses.py` what becomes of words beside the statements. `sheet.py` is what they know of the page meanwhile.
"""
