"""Module TaskExecutor as a system, and an invariant of the module itself.

A ghost variable is added: the place among the accepted tasks at which a task was taken last.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies, Not, Or, Store

from proofs.task_executor.words import OPERATION, TASK, THREAD
from wheelproof.prove.invariant.system import Invariant
from wheelproof.prove.ts.system import WHOLE, Step, array, conjunct

T, U = THREAD.consts("thread other_thread")
(X,) = TASK.consts("a_task")
K, N = z3.Ints("number other_number")
NO_ONE, NO_TASK = THREAD.null, TASK.null
(CLOSER,), CLOSES_AT = THREAD.consts("closer"), z3.Int("closes_at")
"""The thread whose program closes, and the operation's place in it."""
SUBMITS = ("S1", "S2", "S3", "S4")
CLOSES = ("C1", "D1", "D2", "D3", "D4", "D5", "D6", "D7")
FRAMES = {"submit": SUBMITS, "close": CLOSES, "run": ("R1",)}
HOLDING = ("S2", "S3", "S4", "D2", "D3", "D4", "D7", "Y2", "Y5", "Y6", "Y7", "Y8")
"""Where a thread has the pool's condition."""
OF_WORKERS = ("B1", "Y1", "Y2", "Y3", "Y4", "Y5", "Y6", "Y7", "Y8", "R1", "T1")
WITHOUT = ("B1", "Y1", "Y2", "Y3", "Y4", "Y5", "Y6", "Y7", "Done")
"""Where the pool's thread has no task."""


class Executor(Invariant):
    """The generated system, and the axioms about every program.

    ``Worker``: the pool's thread, of which there is one.
    """

    VARIABLES = {"place": array(TASK, WHOLE)}
    RIGID = {"Worker": THREAD.z3}

    def taken(self, name: str, s: SimpleNamespace, t: z3.ExprRef, choices: object) -> Step:
        """The ghost's next value follows from the element that a step appends, at every label."""
        step = super().taken(name, s, t, choices)
        if "accepted_length" not in step.updates:
            return step
        last, items = step.updates["accepted_length"], step.updates["accepted_item"]
        assert isinstance(last, z3.ArithRef) and isinstance(items, z3.ArrayRef)
        return Step(step.guards, {**step.updates, "place": Store(s.place, items[last], last)})

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [*super().initially(s), ForAll([X], s.place[X] == 0)]

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """Threads are users, or the one worker. An operation that hands over names a task."""
        word, closes = s.Program_1_word[T][K], OPERATION.value("close")
        of_user = And(s.Users[T], 1 <= K, K <= s.Program_length[T])
        submits = s.Does_1[X] == OPERATION.value("submit")
        return [
            *super().given(s),
            ForAll([T], Implies(T != NO_ONE, s.Users[T] != s.Workers[T])),
            And(Not(s.Users[NO_ONE]), Not(s.Workers[NO_ONE])),
            And(ForAll([T], s.Workers[T] == (T == s.Worker)), s.Worker != NO_ONE),
            ForAll([T, K], Implies(of_user, Or(word == closes, word == OPERATION.value("submit")))),
            ForAll(
                [T, K],
                Implies(And(of_user, word != closes), s.Program_2_ExecutorTask[T][K] != NO_TASK),
            ),
            ForAll([T], Implies(s.Users[T], s.Program_length[T] >= 1)),
            ForAll([X], submits == (s.Does_2[X] != NO_TASK)),
            ForAll([X], s.Does_1[X] != OPERATION.value("work")),
        ]

    def in_hand(self, s: SimpleNamespace) -> z3.BoolRef:
        """The pool's thread has a task that it has not run."""
        w = s.Worker
        return Or(self.at(s, w, "R1"), And(self.at(s, w, "Y8"), s.taken[w] != NO_TASK))

    def before_calls(self, s: SimpleNamespace) -> z3.ArithRef:
        """How many tasks were accepted before those that wait."""
        return s.ran_length + If(self.in_hand(s), 1, 0)

    # -- threads

    @conjunct
    def one_holder(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread where the pool's condition is held has it."""
        return ForAll([T], Implies(And(T != NO_ONE, self.at(s, T, *HOLDING)), s.mutex == T))

    @conjunct
    def threads_have_their_places(self, s: SimpleNamespace) -> z3.BoolRef:
        """A worker is at its labels or in a procedure, and so is a user."""
        places = And(
            Implies(self.at(s, T, *OF_WORKERS), s.Workers[T]),
            Implies(self.at(s, T, "T0"), s.Users[T]),
        )
        labels = self.at(s, T, "T0", "Done", *OF_WORKERS, *SUBMITS, *CLOSES)
        return ForAll([T], Implies(T != NO_ONE, And(places, labels)))

    @conjunct
    def frames_are_of_what_runs(self, s: SimpleNamespace) -> z3.BoolRef:
        """A procedure is on a thread's stack where the thread is in it, and returns to it."""
        home = If(s.Users[T], self.label("T0"), self.label("T1"))
        frames = [
            getattr(s, f"ret_{name}")[T] == If(self.at(s, T, *labels), home, self.label("Nowhere"))
            for name, labels in FRAMES.items()
        ]
        return ForAll([T], Implies(T != NO_ONE, And(frames)))

    @conjunct
    def task_of_the_program(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread hands over a task, as its program says, or as the task that it runs says."""
        turn = s.turn[T] - 1
        by_program = And(
            s.task[T] == s.Program_2_ExecutorTask[T][turn],
            s.Program_1_word[T][turn] == OPERATION.value("submit"),
        )
        runs = And(s.task[T] == s.Does_2[s.taken[T]], s.taken[T] != NO_TASK)
        claim = And(s.task[T] != NO_TASK, If(s.Users[T], by_program, runs))
        return ForAll([T], Implies(And(T != NO_ONE, self.at(s, T, *SUBMITS)), claim))

    @conjunct
    def turns_are_of_the_program(self, s: SimpleNamespace) -> z3.BoolRef:
        """A user has begun the operations before its turn, and all of them where it has ended."""
        behind = s.Program_length[T] + 1
        in_range = And(1 <= s.turn[T], s.turn[T] <= behind)
        at_end = Implies(self.at(s, T, "Done"), s.turn[T] == behind)
        has_begun = Implies(self.at(s, T, *SUBMITS, *CLOSES), s.turn[T] >= 2)
        return ForAll([T], Implies(s.Users[T], And(in_range, at_end, has_begun)))

    # -- the pool's thread

    @conjunct
    def has_a_task_while_it_runs(self, s: SimpleNamespace) -> z3.BoolRef:
        """The pool's thread has a task from when it takes it until it has run."""
        w = s.Worker
        has = s.taken[w] != NO_TASK
        return And(
            Implies(self.at(s, w, *WITHOUT), Not(has)),
            Implies(self.at(s, w, "R1"), s.job[w] == s.taken[w]),
            Implies(self.at(s, w, "R1", "T1", *SUBMITS, *CLOSES), has),
            Implies(self.at(s, w, "Y8"), has != s.ended),
        )

    @conjunct
    def thread_is_the_workers(self, s: SimpleNamespace) -> z3.BoolRef:
        """The thread that is noted is the pool's, once that has begun."""
        w = s.Worker
        return s.thread == If(self.at(s, w, "B1"), NO_ONE, w)

    @conjunct
    def own_is_the_workers(self, s: SimpleNamespace) -> z3.BoolRef:
        """A closing thread has read that thread or none, and the pool's thread itself."""
        w = s.Worker
        claims = [Or(owner[T] == NO_ONE, owner[T] == w) for owner in (s.own, s.saved_close_own)]
        return And(
            ForAll([T], And(claims)),
            Implies(self.at(s, w, *CLOSES[1:]), s.own[w] == w),
        )

    @conjunct
    def shuts_before_it_waits(self, s: SimpleNamespace) -> z3.BoolRef:
        """The pool is shut where a close has shut it, and where its thread ends."""
        behind = self.at(s, T, "D3", "D4", "D5", "D6", "D7", "Y6", "Y7")
        return And(ForAll([T], Implies(And(T != NO_ONE, behind), s.shut)), Implies(s.ended, s.shut))

    @conjunct
    def takes_none_when_shut(self, s: SimpleNamespace) -> z3.BoolRef:
        """A task is taken while the pool is open."""
        return ForAll([T], Implies(And(T != NO_ONE, self.at(s, T, "S2")), Not(s.shut)))

    @conjunct
    def ends_when_none_waits(self, s: SimpleNamespace) -> z3.BoolRef:
        """The pool's thread ends where no task waits, and takes one where one does."""
        w = s.Worker
        ends = self.at(s, w, "Y7", "Done")
        return And(
            Implies(self.at(s, w, "Y5"), s.calls_length >= 1),
            Implies(Or(s.ended, self.at(s, w, "Y6")), s.calls_length == 0),
            Implies(ends, s.ended),
            Implies(s.ended, Or(ends, self.at(s, w, "Y8"))),
        )

    # -- tasks

    @conjunct
    def every_task_is_in_order(self, s: SimpleNamespace) -> z3.BoolRef:
        """Each accepted task has run, or is in hand, or waits: as many as there are."""
        lengths = [length >= 0 for length in (s.ran_length, s.calls_length, s.accepted_length)]
        return And(*lengths, s.accepted_length == self.before_calls(s) + s.calls_length)

    @conjunct
    def runs_in_order(self, s: SimpleNamespace) -> z3.BoolRef:
        """RunsInOrder: the tasks that have run are the beginning of the accepted ones."""
        same = s.ran_item[K] == s.accepted_item[K]
        return And(
            s.ran_length <= s.accepted_length,
            ForAll([K], Implies(And(1 <= K, K <= s.ran_length), same)),
        )

    @conjunct
    def in_hand_is_the_next(self, s: SimpleNamespace) -> z3.BoolRef:
        """A task that the pool's thread has taken and not run comes behind those that have run."""
        w, place = s.Worker, s.ran_length + 1
        return Implies(self.in_hand(s), s.taken[w] == s.accepted_item[place])

    @conjunct
    def what_waits_is_the_rest(self, s: SimpleNamespace) -> z3.BoolRef:
        """The waiting tasks come behind that, in their order."""
        same = s.calls_item[K] == s.accepted_item[self.before_calls(s) + K]
        return ForAll([K], Implies(And(1 <= K, K <= s.calls_length), same))

    @conjunct
    def accepted_are_tasks(self, s: SimpleNamespace) -> z3.BoolRef:
        there = And(1 <= K, K <= s.accepted_length)
        return ForAll([K], Implies(there, s.accepted_item[K] != NO_TASK))

    @conjunct
    def places_are_of_their_tasks(self, s: SimpleNamespace) -> z3.BoolRef:
        """A task that has a place was accepted there."""
        place = s.place[X]
        there = And(1 <= place, place <= s.accepted_length, s.accepted_item[place] == X)
        return ForAll([X], Or(place == 0, there))

    @conjunct
    def none_is_lost(self, s: SimpleNamespace) -> z3.BoolRef:
        """NothingLost of a task that was handed over: it was accepted or refused."""
        x = s.Program_2_ExecutorTask[T][K]
        word = s.Program_1_word[T][K] == OPERATION.value("submit")
        under_way = And(K == s.turn[T] - 1, self.at(s, T, "S1", "S2"))
        over = And(s.Users[T], 1 <= K, K < s.turn[T], word, Not(under_way))
        return ForAll([T, K], Implies(over, Or(s.refused[x], s.place[x] != 0)))

    @conjunct
    def accepted_have_run_in_the_end(self, s: SimpleNamespace) -> z3.BoolRef:
        """NothingLost of the end: once the pool's thread has ended, each accepted task has run."""
        return Implies(self.at(s, s.Worker, "Done"), s.ran_length == s.accepted_length)

    # -- close

    @conjunct
    def returns_when_it_has_ended(self, s: SimpleNamespace) -> z3.BoolRef:
        """A user's close is about to return where the pool's thread has ended."""
        return ForAll([T], Implies(And(s.Users[T], self.at(s, T, "D7")), s.ended))

    @conjunct
    def close_waits(self, s: SimpleNamespace) -> z3.BoolRef:
        """CloseWaits: where a close has returned to a user, the pool's thread has ended."""
        return ForAll([T], Implies(And(s.Users[T], s.closed[T]), s.ended))

    # -- waits

    @conjunct
    def holder_is_where_it_holds(self, s: SimpleNamespace) -> z3.BoolRef:
        return Implies(s.mutex != NO_ONE, self.at(s, s.mutex, *HOLDING))

    @conjunct
    def sleepers_are_asleep(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that waits for a ticket is asleep."""
        return ForAll([T], Implies(And(T != NO_ONE, self.at(s, T, "D5", "Y3")), s.asleep[T]))

    @conjunct
    def worker_is_notified(self, s: SimpleNamespace) -> z3.BoolRef:
        """Where its thread sleeps without a ticket, nothing is to do, or it is being notified."""
        w = s.Worker
        has_ticket = Or(s.tickets[w], And(s.mutex != NO_ONE, self.at(s, s.mutex, "S3", "D3")))
        idle = And(s.calls_length == 0, Not(s.shut))
        return Implies(self.at(s, w, "Y3"), Or(has_ticket, idle))

    @conjunct
    def sleeps_while_it_runs(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that goes to sleep has seen under the condition that there is nothing to do."""
        w, idle = s.Worker, And(s.calls_length == 0, Not(s.shut))
        closer = ForAll([T], Implies(And(T != NO_ONE, self.at(s, T, "D4")), Not(s.ended)))
        return And(closer, Implies(self.at(s, w, "Y2"), idle))

    @conjunct
    def closers_are_notified(self, s: SimpleNamespace) -> z3.BoolRef:
        """Where a close sleeps without a ticket, its thread has not ended, or is to notify."""
        has_ticket = Or(s.tickets[T], Not(s.ended), self.at(s, s.Worker, "Y7"))
        return ForAll([T], Implies(And(T != NO_ONE, self.at(s, T, "D5")), has_ticket))

    @conjunct
    def worker_waits_for_no_end(self, s: SimpleNamespace) -> z3.BoolRef:
        """The pool's thread does not wait for its own end."""
        w = s.Worker
        return Not(self.at(s, w, "D4", "D5", "D6"))

    @conjunct
    def closes_shut(self, s: SimpleNamespace) -> z3.BoolRef:
        """The pool is shut where a close of a program is over, or a refusal, or a task's close."""
        w, closes = s.Worker, OPERATION.value("close")
        to_shut = ("C1", "D1", "D2")
        under_way = And(K == s.turn[T] - 1, self.at(s, T, *to_shut))
        over = And(s.Users[T], 1 <= K, K < s.turn[T], s.Program_1_word[T][K] == closes)
        runs = And(K == s.ran_length, self.at(s, w, *to_shut))
        ran = And(1 <= K, K <= s.ran_length, s.Does_1[s.accepted_item[K]] == closes)
        return And(
            ForAll([T, K], Implies(And(over, Not(under_way)), s.shut)),
            ForAll([X], Implies(s.refused[X], s.shut)),
            ForAll([K], Implies(And(ran, Not(runs)), s.shut)),
        )

    def assumed(self, s: SimpleNamespace) -> dict[str, z3.BoolRef]:
        """A-CLOSES: an operation of a program closes, or hands over a task that does."""
        t, number, closes = CLOSER, CLOSES_AT, OPERATION.value("close")
        word, task = s.Program_1_word[t][number], s.Program_2_ExecutorTask[t][number]
        hands = And(word == OPERATION.value("submit"), s.Does_1[task] == closes)
        there = And(s.Users[t], 1 <= number, number <= s.Program_length[t])
        return {"A-CLOSES": And(there, Or(word == closes, hands))}

    def waits(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        locks = And(self.at(s, t, "S1", "D1", "D6", "Y1", "Y4"), s.mutex != NO_ONE)
        return Or(locks, And(self.at(s, t, "D5", "Y3"), Not(s.tickets[t])))


class Once(Executor):
    """Where each task is handed over once: by one operation of a program, or by one task.

    ``By``: task -> the task that hands it over, if one does. ``Submitter``, ``Number``: task -> the
    thread whose program does, and the operation's place in it.
    """

    RIGID = {
        **Executor.RIGID,
        "By": array(TASK, TASK),
        "Submitter": array(TASK, THREAD),
        "Number": array(TASK, WHOLE),
    }

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        word, x = s.Program_1_word[T][K], s.Program_2_ExecutorTask[T][K]
        identity = And(s.By[x] == NO_TASK, s.Submitter[x] == T, s.Number[x] == K)
        submits = And(
            s.Users[T], 1 <= K, K <= s.Program_length[T], word == OPERATION.value("submit")
        )
        task = s.Does_2[X]
        return [
            *super().given(s),
            ForAll([T, K], Implies(submits, identity)),
            ForAll([X], Implies(task != NO_TASK, s.By[task] == X)),
        ]

    @conjunct
    def accepted_are_spent(self, s: SimpleNamespace) -> z3.BoolRef:
        """Of a task that was accepted the operation is over, or the task that hands it over ran."""
        t, number, by, w = s.Submitter[X], s.Number[X], s.By[X], s.Worker
        to_take = And(number == s.turn[t] - 1, self.at(s, t, "S1", "S2"))
        of_user = And(s.Users[t], number < s.turn[t], Not(to_take))
        has_run = And(1 <= s.place[by], s.place[by] <= s.ran_length)
        of_task = And(has_run, Not(And(s.taken[w] == by, self.at(s, w, "S1", "S2"))))
        return ForAll([X], Implies(s.place[X] != 0, If(by == NO_TASK, of_user, of_task)))

    @conjunct
    def each_has_one_place(self, s: SimpleNamespace) -> z3.BoolRef:
        """A task was accepted once."""
        there = And(1 <= K, K <= s.accepted_length)
        return ForAll([K], Implies(there, s.place[s.accepted_item[K]] == K))

    @conjunct
    def runs_the_last(self, s: SimpleNamespace) -> z3.BoolRef:
        """A task that the pool's thread hands over is of the task that ran last."""
        w = s.Worker
        last = And(s.ran_length >= 1, s.taken[w] == s.accepted_item[s.ran_length])
        return Implies(self.at(s, w, *SUBMITS), last)

    @conjunct
    def runs_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """RunsOnce: the tasks that have run at two places are two."""
        within = And(1 <= K, K <= s.ran_length, 1 <= N, N <= s.ran_length)
        return ForAll([K, N], Implies(And(within, s.ran_item[K] == s.ran_item[N]), K == N))
