"""The lists of the timer as the mechanism under test."""

from tests.model.artefacts import ROOT, Artefacts

ARTEFACTS = Artefacts("timer_task_list")
NAME, MECHANISM, FAST = ARTEFACTS.name, ARTEFACTS.mechanism, ARTEFACTS.fast
source, model_graph, tlc_graph = ARTEFACTS.source, ARTEFACTS.model_graph, ARTEFACTS.tlc_graph

__all__ = ["ARTEFACTS", "FAST", "MECHANISM", "NAME", "ROOT", "model_graph", "source", "tlc_graph"]
