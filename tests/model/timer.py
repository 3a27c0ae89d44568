"""The lists of the timer as the mechanism under test."""

from tests.model.artefacts import ROOT, Artefacts

ARTEFACTS = Artefacts("timer_task_list")
STEM, MECHANISM, FAST = ARTEFACTS.stem, ARTEFACTS.mechanism, ARTEFACTS.fast
source, model_graph, tlc_graph = ARTEFACTS.source, ARTEFACTS.model_graph, ARTEFACTS.tlc_graph

__all__ = ["ARTEFACTS", "FAST", "MECHANISM", "ROOT", "STEM", "model_graph", "source", "tlc_graph"]
