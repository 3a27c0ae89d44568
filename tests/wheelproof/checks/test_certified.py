"""Certificates of a theorem: each of its conditions has one, of the text that was proved."""

import hashlib
from pathlib import Path
from types import SimpleNamespace as Plain

import pytest

from tests.wheelproof.certificates.texts import ORDER, PROOF
from wheelproof.checks import certified


class Certificates(list):
    """Writes the conditions and the proofs that it is given. None: there is no proof."""

    def __init__(self, folder: Path, proofs: list[str | None]) -> None:
        super().__init__()
        for number, proof in enumerate(proofs):
            text = folder / f"T.{number}.smt2"
            text.write_text(f"; {number}, as it was proved\n")
            second = text.with_suffix(".second.smt2")
            second.write_text(ORDER)
            file = None if proof is None else text.with_suffix(".alethe")
            if file is not None:
                file.write_text(proof)
            self.append(
                Plain(condition=f"c{number}", obligation=text, text=second, proof=file, why="why")
            )

    def sums(self) -> str:
        lines = [
            f"{hashlib.sha256(each.obligation.read_bytes()).hexdigest()}  {each.obligation.name}\n"
            for each in self
        ]
        return hashlib.sha256("".join(lines).encode()).hexdigest()


def test_all_accepted_certificates_are_counted(tmp_path):
    made = Certificates(tmp_path, [PROOF, PROOF])
    figures, fault = certified.checked(made, {"sha256": made.sums()})
    assert (figures, fault) == ({"certificates": 2, "certificate_steps": 4}, "")


@pytest.mark.parametrize(
    ("proof", "says"),
    [
        (None, "c1 has no certificate: why"),
        (
            PROOF.replace("(1 1/1)", "(1 2)"),
            "the certificate of c1 is refused: line 4, step t0 (la_generic): the sum still has",
        ),
        ("", "the certificate of c1 is refused: line 1: here is no certificate"),
    ],
)
def test_one_that_lacks_or_is_refused_is_named(tmp_path, proof, says):
    made = Certificates(tmp_path, [PROOF, proof])
    figures, fault = certified.checked(made, {"sha256": made.sums()})
    assert figures["certificates"] == 1 and fault.startswith(says)


def test_a_certificate_is_checked_against_its_own_text(tmp_path):
    made = Certificates(tmp_path, [PROOF])
    made[0].text.write_text(ORDER.replace("(< y (+ x 1))", "(< y (+ x 2))"))
    _, fault = certified.checked(made, {"sha256": made.sums()})
    assert fault.endswith("line 3, assume a1: the obligation does not assert it")


def test_certificates_of_other_conditions_than_were_proved_are_refused(tmp_path):
    made = Certificates(tmp_path, [PROOF, PROOF])
    proved = {"sha256": made.sums()}
    del made[1]
    says = "the certificates are not of the conditions that were proved, one for each"
    assert certified.checked(made, proved)[1] == says
    made = Certificates(tmp_path, [PROOF, PROOF])
    text = made[0].obligation
    text.write_text(text.read_text() + "; something else\n")
    assert certified.checked(made, proved)[1] == says
