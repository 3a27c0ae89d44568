"""The table of sites: each label has a site, each access of the classes a label or a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from wheelproof.jvm.declaration import Binding
from wheelproof.project.mechanism import Mechanism


def table_faults(
    binding: Binding,
    mechanism: Mechanism,
    accesses: Sequence[str],
    hits: Mapping[str, int],
    newest: bool = True,
) -> list[str]:
    """What is wrong with the table. ``accesses``: the hooked ones; ``hits``: how often each ran.

    ``newest``: the classes are the first release's, in which each reason must have its site. An
    older release may lack a method that has a reason.
    """
    faults = []
    steps = {label.name for label in mechanism.labels.values() if label.kind != "silent"}
    labelled = {*binding.labels, *binding.inside}
    pairs = binding.pairs
    unused = {name for name in steps if any(fnmatchcase(name, each) for each in binding.unused)}
    lost = steps - labelled - unused - {following for _, following in pairs}
    faults += [f"the label {name} has no site" for name in sorted(lost)]
    faults += [f"{name} is no label of {mechanism.name}" for name in sorted(labelled - steps)]
    odd = {label for pair in pairs for label in pair if label not in steps}
    faults += [f"{name}, which is joined, is no label of {mechanism.name}" for name in sorted(odd)]
    idle = sorted(labelled & unused)
    faults += [f"the label {name} has a site and a reason for none" for name in idle]
    wrong = [each for each in binding.unused if not any(fnmatchcase(name, each) for name in steps)]
    faults += [f"no label of {mechanism.name} is {each}" for each in wrong]
    sites = {site for places in binding.labels.values() for site in places}
    sites |= {site for places in binding.fine.values() for site in places}
    sites |= {*binding.below, *(site for places in binding.inside.values() for site in places)}
    for site in sorted(sites):
        if site not in hits:
            faults.append(f"there is no site {site}")
        elif not hits[site]:
            faults.append(f"no scenario runs {site}")
    used = set()
    for access in accesses:
        patterns = [each for each in binding.unlabelled if fnmatchcase(access, each)]
        used.update(patterns)
        if access in sites and patterns and access not in fine_sites(binding):
            faults.append(f"{access} has a label and a reason for none")
        if access not in sites and not patterns:
            faults.append(f"{access} has no label and no reason")
    if not newest:
        return faults
    unmatched = [pattern for pattern in binding.unlabelled if pattern not in used]
    unmatched += [
        pattern for pattern in binding.within if not any(fnmatchcase(key, pattern) for key in hits)
    ]
    return faults + [f"there is no site {pattern}" for pattern in unmatched]


def fine_sites(binding: Binding) -> set[str]:
    """The sites that have a label only where each access is a step."""
    return {site for places in binding.fine.values() for site in places}
