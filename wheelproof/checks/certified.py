"""Certificates of theorems: proofs of a solver's, checked without any solver.

A theorem that is certified has one for each verification condition. Each is checked against a text
of its condition that was written for that solver.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from wheelproof import reading
from wheelproof.certificates.checker import check
from wheelproof.certificates.expressions import Refused

if TYPE_CHECKING:
    from wheelproof.prove.evidence import Certificate

WITHIN = {"fast": ("fast",), "nightly": ("fast", "nightly")}
"""Profile -> the theorems of which profiles are certified in it."""


def checked(
    certificates: Iterable[Certificate], figures: Mapping[str, object]
) -> tuple[dict[str, int], str]:
    """Figures of a theorem's certificates, and their faults; "" where there are none.

    ``certificates``: one for each of its conditions, in their order. ``figures``: those of its
    evidence. ``certificates`` is the number of those that are accepted,
    ``certificate_steps`` that of their steps.
    """
    acceptances = steps = 0
    faults, sums = [], ""
    for certificate in certificates:
        digest = hashlib.sha256(certificate.obligation.read_bytes()).hexdigest()
        sums += f"{digest}  {certificate.obligation.name}\n"
        if certificate.proof is None:
            faults.append(f"{certificate.condition} has no certificate: {certificate.why}")
            continue
        try:
            texts = [reading.text(file) for file in (certificate.text, certificate.proof)]
            steps += check(*texts).steps
            acceptances += 1
        except Refused as error:
            faults.append(f"the certificate of {certificate.condition} is refused: {error}")
    if hashlib.sha256(sums.encode()).hexdigest() != figures.get("sha256"):
        faults.insert(
            0, "the certificates are not of the conditions that were proved, one for each"
        )
    return {"certificates": acceptances, "certificate_steps": steps}, "; ".join(faults)
