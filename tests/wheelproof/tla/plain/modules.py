"""Small modules of TLA+, each with its cfg file: what a front end for any module has to read."""

from pathlib import Path

from wheelproof.tla.plain.comparison import Subject

COUNTER = """
EXTENDS Naturals
CONSTANTS Limit
VARIABLE n
Init == n = 0
Up == n < Limit /\\ n' = n + 1
Next == Up \\/ UNCHANGED n
Spec == Init /\\ [][Next]_n
Small == n <= Limit
"""

MODULES = {
    "SeveralStarts": (
        """
EXTENDS Naturals, FiniteSets
VARIABLES x, y
Init == (x = 1 \\/ x \\in 1..2) /\\ y \\in SUBSET {"a", "b"} /\\ (x = 1 => y # {})
Next == \\/ x' \\in 1..3 /\\ UNCHANGED y
        \\/ (x = 1 \\/ y = {}) /\\ \\E z \\in {"a", "b"} : y' = y \\cup {z} /\\ x' = x
        \\/ [x' = 3 /\\ y' = {}]_<<x, y>>
""",
        "INIT Init NEXT Next",
    ),
    "Bag": (
        """
EXTENDS Bags, Naturals
VARIABLE sent
Send(m) == CopiesIn(m, sent) < 2 /\\ sent' = sent (+) SetToBag({m})
Take(m) == BagIn(m, sent) /\\ sent' = sent (-) SetToBag({m})
Next == \\E m \\in {"ask", "reply"} : Send(m) \\/ Take(m)
Spec == sent = EmptyBag /\\ [][Next]_sent
Few == BagCardinality(sent) <= 4
""",
        "SPECIFICATION Spec INVARIANT Few",
    ),
    "Instances": (
        """
EXTENDS Naturals
VARIABLES a, b
Left == INSTANCE Counter WITH n <- a, Limit <- 2
Right(m) == INSTANCE Counter WITH n <- b[1], Limit <- m
Init == Left!Init /\\ b = <<0>>
Next == (Left!Up /\\ UNCHANGED b) \\/ (a = 2 /\\ b' = <<b[1] + 1>> /\\ b[1] < 3 /\\ a' = 0)
Fits == Left!Small /\\ Right(3)!Small /\\ \\A m \\in 3..5 : Right(m)!Small
""",
        "INIT Init NEXT Next INVARIANT Fits CHECK_DEADLOCK FALSE",
    ),
    "Functions": (
        """
EXTENDS Naturals, Sequences
CONSTANTS Node, none
VARIABLES f, r
Records == [who : Node, at : 0..1]
Init == f \\in [Node -> 0..1] /\\ r \\in Records
Step(n) == /\\ f' = [f EXCEPT ![n] = 1 - @]
           /\\ r' = IF f'[n] = 1 THEN [r EXCEPT !.who = n] ELSE r
Next == \\E n \\in Node : Step(n) /\\ \\A m \\in Node : f'[m] = 1 \\/ f[m] = 1 \\/ m = n
RECURSIVE Sum(_)
Sum(S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \\in S : TRUE IN f[x] + Sum(S \\ {x})
Typed == f \\in [Node -> Nat] /\\ r.who \\in Node /\\ Sum(Node) <= 3
""",
        "CONSTANTS Node = {p, q, s} none = none INIT Init NEXT Next INVARIANT Typed "
        "CHECK_DEADLOCK FALSE",
    ),
    "Limits": (
        """
EXTENDS Naturals, TLC
CONSTANTS Node, Bound
VARIABLES x, y
MCBound == 3
Init == x = 0 /\\ y = [n \\in Node |-> 0]
Next == /\\ x' = x + 1
        /\\ \\E n \\in Node : y' = [y EXCEPT ![n] = 1]
Near == x < Bound
Slow == x' # 3 \\/ y' # y
Shown == <<y, x % 2>>
Symmetric == Permutations(Node)
Even == x % 2 = 0 \\/ ENABLED (x' = x + 1)
""",
        "CONSTANTS Node = {p, q, s} Bound <- MCBound INIT Init NEXT Next CONSTRAINT Near "
        "ACTION_CONSTRAINT Slow SYMMETRY Symmetric INVARIANT Even",
    ),
    "Taken": (
        """
EXTENDS Naturals
VARIABLE x
Op(y) == y = 0 \\/ y < 2
Either(P) == P
RECURSIVE Rec(_)
Rec(n) == IF n = 0 THEN TRUE ELSE Rec(n - 1) /\\ (x = 0 \\/ n > 0)
Init == x = 0 /\\ (x = 0 \\/ x < 2)
Next == \\/ Rec(2) /\\ x' = 0 /\\ (x' = 0 \\/ x < 2)
        \\/ (\\A i \\in 1..2 : \\E j \\in 1..3 : j >= i) /\\ UNCHANGED x
        \\/ Either(x = 0 \\/ x < 2) /\\ x' = 1
        \\/ (CASE x = 0 -> Op(x) [] OTHER -> FALSE) /\\ x' \\in {2}
        \\/ (x = 0 => \\E i, j \\in 1..2 : TRUE) /\\ [x' = 3]_x
        \\/ (LET a == (x = 0 \\/ x < 2) IN ~~a) /\\ (IF x = 0 THEN Op(x) ELSE TRUE) /\\ x' = 4
""",
        "INIT Init NEXT Next",
    ),
    "Viewed": (
        """
EXTENDS Naturals
CONSTANT Steps(_)
Three(x) == x + 3
VARIABLES x, y
Init == x = 0 /\\ y = 0
Next == x' = Steps(x) % 4 /\\ y' = (y + 1) % 7
Shown == x
""",
        "CONSTANT Steps <- Three INIT Init NEXT Next VIEW Shown",
    ),
    "Stuck": (
        """
EXTENDS Naturals
VARIABLE x
Init == x \\in {0, 1}
Next == x < 4 /\\ x' = x + 2
""",
        "INIT Init NEXT Next",
    ),
    "Broken": (
        """
EXTENDS Naturals
CONSTANT Process
VARIABLE pc
Init == pc = [p \\in Process |-> "out"]
Enter(p) == pc[p] = "out" /\\ pc' = [pc EXCEPT ![p] = "in"]
Leave(p) == pc[p] = "in" /\\ pc' = [pc EXCEPT ![p] = "out"]
Next == \\E p \\in Process : Enter(p) \\/ Leave(p)
Spec == Init /\\ [][Next]_pc
Alone == \\A p, q \\in Process : pc[p] = "in" /\\ pc[q] = "in" => p = q
""",
        'CONSTANT Process = {"left", "right"} SPECIFICATION Spec INVARIANT Alone',
    ),
    "Lettered": (
        """
EXTENDS Naturals, Sequences
VARIABLES queue, log
vars == <<queue, log>>
Init == queue = << >> /\\ log = [i \\in {} |-> 0]
Put(v) == LET full == Len(queue) >= 2
              after == Append(queue, v)
          IN ~full /\\ queue' = after /\\ UNCHANGED log
Take == LET first == Head(queue) IN
        /\\ queue # << >>
        /\\ queue' = Tail(queue)
        /\\ CASE first = 1 -> log' = [i \\in {1} |-> Len(queue')]
             [] OTHER -> UNCHANGED log
Next == Take \\/ \\E v \\in 1..2 : Put(v)
Spec == Init /\\ [][Next]_vars /\\ WF_vars(Next)
""",
        "SPECIFICATION Spec",
    ),
}
"""Name -> module and cfg file. COUNTER is beside each."""


def subject(folder: Path, name: str, text: str, config: str) -> Subject:
    """A module and its cfg file in a folder."""
    for title, body in {"Counter": COUNTER, name: text}.items():
        file = folder / f"{title}.tla"
        file.write_text(f"---- MODULE {title} ----\n{body.strip()}\n====\n", encoding="utf-8")
    (folder / f"{name}.cfg").write_text(config, encoding="utf-8")
    return Subject(folder / f"{name}.tla", folder / f"{name}.cfg")
