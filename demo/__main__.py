"""Prints the timeline."""

from demo.story import Story

print(Story().tell(), end="")
