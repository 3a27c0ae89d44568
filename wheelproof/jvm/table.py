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
    """The faults of the table. ``accesses``: the hooked ones; ``hits``: the runs of each.

    ``newest``: the classes are the first release's, in which each reason must have its site. An
    older release may lack a method that has a reason.
    """
    binding = binding.at(hits)
    faults = []
    steps = {label.name for label in mechanism.labels.values() if label.kind != "silent"}
    labels = {*binding.labels, *binding.inside}
    pairs = binding.pairs
    excuses = {name for name in steps if any(fnmatchcase(name, text) for text in binding.unused)}
    missing = steps - labels - excuses - {following for _, following in pairs}
    faults += [f"the label {name} has no site" for name in sorted(missing)]
    faults += [f"{name} is no label of {mechanism.name}" for name in sorted(labels - steps)]
    odd = {label for pair in pairs for label in pair if label not in steps}
    faults += [f"{name}, which is joined, is no label of {mechanism.name}" for name in sorted(odd)]
    idle = sorted(labels & excuses)
    faults += [f"the label {name} has a site and a reason for none" for name in idle]
    wrong = [text for text in binding.unused if not any(fnmatchcase(name, text) for name in steps)]
    faults += [f"no label of {mechanism.name} is {text}" for text in wrong]
    sites = {site for places in binding.labels.values() for site in places}
    sites |= {site for places in binding.fine.values() for site in places}
    sites |= {*binding.below, *(site for places in binding.inside.values() for site in places)}
    for site in sorted(sites):
        if site not in hits:
            faults.append(f"there is no site {site}")
        elif not hits[site]:
            faults.append(f"no scenario runs {site}")
    patterns_in_use = set()
    for access in accesses:
        patterns = [text for text in binding.unlabelled if fnmatchcase(access, text)]
        patterns_in_use.update(patterns)
        if access in sites and patterns and access not in fine_sites(binding):
            faults.append(f"{access} has a label and a reason for none")
        if access not in sites and not patterns:
            faults.append(f"{access} has no label and no reason")
    if not newest:
        return faults
    idle_patterns = [pattern for pattern in binding.unlabelled if pattern not in patterns_in_use]
    idle_patterns += [
        pattern for pattern in binding.within if not any(fnmatchcase(key, pattern) for key in hits)
    ]
    return faults + [f"there is no site {pattern}" for pattern in idle_patterns]


def fine_sites(binding: Binding) -> set[str]:
    """The sites that have a label only where each access is a step."""
    return {site for places in binding.fine.values() for site in places}
