"""The checker of certificates: what it accepts, and each fault that it refuses, with its place."""

import ast
import sys
from pathlib import Path

import pytest

from tests.wheelproof.certificates.texts import HEAD, ORDER, PROOF, changed
from wheelproof.certificates import __main__ as command
from wheelproof.certificates.checker import check
from wheelproof.certificates.expressions import Refused


def refusal(obligation, certificate):
    with pytest.raises(Refused) as caught:
        check(obligation, certificate)
    return str(caught.value)


def proof(*lines):
    return "\n".join(["(", *lines, ")"])


def test_a_certificate_of_its_obligation_is_accepted():
    assert check(ORDER, PROOF).rules == {"la_generic": 1, "resolution": 1}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("(1 1/1)", "(1 2)", "line 4, step t0 (la_generic): the sum still has 1 x + -1 y"),
        ("(1 1/1)", "(1)", "line 4, step t0 (la_generic): 1 factors for 2 literals"),
        ("(1 1/1)", "(1 0)", "line 4, step t0 (la_generic): a factor is 0"),
        (" (+ x 1)))) :rule", " (+ x 2)))) :rule", "line 4, step t0 (la_generic): the sum is 0"),
        (PROOF.splitlines()[3], "", "line 5, step t1 (resolution): no step t0 is known here"),
        ("(t0 a0 a1)", "(t0 a0 a0)", "line 5, step t1 (resolution): the premises can hold"),
        ("(t0 a0 a1)", "(t0 a0)", "line 5, step t1 (resolution): the premises can hold"),
        ("a0 (< x y)", "a0 (< y x)", "line 2, assume a0: the obligation does not assert it"),
        ("a0 (< x y)", "a0 (> y x)", "line 2, assume a0: the obligation does not assert it"),
        ("rule la_generic", "rule hole", "line 4, step t0 (hole): the rule is unknown"),
        ("rule la_generic", "rule trust", "line 4, step t0 (trust): the rule is unknown"),
        ("rule la_generic", "rule subproof", "step t0 (subproof): the rule is unknown"),
        (":rule la_generic", ":sort x", "step t0 (no rule): :sort is unknown"),
        ("(cl) ", "(cl q) ", "no step has the empty clause"),
        ("step t1 (", "step t0 (", "line 5, step t0 (resolution): there is a step t0 already"),
        (
            "(step t1",
            "(anchor :step t1)\n(step t1",
            "step t1 (resolution): the rule closes no part",
        ),
        ("(assume a1", "(anchor :step t9)\n(assume a1", "the part of step t9 is not closed"),
        ("(not (< x y))", "(not (< x q))", "step t0 (la_generic): < is applied to Int, Bool"),
        ("(not (< x y))", "(not (< x z))", "step t0 (la_generic): z is unknown"),
        ("(cl (not (< x y))", "(cl x", "step t0 (la_generic): x is no formula"),
        ("a1 (< y (+ x 1))", "a1 (< y (+ x 1)) q", "line 3, assume a1: the command is unknown"),
        (PROOF, "", "line 1: here is no certificate: nothing"),
        (PROOF, "unknown", "line 1: here is no certificate: unknown"),
        (PROOF, '(\n(error "no Alethe"))', 'error "no Alethe": the solver gave no proof'),
        ("(not (< x y))", "(not (< x y)))", "line 4: here is no command"),
        ("(t0 a0 a1)", "(t0 a0 a1))", "line 5: a parenthesis closes that none opened"),
        ("(t0 a0 a1)", "(t0 a0 a1", "line 5: a parenthesis is open at the end of the text"),
    ],
)
def test_a_planted_fault_is_refused_with_its_line_and_rule(old, new, says):
    assert says in refusal(ORDER, changed(PROOF, (old, new)))


def test_a_certificate_of_another_obligation_is_refused():
    other = changed(ORDER, ("(< y (+ x 1))", "(<= y (+ x 1))"))
    assert refusal(other, PROOF) == "line 3, assume a1: the obligation does not assert it"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("(assert (< x y))", "(assert (< x y)) (push 1)", "line 8, push: the command is unknown"),
        (
            "(check-sat)",
            "(check-sat)\n(assert q)",
            "line 11, assert: something follows the question",
        ),
        ("(check-sat)", "", "does not ask whether it can be satisfied, once"),
        ("(assert (< x y))", "(assert (< x z))", "line 8, assert: z is unknown"),
        ("(assert (< x y))", "(assert x)", "line 8, assert: it asserts no closed formula"),
        ("fun y ()", "fun x ()", "line 4, declare-fun: x is declared already"),
        ("fun y ()", "fun - ()", "line 4, declare-fun: - is declared already"),
        ("fun y ()", "fun -1 ()", "line 4, declare-fun: -1 is a number"),
        ("(declare-fun y () Int)", "(declare-fun y () Real)", "the sort Real is unknown"),
        ("(declare-sort Thing 0)", "(declare-datatypes ((D 0)) (((A))))", "the command is unknown"),
    ],
)
def test_an_obligation_beyond_what_is_understood_is_refused(old, new, says):
    assert says in refusal(changed(ORDER, (old, new)), PROOF)


def test_a_refusal_is_short_and_deep_terms_are_refused():
    long = f"(+ {' '.join(['x'] * 500)})"
    says = refusal(ORDER, changed(PROOF, ("(cl (not (< x y))", f"(cl {long}")))
    assert says.startswith("line 4, step t0 (la_generic): (+ x x") and says.endswith(" ...")
    assert len(says) < 400
    deep = f"{'(- ' * 3000}x{')' * 3000}"
    assert refusal(ORDER, changed(PROOF, ("a0 (< x y)", f"a0 (< {deep} y)"))).endswith("too deep")
    obligation = changed(ORDER, ("(assert (< x y))", f"(assert (< {deep} y))"))
    assert refusal(obligation, PROOF) == "line 8, assert: its terms are too deep"


def test_lets_names_and_comments_are_read():
    obligation = changed(
        ORDER, ("(assert (< x y))", "; x (below\n(assert (let ((a x)) (let ((b y)) (< a b))))")
    )
    certificate = changed(
        PROOF,
        ("a0 (< x y)", "a0 (! (< |x| y) :named @p_1)"),
        ("(cl (not (< x y))", "(cl (not @p_1)"),
    )
    assert check(obligation, certificate).steps == 2
    again = changed(certificate, ("a1 (< y (+ x 1))", "a1 (! (< y (+ x 1)) :named @p_1)"))
    assert refusal(obligation, again).endswith("@p_1 is the name of another term")


# -- parts of a certificate

ALL = HEAD + "(assert (forall ((v Int)) (p v)))\n(assert (not (p x)))\n(check-sat)\n"
INSTANCE = proof(
    "(assume a0 (forall ((v Int)) (p v)))",
    "(assume a1 (not (p x)))",
    "(step t0 (cl (or (not (forall ((v Int)) (p v))) (p x))) :rule forall_inst :args (x))",
    "(step t1 (cl (not (forall ((v Int)) (p v))) (p x)) :rule or :premises (t0))",
    "(step t2 (cl) :rule resolution :premises (t1 a0 a1))",
)
RENAMED = HEAD + (
    "(assert (forall ((v Int)) (p v)))\n(assert (not (forall ((w Int)) (p w))))\n(check-sat)\n"
)
RENAMING = proof(
    "(assume a0 (forall ((v Int)) (p v)))",
    "(assume a1 (not (forall ((w Int)) (p w))))",
    "(anchor :step t0 :args ((w Int) (:= (v Int) w)))",
    "(step t0.t0 (cl (= (p v) (p w))) :rule refl)",
    "(step t0 (cl (= (forall ((v Int)) (p v)) (forall ((w Int)) (p w)))) :rule bind)",
    "(step t1 (cl (not (forall ((v Int)) (p v))) (forall ((w Int)) (p w))) :rule equiv1 "
    ":premises (t0))",
    "(step t2 (cl) :rule resolution :premises (t1 a0 a1))",
)
SUBPROOF = proof(
    "(assume a0 (< x y))",
    "(assume a1 (< y (+ x 1)))",
    "(anchor :step t0)",
    "(assume t0.a0 (< x y))",
    "(step t0.t0 (cl (not (< x y)) (not (< y (+ x 1)))) :rule la_generic :args (1 1))",
    "(step t0.t1 (cl) :rule resolution :premises (t0.t0 t0.a0 a1))",
    "(step t0 (cl (not (< x y)) false) :rule subproof :discharge (t0.a0))",
    "(step t1 (cl) :rule resolution :premises (t0 a0))",
)
CHOSEN = "(choice ((v Int)) (not (p v)))"
SKOLEM = HEAD + (
    "(assert (not (forall ((v Int)) (p v))))\n(assert (forall ((w Int)) (p w)))\n(check-sat)\n"
)
CHOOSING = proof(
    f"(define-fun @sk () Int {CHOSEN})",
    "(assume a0 (not (forall ((v Int)) (p v))))",
    "(assume a1 (forall ((w Int)) (p w)))",
    "(anchor :step t0 :args ((:= (v Int) @sk)))",
    "(step t0.t0 (cl (= (p v) (p @sk))) :rule refl)",
    "(step t0 (cl (= (forall ((v Int)) (p v)) (p @sk))) :rule sko_forall)",
    "(step t1 (cl (forall ((v Int)) (p v)) (not (p @sk))) :rule equiv2 :premises (t0))",
    "(step t2 (cl (or (not (forall ((w Int)) (p w))) (p @sk))) :rule forall_inst :args (@sk))",
    "(step t3 (cl (not (forall ((w Int)) (p w))) (p @sk)) :rule or :premises (t2))",
    "(step t4 (cl) :rule resolution :premises (t1 t3 a0 a1))",
)


@pytest.mark.parametrize(
    ("obligation", "certificate", "closed"),
    [
        (ALL, INSTANCE, "forall_inst"),
        (RENAMED, RENAMING, "bind"),
        (ORDER, SUBPROOF, "subproof"),
        (SKOLEM, CHOOSING, "sko_forall"),
    ],
)
def test_parts_and_quantifiers_are_accepted(obligation, certificate, closed):
    assert check(obligation, certificate).rules[closed] == 1


@pytest.mark.parametrize(
    ("obligation", "certificate", "old", "new", "says"),
    [
        (ALL, INSTANCE, ":args (x)", ":args (y)", "(forall_inst): the instance is another"),
        (ALL, INSTANCE, ":args (x)", ":args ()", "not one argument for each variable"),
        (ORDER, SUBPROOF, ":discharge (t0.a0)", ":discharge ()", "(subproof): it discharges other"),
        (ORDER, SUBPROOF, "(cl (not (< x y)) false)", "(cl (not q) false)", "other assumptions"),
        (ORDER, SUBPROOF, "(cl (not (< x y)) false)", "(cl (not (< x y)) q)", "another clause"),
        (ORDER, SUBPROOF, "(t0 a0)", "(t0.t1)", "step t1 (resolution): no step t0.t1 is known"),
        (ORDER, SUBPROOF, "(anchor :step t0)", "(anchor :step t0 :args ((v Int)))", "assumes"),
        (RENAMED, RENAMING, "(p w))) :rule refl", "(p x))) :rule refl", "the sides are different"),
        (RENAMED, RENAMING, "(p w)))) :rule bind", "(p x)))) :rule bind", "another equation"),
        (RENAMED, RENAMING, "(:= (v Int) w)", "(:= (v Int) x)", "t0.t0 (refl)"),
        (RENAMED, RENAMING, "((w Int) (:=", "((:=", "anchor :step: w is unknown"),
        (SKOLEM, CHOOSING, "(not (p v)))", "(p v))", "(sko_forall): it chooses otherwise"),
        (SKOLEM, CHOOSING, "(= (p v) (p @sk))", "(= (p @sk) (p v))", "ends with another equation"),
    ],
)
def test_a_planted_fault_of_a_part_is_refused(obligation, certificate, old, new, says):
    assert says in refusal(obligation, changed(certificate, (old, new)))


def test_a_variable_of_an_assumption_stands_for_no_other_value():
    """From p(v) for one v follows no forall: the anchor would bind the assumption's variable."""
    wrong = proof(
        "(assume a0 (not (forall ((v Int)) (! (p v) :named @p))))",
        "(anchor :step t0)",
        "(assume t0.a0 @p)",
        "(anchor :step t0.t0 :args ((v Int)))",
    )
    obligation = HEAD + "(assert (not (forall ((v Int)) (p v))))\n(check-sat)\n"
    assert refusal(obligation, wrong) == "line 5, anchor :step: v occurs in an assumption"


def test_a_variable_of_an_outer_part_is_not_bound_again():
    nested = changed(RENAMING, ("(step t0.t0", "(anchor :step t0.t9 :args ((w Int)))\n(step t0.t0"))
    assert "line 5, anchor :step: w is a variable of an outer part" in refusal(RENAMED, nested)


def test_an_instance_whose_variable_would_be_caught_is_refused():
    """Every number has a larger one. No number is larger than itself."""
    whole = "(forall ((v Int)) (exists ((w Int)) (< v w)))"
    obligation = HEAD + f"(assert {whole})\n(check-sat)\n"
    caught = proof(
        f"(assume a0 {whole})",
        "(anchor :step t0 :args ((w Int)))",
        f"(step t0.t0 (cl (or (not {whole}) (exists ((w Int)) (< w w)))) :rule forall_inst "
        ":args (w))",
    )
    assert refusal(obligation, caught).endswith("(forall_inst): exists would catch a variable")


def foreign(text):
    """Modules that a text imports, beside the standard library and the checker's own."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{each.name}" for each in node.names]
    return [
        each
        for each in found
        if each.partition(".")[0] not in sys.stdlib_module_names
        and not each.startswith("wheelproof.certificates.")
    ]


def test_the_checker_imports_no_solver_and_nothing_of_the_tool():
    files = list(Path(command.__file__).parent.glob("*.py"))
    assert len(files) > 5
    assert {each.name: foreign(each.read_text(encoding="utf-8")) for each in files} == {
        each.name: [] for each in files
    }
    planted = "import ast, z3\nfrom wheelproof import toml\nfrom cvc5 import Solver"
    assert foreign(planted) == ["z3", "wheelproof.toml", "cvc5.Solver"]


def test_the_command_prints_steps_by_rule_or_the_refusal(tmp_path, capsys):
    text, certificate = tmp_path / "order.smt2", tmp_path / "order.alethe"
    text.write_text(ORDER)
    assert command.main([str(text)]) == 2 and "order.alethe" in capsys.readouterr().err
    certificate.write_text(PROOF)
    assert command.main([str(text)]) == 0
    printed = capsys.readouterr().out
    assert " ".join(printed.split()) == "accepted: 2 steps 1 la_generic 1 resolution"
    certificate.write_text(PROOF.replace("la_generic", "hole"))
    assert command.main([str(text), str(certificate)]) == 1
    assert capsys.readouterr().out == "refused: line 4, step t0 (hole): the rule is unknown\n"
    assert command.main([]) == 2
