"""The lists of the timer as the mechanism under test."""
from tests.model.floors import ROOT, Floors

FLOORS = Floors("timer_task_list")
STEM, MECHANISM, FAST = FLOORS.stem, FLOORS.mechanism, FLOORS.fast
source, model_graph, tlc_graph = FLOORS.source, FLOORS.model_graph, FLOORS.tlc_graph

__all__ = ["FAST", "FLOORS", "MECHANISM", "ROOT", "STEM", "model_graph", "source", "tlc_graph"]
