"""An obligation and its certificate, written by hand."""

HEAD = """(set-logic ALL)
(declare-sort Thing 0)
(declare-fun x () Int)
(declare-fun y () Int)
(declare-fun p (Int) Bool)
(declare-fun q () Bool)
(declare-fun r () Bool)
"""

ORDER = (
    HEAD
    + """(assert (< x y))
(assert (< y (+ x 1)))
(check-sat)
"""
)
"""No whole number is between two neighbours."""

PROOF = """(
(assume a0 (< x y))
(assume a1 (< y (+ x 1)))
(step t0 (cl (not (< x y)) (not (< y (+ x 1)))) :rule la_generic :args (1 1/1))
(step t1 (cl) :rule resolution :premises (t0 a0 a1))
)
"""


def changed(text, *pairs):
    """The text with each old part, which it has once, replaced by a new one."""
    for old, new in pairs:
        assert text.count(old) == 1, (old, text.count(old))
        text = text.replace(old, new)
    return text
