"""TaskExecutor with one decision taken away at a time; every step keeps its label."""

from __future__ import annotations

from typing import Any

from impl import task_executor as impl
from impl.runtime import get_ident
from mapping import task_executor as mapping
from mapping.result import raised


class RunsAtOnce:
    switch = "HandsOver"

    class TaskExecutor(impl.TaskExecutor):
        __slots__ = ()

        def submit(self, entry: Any) -> None:
            impl.run(entry)


class HandsOverTwice:
    switch = "HandsOverOnce"

    class TaskExecutor(impl.TaskExecutor):
        __slots__ = ()

        def submit(self, entry: Any) -> None:
            self.executor.submit(impl.run, entry)
            self.executor.submit(impl.run, entry)


def run_twice(entry: Any) -> None:
    """As impl.run, with the task's run called twice."""
    try:
        entry.timer_task.run()
        entry.timer_task.run()
    except Exception:
        impl._LOG.exception("the task that was due at %d ms raised", entry.expiration_ms)


class RunsTwice:
    switch = "RunsOne"

    class TaskExecutor(impl.TaskExecutor):
        __slots__ = ()

        def submit(self, entry: Any) -> None:
            self.executor.submit(run_twice, entry)


class KeepsQuiet:
    switch = "TellsRefusal"

    class TaskExecutor(impl.TaskExecutor):
        __slots__ = ()

        def submit(self, entry: Any) -> None:
            try:
                self.executor.submit(impl.run, entry)
            except RuntimeError:
                pass


def run_unguarded(entry: Any) -> None:
    """As impl.run, without a handler."""
    entry.timer_task.run()


class DiesOfIt:
    switch = "Contains"

    class TaskExecutor(impl.TaskExecutor):
        __slots__ = ()

        def submit(self, entry: Any) -> None:
            self.executor.submit(run_unguarded, entry)

    class World(mapping.World):
        def work(self) -> tuple[str, str] | None:
            try:
                super().work()
            except mapping.Failed as error:
                return raised(error)
            return None


class LeavesOpen:
    switch = "ShutsDown"

    class TaskExecutor(impl.TaskExecutor):
        __slots__ = ()

        def close(self) -> None:
            if self.own:
                self.thread  # read C1


class DoesNotWait:
    switch = "Waits"

    class TaskExecutor(impl.TaskExecutor):
        __slots__ = ()

        def close(self) -> None:
            if self.own:
                self.thread  # read C1
                self.executor.shutdown(wait=False)


class WaitsInside:
    switch = "WaitsOutside"

    class TaskExecutor(impl.TaskExecutor):
        __slots__ = ()

        def close(self) -> None:
            if self.own:
                thread = self.thread  # read C1
                self.executor.shutdown(wait=get_ident() == thread)


class WaitsForItself:
    switch = "KnowsItself"

    class TaskExecutor(impl.TaskExecutor):
        __slots__ = ()

        def close(self) -> None:
            if self.own:
                self.thread  # read C1
                self.executor.shutdown(wait=True)


class SaysNothing:
    switch = "NotesItself"

    class TaskExecutor(impl.TaskExecutor):
        __slots__ = ()

        def _begin(self) -> None:
            self.thread = None  # write B1
