-------------------------- MODULE DelayedOperation --------------------------
(***************************************************************************)
(* A delayed operation of Kafka's purgatory, shared by the threads whose    *)
(* events may complete it, by the reaper that expires it, and by any        *)
(* other thread that holds its lock.                                        *)
(*                                                                          *)
(* Five generations of the completion protocol stand side by side:          *)
(*   TryOnce    (O) 0.11.0.2 to 1.0: a thread without the lock returns      *)
(*   TryPending (P) 1.1 to 2.6: maybeTryComplete with tryCompletePending    *)
(*   LockedTry  (S) 2.7 to 3.9: safeTryComplete waits for the lock          *)
(*   CheckedTry (B) 4.0: the same, if the operation is not completed yet    *)
(*   Blocking   (B) 4.1 on: forceComplete (L) holds the lock too            *)
(* All but Blocking share forceComplete by compare-and-set (X).  tryComplete*)
(* (Y) reads one condition a step; onComplete (D) may take a lock of the    *)
(* caller's, complete another operation, or raise; run (T1, V1) expires.    *)
(*                                                                          *)
(* One label is one step: every lock, unlock and tryLock, every access of   *)
(* completed, tryCompletePending and a condition, the cancel of the timer   *)
(* task (one step: TimerTaskList shows why that is allowed).  Simplified    *)
(* away: watching, the timer itself, and weak memory.                       *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
  Protocol,     \* operation |-> one of Protocols
  Needs,        \* operation |-> its conditions, in the order in which they are read
  Completes,    \* operation |-> the operations that its onComplete completes, none or one
  Raises,       \* the operations whose onComplete raises
  Locking,      \* the operations whose onComplete takes a lock of the callers'
  Locks,        \* the callers' own locks, such as groups'; one of them is "outer"
  OuterOf,      \* operation |-> the callers' lock that it takes; "outer" for those not in it
  Guard,        \* operation |-> the callers' lock that it has for its own, if any
  Program,      \* thread |-> sequence of <<name, argument, ...>>
  NULL

Operations == DOMAIN Protocol
Conditions == UNION {{Needs[o][i] : i \in DOMAIN Needs[o]} : o \in Operations}
Threads    == DOMAIN Program
Protocols  == {"TryOnce", "TryPending", "LockedTry", "CheckedTry", "Blocking"}
Names      == {"deliver", "deliver_holding", "deliver_after", "attempt", "hold", "expire"}

ASSUME ProtocolsAreKnown == \A o \in Operations : Protocol[o] \in Protocols
ASSUME EveryOperationWaits == DOMAIN Needs = Operations /\ \A o \in Operations : Needs[o] # <<>>
ASSUME CompletesOneAtMost == /\ DOMAIN Completes = Operations
                             /\ \A o \in Operations : Len(Completes[o]) <= 1
ASSUME RaisesAndLockingAreOperations == Raises \cup Locking \subseteq Operations
ASSUME LocksAreThere ==
  /\ DOMAIN OuterOf \cup DOMAIN Guard \subseteq Operations
  /\ \A o \in Locking : (IF o \in DOMAIN OuterOf THEN OuterOf[o] ELSE "outer") \in Locks
  /\ \A o \in DOMAIN Guard : Guard[o] \in Locks
ASSUME ProgramsAreOperations ==
  \A t \in Threads : \A i \in DOMAIN Program[t] : Program[t][i][1] \in Names

Target(t, i) == Program[t][i][Len(Program[t][i])]    \* the operation is the last argument
\* The callers' lock of a step in a program: the argument behind the condition, if there is one.
Held(t, i) == IF Len(Program[t][i]) = 4 THEN Program[t][i][3] ELSE "outer"
Outer(o) == IF o \in DOMAIN OuterOf THEN OuterOf[o] ELSE "outer"

Free == [owner |-> NULL, depth |-> 0]

(*--algorithm DelayedOperation
variables
  ready     = [c \in Conditions |-> FALSE],
  completed = [o \in Operations |-> FALSE],
  pending   = [o \in Operations |-> FALSE],   \* tryCompletePending
  lock      = [o \in Operations |-> Free],    \* the operation's own, re-entrant
  outer     = [x \in Locks |-> Free],         \* locks of the callers', such as groups'
  armed     = [o \in Operations |-> TRUE],    \* the timer task is not cancelled
  completions = [o \in Operations |-> 0],     \* calls of onComplete
  expirations = [o \in Operations |-> 0],     \* calls of onExpiration
  \* What a call returned or raised: in code on the thread's stack, here by thread.
  won       = [t \in Threads |-> FALSE],
  raised    = [t \in Threads |-> FALSE],
  \* History: what the properties speak of; no step reads it.
  winner    = [o \in Operations |-> NULL],    \* the thread that completed the operation
  expiredBy = [o \in Operations |-> {}],      \* the threads that ran onExpiration
  gaveUp    = [t \in Threads |-> FALSE];      \* has just not got the lock, and will not try again

define
  \* The thread that has an operation's lock.
  Holder(o) == IF o \in DOMAIN Guard THEN outer[Guard[o]].owner ELSE lock[o].owner
end define;

macro enter(locks, x) begin
  await locks[x].owner \in {NULL, self};
  locks[x] := [owner |-> self, depth |-> locks[x].depth + 1];
end macro;

macro leave(locks, x) begin
  locks[x] := IF locks[x].depth = 1 THEN Free ELSE [owner |-> self, depth |-> locks[x].depth - 1];
end macro;

\* the lock of an operation: the callers', or its own
macro take(o) begin
  if o \in DOMAIN Guard then enter(outer, Guard[o]);
  else enter(lock, o);
  end if;
end macro;

macro give(o) begin
  if o \in DOMAIN Guard then leave(outer, Guard[o]);
  else leave(lock, o);
  end if;
end macro;

\* onComplete of the worked operation
procedure onComplete(co = NULL)
begin
D1:  completions[co] := completions[co] + 1;
     if co \in Locking then
D2:    enter(outer, Outer(co));
D3:    leave(outer, Outer(co));
     end if;
D4:  if co \in Raises then raised[self] := TRUE; return;
     elsif Completes[co] = <<>> then return;
     elsif Protocol[Completes[co][1]] = "Blocking" then
       call forceCompleteLocked(Completes[co][1]); return;
     else call forceComplete(Completes[co][1]); return;
     end if;
end procedure;

\* forceComplete of all but Blocking
procedure forceComplete(xo = NULL)
begin
X1:  if completed[xo] then won[self] := FALSE; return;
     else completed[xo] := TRUE; winner[xo] := self;
     end if;
X3:  armed[xo] := FALSE;
     call onComplete(xo);
X4:  won[self] := TRUE;
     return;
end procedure;

\* forceComplete of Blocking
procedure forceCompleteLocked(lo = NULL)
begin
L1:  if completed[lo] then won[self] := FALSE; return; end if;
L2:  take(lo);
L3:  if completed[lo] then won[self] := FALSE;
     else
L4:    completed[lo] := TRUE;
       winner[lo] := self;
L5:    armed[lo] := FALSE;
       call onComplete(lo);
L6:    won[self] := TRUE;
     end if;
L7:  give(lo);
     return;
end procedure;

\* tryComplete of the worked operation: one condition after the other
procedure tryComplete(yo = NULL)
variables at = 1;
begin
Y1:  if ~ready[Needs[yo][at]] then return;
     elsif at = Len(Needs[yo]) then
       if Protocol[yo] = "Blocking" then call forceCompleteLocked(yo); return;
       else call forceComplete(yo); return;
       end if;
     end if;
Y2:  at := at + 1;
     goto Y1;
end procedure;

\* maybeTryComplete of TryOnce
procedure tryOnce(oo = NULL)
begin
O1:  if Holder(oo) \in {NULL, self} then take(oo); call tryComplete(oo);
     else return;
     end if;
O2:  give(oo);
     return;
end procedure;

\* maybeTryComplete of TryPending: who does not get the lock leaves a note for who has it
procedure tryPending(po = NULL)
variables retry = FALSE;
begin
P1:  if Holder(po) \in {NULL, self} then
       take(po);
P2:    pending[po] := FALSE;
       call tryComplete(po);
P3:    give(po);
       if raised[self] then return; end if;
P4:    retry := pending[po];
     else
P5:    retry := ~pending[po];
       gaveUp[self] := ~retry;
       pending[po] := TRUE;
     end if;
P6:  gaveUp[self] := FALSE;
     if retry /\ ~completed[po] then goto P1; else return; end if;
end procedure;

\* safeTryComplete of LockedTry
procedure lockedTry(so = NULL)
begin
S1:  take(so);
     call tryComplete(so);
S2:  give(so);
     return;
end procedure;

\* safeTryComplete of CheckedTry and Blocking
procedure safeTryComplete(bo = NULL)
begin
B1:  take(bo);
B2:  if ~completed[bo] then call tryComplete(bo); end if;
B3:  give(bo);
     return;
end procedure;

\* A thread runs its program: an event makes a condition true and tries the operation; a reaper
\* expires it; a stranger holds its lock.  T0, T1, Y2, D4, X4 and L6 are steps only to
\* PlusCal. A call stands in the process: in a macro the translation would miss its fairness.
fair process thread \in Threads
variables turn = 1;
begin
T0:  while turn <= Len(Program[self]) do
       turn := turn + 1;
       won[self] := FALSE;
       raised[self] := FALSE;
       if Program[self][turn - 1][1] = "expire" then
         if Protocol[Target(self, turn - 1)] = "Blocking" then
           call forceCompleteLocked(Target(self, turn - 1));
         else call forceComplete(Target(self, turn - 1));
         end if;
T1:      if ~raised[self] /\ won[self] then
V1:        expirations[Target(self, turn - 1)] := expirations[Target(self, turn - 1)] + 1;
           expiredBy[Target(self, turn - 1)] := expiredBy[Target(self, turn - 1)] \cup {self};
         end if;
       elsif Program[self][turn - 1][1] = "hold" then
H1:      take(Target(self, turn - 1));
H2:      give(Target(self, turn - 1));
       elsif Program[self][turn - 1][1] = "attempt" then
         if Protocol[Target(self, turn - 1)] = "TryOnce" then call tryOnce(Target(self, turn - 1));
         elsif Protocol[Target(self, turn - 1)] = "TryPending" then
           call tryPending(Target(self, turn - 1));
         elsif Protocol[Target(self, turn - 1)] = "LockedTry" then
           call lockedTry(Target(self, turn - 1));
         else call safeTryComplete(Target(self, turn - 1));
         end if;
       elsif Program[self][turn - 1][1] = "deliver" then
E1:      ready[Program[self][turn - 1][2]] := TRUE;
         if Protocol[Target(self, turn - 1)] = "TryOnce" then call tryOnce(Target(self, turn - 1));
         elsif Protocol[Target(self, turn - 1)] = "TryPending" then
           call tryPending(Target(self, turn - 1));
         elsif Protocol[Target(self, turn - 1)] = "LockedTry" then
           call lockedTry(Target(self, turn - 1));
         else call safeTryComplete(Target(self, turn - 1));
         end if;
       elsif Program[self][turn - 1][1] = "deliver_after" then
G3:      enter(outer, Held(self, turn - 1));
E3:      ready[Program[self][turn - 1][2]] := TRUE;
G4:      leave(outer, Held(self, turn - 1));
         if Protocol[Target(self, turn - 1)] = "TryOnce" then call tryOnce(Target(self, turn - 1));
         elsif Protocol[Target(self, turn - 1)] = "TryPending" then
           call tryPending(Target(self, turn - 1));
         elsif Protocol[Target(self, turn - 1)] = "LockedTry" then
           call lockedTry(Target(self, turn - 1));
         else call safeTryComplete(Target(self, turn - 1));
         end if;
       else
G1:      enter(outer, Held(self, turn - 1));
E2:      ready[Program[self][turn - 1][2]] := TRUE;
         if Protocol[Target(self, turn - 1)] = "TryOnce" then call tryOnce(Target(self, turn - 1));
         elsif Protocol[Target(self, turn - 1)] = "TryPending" then
           call tryPending(Target(self, turn - 1));
         elsif Protocol[Target(self, turn - 1)] = "LockedTry" then
           call lockedTry(Target(self, turn - 1));
         else call safeTryComplete(Target(self, turn - 1));
         end if;
G2:      leave(outer, Held(self, turn - 1));
       end if;
     end while;
end process;
end algorithm; *)
\* BEGIN TRANSLATION
VARIABLES ready, completed, pending, lock, outer, armed, completions, 
          expirations, won, raised, winner, expiredBy, gaveUp, pc, stack

(* define statement *)
Holder(o) == IF o \in DOMAIN Guard THEN outer[Guard[o]].owner ELSE lock[o].owner

VARIABLES co, xo, lo, yo, at, oo, po, retry, so, bo, turn

vars == << ready, completed, pending, lock, outer, armed, completions, 
           expirations, won, raised, winner, expiredBy, gaveUp, pc, stack, co, 
           xo, lo, yo, at, oo, po, retry, so, bo, turn >>

ProcSet == (Threads)

Init == (* Global variables *)
        /\ ready = [c \in Conditions |-> FALSE]
        /\ completed = [o \in Operations |-> FALSE]
        /\ pending = [o \in Operations |-> FALSE]
        /\ lock = [o \in Operations |-> Free]
        /\ outer = [x \in Locks |-> Free]
        /\ armed = [o \in Operations |-> TRUE]
        /\ completions = [o \in Operations |-> 0]
        /\ expirations = [o \in Operations |-> 0]
        /\ won = [t \in Threads |-> FALSE]
        /\ raised = [t \in Threads |-> FALSE]
        /\ winner = [o \in Operations |-> NULL]
        /\ expiredBy = [o \in Operations |-> {}]
        /\ gaveUp = [t \in Threads |-> FALSE]
        (* Procedure onComplete *)
        /\ co = [ self \in ProcSet |-> NULL]
        (* Procedure forceComplete *)
        /\ xo = [ self \in ProcSet |-> NULL]
        (* Procedure forceCompleteLocked *)
        /\ lo = [ self \in ProcSet |-> NULL]
        (* Procedure tryComplete *)
        /\ yo = [ self \in ProcSet |-> NULL]
        /\ at = [ self \in ProcSet |-> 1]
        (* Procedure tryOnce *)
        /\ oo = [ self \in ProcSet |-> NULL]
        (* Procedure tryPending *)
        /\ po = [ self \in ProcSet |-> NULL]
        /\ retry = [ self \in ProcSet |-> FALSE]
        (* Procedure lockedTry *)
        /\ so = [ self \in ProcSet |-> NULL]
        (* Procedure safeTryComplete *)
        /\ bo = [ self \in ProcSet |-> NULL]
        (* Process thread *)
        /\ turn = [self \in Threads |-> 1]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> "T0"]

D1(self) == /\ pc[self] = "D1"
            /\ completions' = [completions EXCEPT ![co[self]] = completions[co[self]] + 1]
            /\ IF co[self] \in Locking
                  THEN /\ pc' = [pc EXCEPT ![self] = "D2"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "D4"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            expirations, won, raised, winner, expiredBy, 
                            gaveUp, stack, co, xo, lo, yo, at, oo, po, retry, 
                            so, bo, turn >>

D2(self) == /\ pc[self] = "D2"
            /\ outer[(Outer(co[self]))].owner \in {NULL, self}
            /\ outer' = [outer EXCEPT ![(Outer(co[self]))] = [owner |-> self, depth |-> outer[(Outer(co[self]))].depth + 1]]
            /\ pc' = [pc EXCEPT ![self] = "D3"]
            /\ UNCHANGED << ready, completed, pending, lock, armed, 
                            completions, expirations, won, raised, winner, 
                            expiredBy, gaveUp, stack, co, xo, lo, yo, at, oo, 
                            po, retry, so, bo, turn >>

D3(self) == /\ pc[self] = "D3"
            /\ outer' = [outer EXCEPT ![(Outer(co[self]))] = IF outer[(Outer(co[self]))].depth = 1 THEN Free ELSE [owner |-> self, depth |-> outer[(Outer(co[self]))].depth - 1]]
            /\ pc' = [pc EXCEPT ![self] = "D4"]
            /\ UNCHANGED << ready, completed, pending, lock, armed, 
                            completions, expirations, won, raised, winner, 
                            expiredBy, gaveUp, stack, co, xo, lo, yo, at, oo, 
                            po, retry, so, bo, turn >>

D4(self) == /\ pc[self] = "D4"
            /\ IF co[self] \in Raises
                  THEN /\ raised' = [raised EXCEPT ![self] = TRUE]
                       /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ co' = [co EXCEPT ![self] = Head(stack[self]).co]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << xo, lo >>
                  ELSE /\ IF Completes[co[self]] = <<>>
                             THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                                  /\ co' = [co EXCEPT ![self] = Head(stack[self]).co]
                                  /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                                  /\ UNCHANGED << xo, lo >>
                             ELSE /\ IF Protocol[Completes[co[self]][1]] = "Blocking"
                                        THEN /\ /\ lo' = [lo EXCEPT ![self] = Completes[co[self]][1]]
                                                /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "forceCompleteLocked",
                                                                                         pc        |->  Head(stack[self]).pc,
                                                                                         lo        |->  lo[self] ] >>
                                                                                     \o Tail(stack[self])]
                                             /\ pc' = [pc EXCEPT ![self] = "L1"]
                                             /\ xo' = xo
                                        ELSE /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "forceComplete",
                                                                                         pc        |->  Head(stack[self]).pc,
                                                                                         xo        |->  xo[self] ] >>
                                                                                     \o Tail(stack[self])]
                                                /\ xo' = [xo EXCEPT ![self] = Completes[co[self]][1]]
                                             /\ pc' = [pc EXCEPT ![self] = "X1"]
                                             /\ lo' = lo
                                  /\ co' = co
                       /\ UNCHANGED raised
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            completions, expirations, won, winner, expiredBy, 
                            gaveUp, yo, at, oo, po, retry, so, bo, turn >>

onComplete(self) == D1(self) \/ D2(self) \/ D3(self) \/ D4(self)

X1(self) == /\ pc[self] = "X1"
            /\ IF completed[xo[self]]
                  THEN /\ won' = [won EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ xo' = [xo EXCEPT ![self] = Head(stack[self]).xo]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << completed, winner >>
                  ELSE /\ completed' = [completed EXCEPT ![xo[self]] = TRUE]
                       /\ winner' = [winner EXCEPT ![xo[self]] = self]
                       /\ pc' = [pc EXCEPT ![self] = "X3"]
                       /\ UNCHANGED << won, stack, xo >>
            /\ UNCHANGED << ready, pending, lock, outer, armed, completions, 
                            expirations, raised, expiredBy, gaveUp, co, lo, yo, 
                            at, oo, po, retry, so, bo, turn >>

X3(self) == /\ pc[self] = "X3"
            /\ armed' = [armed EXCEPT ![xo[self]] = FALSE]
            /\ /\ co' = [co EXCEPT ![self] = xo[self]]
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "onComplete",
                                                        pc        |->  "X4",
                                                        co        |->  co[self] ] >>
                                                    \o stack[self]]
            /\ pc' = [pc EXCEPT ![self] = "D1"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, 
                            completions, expirations, won, raised, winner, 
                            expiredBy, gaveUp, xo, lo, yo, at, oo, po, retry, 
                            so, bo, turn >>

X4(self) == /\ pc[self] = "X4"
            /\ won' = [won EXCEPT ![self] = TRUE]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ xo' = [xo EXCEPT ![self] = Head(stack[self]).xo]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            completions, expirations, raised, winner, 
                            expiredBy, gaveUp, co, lo, yo, at, oo, po, retry, 
                            so, bo, turn >>

forceComplete(self) == X1(self) \/ X3(self) \/ X4(self)

L1(self) == /\ pc[self] = "L1"
            /\ IF completed[lo[self]]
                  THEN /\ won' = [won EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ lo' = [lo EXCEPT ![self] = Head(stack[self]).lo]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "L2"]
                       /\ UNCHANGED << won, stack, lo >>
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            completions, expirations, raised, winner, 
                            expiredBy, gaveUp, co, xo, yo, at, oo, po, retry, 
                            so, bo, turn >>

L2(self) == /\ pc[self] = "L2"
            /\ IF lo[self] \in DOMAIN Guard
                  THEN /\ outer[(Guard[lo[self]])].owner \in {NULL, self}
                       /\ outer' = [outer EXCEPT ![(Guard[lo[self]])] = [owner |-> self, depth |-> outer[(Guard[lo[self]])].depth + 1]]
                       /\ lock' = lock
                  ELSE /\ lock[lo[self]].owner \in {NULL, self}
                       /\ lock' = [lock EXCEPT ![lo[self]] = [owner |-> self, depth |-> lock[lo[self]].depth + 1]]
                       /\ outer' = outer
            /\ pc' = [pc EXCEPT ![self] = "L3"]
            /\ UNCHANGED << ready, completed, pending, armed, completions, 
                            expirations, won, raised, winner, expiredBy, 
                            gaveUp, stack, co, xo, lo, yo, at, oo, po, retry, 
                            so, bo, turn >>

L3(self) == /\ pc[self] = "L3"
            /\ IF completed[lo[self]]
                  THEN /\ won' = [won EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = "L7"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "L4"]
                       /\ won' = won
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            completions, expirations, raised, winner, 
                            expiredBy, gaveUp, stack, co, xo, lo, yo, at, oo, 
                            po, retry, so, bo, turn >>

L4(self) == /\ pc[self] = "L4"
            /\ completed' = [completed EXCEPT ![lo[self]] = TRUE]
            /\ winner' = [winner EXCEPT ![lo[self]] = self]
            /\ pc' = [pc EXCEPT ![self] = "L5"]
            /\ UNCHANGED << ready, pending, lock, outer, armed, completions, 
                            expirations, won, raised, expiredBy, gaveUp, stack, 
                            co, xo, lo, yo, at, oo, po, retry, so, bo, turn >>

L5(self) == /\ pc[self] = "L5"
            /\ armed' = [armed EXCEPT ![lo[self]] = FALSE]
            /\ /\ co' = [co EXCEPT ![self] = lo[self]]
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "onComplete",
                                                        pc        |->  "L6",
                                                        co        |->  co[self] ] >>
                                                    \o stack[self]]
            /\ pc' = [pc EXCEPT ![self] = "D1"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, 
                            completions, expirations, won, raised, winner, 
                            expiredBy, gaveUp, xo, lo, yo, at, oo, po, retry, 
                            so, bo, turn >>

L6(self) == /\ pc[self] = "L6"
            /\ won' = [won EXCEPT ![self] = TRUE]
            /\ pc' = [pc EXCEPT ![self] = "L7"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            completions, expirations, raised, winner, 
                            expiredBy, gaveUp, stack, co, xo, lo, yo, at, oo, 
                            po, retry, so, bo, turn >>

L7(self) == /\ pc[self] = "L7"
            /\ IF lo[self] \in DOMAIN Guard
                  THEN /\ outer' = [outer EXCEPT ![(Guard[lo[self]])] = IF outer[(Guard[lo[self]])].depth = 1 THEN Free ELSE [owner |-> self, depth |-> outer[(Guard[lo[self]])].depth - 1]]
                       /\ lock' = lock
                  ELSE /\ lock' = [lock EXCEPT ![lo[self]] = IF lock[lo[self]].depth = 1 THEN Free ELSE [owner |-> self, depth |-> lock[lo[self]].depth - 1]]
                       /\ outer' = outer
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ lo' = [lo EXCEPT ![self] = Head(stack[self]).lo]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << ready, completed, pending, armed, completions, 
                            expirations, won, raised, winner, expiredBy, 
                            gaveUp, co, xo, yo, at, oo, po, retry, so, bo, 
                            turn >>

forceCompleteLocked(self) == L1(self) \/ L2(self) \/ L3(self) \/ L4(self)
                                \/ L5(self) \/ L6(self) \/ L7(self)

Y1(self) == /\ pc[self] = "Y1"
            /\ IF ~ready[Needs[yo[self]][at[self]]]
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ at' = [at EXCEPT ![self] = Head(stack[self]).at]
                       /\ yo' = [yo EXCEPT ![self] = Head(stack[self]).yo]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << xo, lo >>
                  ELSE /\ IF at[self] = Len(Needs[yo[self]])
                             THEN /\ IF Protocol[yo[self]] = "Blocking"
                                        THEN /\ /\ at' = [at EXCEPT ![self] = Head(stack[self]).at]
                                                /\ lo' = [lo EXCEPT ![self] = yo[self]]
                                                /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "forceCompleteLocked",
                                                                                         pc        |->  Head(stack[self]).pc,
                                                                                         lo        |->  lo[self] ] >>
                                                                                     \o Tail(stack[self])]
                                             /\ pc' = [pc EXCEPT ![self] = "L1"]
                                             /\ xo' = xo
                                        ELSE /\ /\ at' = [at EXCEPT ![self] = Head(stack[self]).at]
                                                /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "forceComplete",
                                                                                         pc        |->  Head(stack[self]).pc,
                                                                                         xo        |->  xo[self] ] >>
                                                                                     \o Tail(stack[self])]
                                                /\ xo' = [xo EXCEPT ![self] = yo[self]]
                                             /\ pc' = [pc EXCEPT ![self] = "X1"]
                                             /\ lo' = lo
                             ELSE /\ pc' = [pc EXCEPT ![self] = "Y2"]
                                  /\ UNCHANGED << stack, xo, lo, at >>
                       /\ yo' = yo
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            completions, expirations, won, raised, winner, 
                            expiredBy, gaveUp, co, oo, po, retry, so, bo, turn >>

Y2(self) == /\ pc[self] = "Y2"
            /\ at' = [at EXCEPT ![self] = at[self] + 1]
            /\ pc' = [pc EXCEPT ![self] = "Y1"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            completions, expirations, won, raised, winner, 
                            expiredBy, gaveUp, stack, co, xo, lo, yo, oo, po, 
                            retry, so, bo, turn >>

tryComplete(self) == Y1(self) \/ Y2(self)

O1(self) == /\ pc[self] = "O1"
            /\ IF Holder(oo[self]) \in {NULL, self}
                  THEN /\ IF oo[self] \in DOMAIN Guard
                             THEN /\ outer[(Guard[oo[self]])].owner \in {NULL, self}
                                  /\ outer' = [outer EXCEPT ![(Guard[oo[self]])] = [owner |-> self, depth |-> outer[(Guard[oo[self]])].depth + 1]]
                                  /\ lock' = lock
                             ELSE /\ lock[oo[self]].owner \in {NULL, self}
                                  /\ lock' = [lock EXCEPT ![oo[self]] = [owner |-> self, depth |-> lock[oo[self]].depth + 1]]
                                  /\ outer' = outer
                       /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tryComplete",
                                                                   pc        |->  "O2",
                                                                   at        |->  at[self],
                                                                   yo        |->  yo[self] ] >>
                                                               \o stack[self]]
                          /\ yo' = [yo EXCEPT ![self] = oo[self]]
                       /\ at' = [at EXCEPT ![self] = 1]
                       /\ pc' = [pc EXCEPT ![self] = "Y1"]
                       /\ oo' = oo
                  ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ oo' = [oo EXCEPT ![self] = Head(stack[self]).oo]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << lock, outer, yo, at >>
            /\ UNCHANGED << ready, completed, pending, armed, completions, 
                            expirations, won, raised, winner, expiredBy, 
                            gaveUp, co, xo, lo, po, retry, so, bo, turn >>

O2(self) == /\ pc[self] = "O2"
            /\ IF oo[self] \in DOMAIN Guard
                  THEN /\ outer' = [outer EXCEPT ![(Guard[oo[self]])] = IF outer[(Guard[oo[self]])].depth = 1 THEN Free ELSE [owner |-> self, depth |-> outer[(Guard[oo[self]])].depth - 1]]
                       /\ lock' = lock
                  ELSE /\ lock' = [lock EXCEPT ![oo[self]] = IF lock[oo[self]].depth = 1 THEN Free ELSE [owner |-> self, depth |-> lock[oo[self]].depth - 1]]
                       /\ outer' = outer
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ oo' = [oo EXCEPT ![self] = Head(stack[self]).oo]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << ready, completed, pending, armed, completions, 
                            expirations, won, raised, winner, expiredBy, 
                            gaveUp, co, xo, lo, yo, at, po, retry, so, bo, 
                            turn >>

tryOnce(self) == O1(self) \/ O2(self)

P1(self) == /\ pc[self] = "P1"
            /\ IF Holder(po[self]) \in {NULL, self}
                  THEN /\ IF po[self] \in DOMAIN Guard
                             THEN /\ outer[(Guard[po[self]])].owner \in {NULL, self}
                                  /\ outer' = [outer EXCEPT ![(Guard[po[self]])] = [owner |-> self, depth |-> outer[(Guard[po[self]])].depth + 1]]
                                  /\ lock' = lock
                             ELSE /\ lock[po[self]].owner \in {NULL, self}
                                  /\ lock' = [lock EXCEPT ![po[self]] = [owner |-> self, depth |-> lock[po[self]].depth + 1]]
                                  /\ outer' = outer
                       /\ pc' = [pc EXCEPT ![self] = "P2"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "P5"]
                       /\ UNCHANGED << lock, outer >>
            /\ UNCHANGED << ready, completed, pending, armed, completions, 
                            expirations, won, raised, winner, expiredBy, 
                            gaveUp, stack, co, xo, lo, yo, at, oo, po, retry, 
                            so, bo, turn >>

P2(self) == /\ pc[self] = "P2"
            /\ pending' = [pending EXCEPT ![po[self]] = FALSE]
            /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tryComplete",
                                                        pc        |->  "P3",
                                                        at        |->  at[self],
                                                        yo        |->  yo[self] ] >>
                                                    \o stack[self]]
               /\ yo' = [yo EXCEPT ![self] = po[self]]
            /\ at' = [at EXCEPT ![self] = 1]
            /\ pc' = [pc EXCEPT ![self] = "Y1"]
            /\ UNCHANGED << ready, completed, lock, outer, armed, completions, 
                            expirations, won, raised, winner, expiredBy, 
                            gaveUp, co, xo, lo, oo, po, retry, so, bo, turn >>

P3(self) == /\ pc[self] = "P3"
            /\ IF po[self] \in DOMAIN Guard
                  THEN /\ outer' = [outer EXCEPT ![(Guard[po[self]])] = IF outer[(Guard[po[self]])].depth = 1 THEN Free ELSE [owner |-> self, depth |-> outer[(Guard[po[self]])].depth - 1]]
                       /\ lock' = lock
                  ELSE /\ lock' = [lock EXCEPT ![po[self]] = IF lock[po[self]].depth = 1 THEN Free ELSE [owner |-> self, depth |-> lock[po[self]].depth - 1]]
                       /\ outer' = outer
            /\ IF raised[self]
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ retry' = [retry EXCEPT ![self] = Head(stack[self]).retry]
                       /\ po' = [po EXCEPT ![self] = Head(stack[self]).po]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "P4"]
                       /\ UNCHANGED << stack, po, retry >>
            /\ UNCHANGED << ready, completed, pending, armed, completions, 
                            expirations, won, raised, winner, expiredBy, 
                            gaveUp, co, xo, lo, yo, at, oo, so, bo, turn >>

P4(self) == /\ pc[self] = "P4"
            /\ retry' = [retry EXCEPT ![self] = pending[po[self]]]
            /\ pc' = [pc EXCEPT ![self] = "P6"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            completions, expirations, won, raised, winner, 
                            expiredBy, gaveUp, stack, co, xo, lo, yo, at, oo, 
                            po, so, bo, turn >>

P5(self) == /\ pc[self] = "P5"
            /\ retry' = [retry EXCEPT ![self] = ~pending[po[self]]]
            /\ gaveUp' = [gaveUp EXCEPT ![self] = ~retry'[self]]
            /\ pending' = [pending EXCEPT ![po[self]] = TRUE]
            /\ pc' = [pc EXCEPT ![self] = "P6"]
            /\ UNCHANGED << ready, completed, lock, outer, armed, completions, 
                            expirations, won, raised, winner, expiredBy, stack, 
                            co, xo, lo, yo, at, oo, po, so, bo, turn >>

P6(self) == /\ pc[self] = "P6"
            /\ gaveUp' = [gaveUp EXCEPT ![self] = FALSE]
            /\ IF retry[self] /\ ~completed[po[self]]
                  THEN /\ pc' = [pc EXCEPT ![self] = "P1"]
                       /\ UNCHANGED << stack, po, retry >>
                  ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ retry' = [retry EXCEPT ![self] = Head(stack[self]).retry]
                       /\ po' = [po EXCEPT ![self] = Head(stack[self]).po]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            completions, expirations, won, raised, winner, 
                            expiredBy, co, xo, lo, yo, at, oo, so, bo, turn >>

tryPending(self) == P1(self) \/ P2(self) \/ P3(self) \/ P4(self)
                       \/ P5(self) \/ P6(self)

S1(self) == /\ pc[self] = "S1"
            /\ IF so[self] \in DOMAIN Guard
                  THEN /\ outer[(Guard[so[self]])].owner \in {NULL, self}
                       /\ outer' = [outer EXCEPT ![(Guard[so[self]])] = [owner |-> self, depth |-> outer[(Guard[so[self]])].depth + 1]]
                       /\ lock' = lock
                  ELSE /\ lock[so[self]].owner \in {NULL, self}
                       /\ lock' = [lock EXCEPT ![so[self]] = [owner |-> self, depth |-> lock[so[self]].depth + 1]]
                       /\ outer' = outer
            /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tryComplete",
                                                        pc        |->  "S2",
                                                        at        |->  at[self],
                                                        yo        |->  yo[self] ] >>
                                                    \o stack[self]]
               /\ yo' = [yo EXCEPT ![self] = so[self]]
            /\ at' = [at EXCEPT ![self] = 1]
            /\ pc' = [pc EXCEPT ![self] = "Y1"]
            /\ UNCHANGED << ready, completed, pending, armed, completions, 
                            expirations, won, raised, winner, expiredBy, 
                            gaveUp, co, xo, lo, oo, po, retry, so, bo, turn >>

S2(self) == /\ pc[self] = "S2"
            /\ IF so[self] \in DOMAIN Guard
                  THEN /\ outer' = [outer EXCEPT ![(Guard[so[self]])] = IF outer[(Guard[so[self]])].depth = 1 THEN Free ELSE [owner |-> self, depth |-> outer[(Guard[so[self]])].depth - 1]]
                       /\ lock' = lock
                  ELSE /\ lock' = [lock EXCEPT ![so[self]] = IF lock[so[self]].depth = 1 THEN Free ELSE [owner |-> self, depth |-> lock[so[self]].depth - 1]]
                       /\ outer' = outer
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ so' = [so EXCEPT ![self] = Head(stack[self]).so]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << ready, completed, pending, armed, completions, 
                            expirations, won, raised, winner, expiredBy, 
                            gaveUp, co, xo, lo, yo, at, oo, po, retry, bo, 
                            turn >>

lockedTry(self) == S1(self) \/ S2(self)

B1(self) == /\ pc[self] = "B1"
            /\ IF bo[self] \in DOMAIN Guard
                  THEN /\ outer[(Guard[bo[self]])].owner \in {NULL, self}
                       /\ outer' = [outer EXCEPT ![(Guard[bo[self]])] = [owner |-> self, depth |-> outer[(Guard[bo[self]])].depth + 1]]
                       /\ lock' = lock
                  ELSE /\ lock[bo[self]].owner \in {NULL, self}
                       /\ lock' = [lock EXCEPT ![bo[self]] = [owner |-> self, depth |-> lock[bo[self]].depth + 1]]
                       /\ outer' = outer
            /\ pc' = [pc EXCEPT ![self] = "B2"]
            /\ UNCHANGED << ready, completed, pending, armed, completions, 
                            expirations, won, raised, winner, expiredBy, 
                            gaveUp, stack, co, xo, lo, yo, at, oo, po, retry, 
                            so, bo, turn >>

B2(self) == /\ pc[self] = "B2"
            /\ IF ~completed[bo[self]]
                  THEN /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tryComplete",
                                                                   pc        |->  "B3",
                                                                   at        |->  at[self],
                                                                   yo        |->  yo[self] ] >>
                                                               \o stack[self]]
                          /\ yo' = [yo EXCEPT ![self] = bo[self]]
                       /\ at' = [at EXCEPT ![self] = 1]
                       /\ pc' = [pc EXCEPT ![self] = "Y1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "B3"]
                       /\ UNCHANGED << stack, yo, at >>
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            completions, expirations, won, raised, winner, 
                            expiredBy, gaveUp, co, xo, lo, oo, po, retry, so, 
                            bo, turn >>

B3(self) == /\ pc[self] = "B3"
            /\ IF bo[self] \in DOMAIN Guard
                  THEN /\ outer' = [outer EXCEPT ![(Guard[bo[self]])] = IF outer[(Guard[bo[self]])].depth = 1 THEN Free ELSE [owner |-> self, depth |-> outer[(Guard[bo[self]])].depth - 1]]
                       /\ lock' = lock
                  ELSE /\ lock' = [lock EXCEPT ![bo[self]] = IF lock[bo[self]].depth = 1 THEN Free ELSE [owner |-> self, depth |-> lock[bo[self]].depth - 1]]
                       /\ outer' = outer
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ bo' = [bo EXCEPT ![self] = Head(stack[self]).bo]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << ready, completed, pending, armed, completions, 
                            expirations, won, raised, winner, expiredBy, 
                            gaveUp, co, xo, lo, yo, at, oo, po, retry, so, 
                            turn >>

safeTryComplete(self) == B1(self) \/ B2(self) \/ B3(self)

T0(self) == /\ pc[self] = "T0"
            /\ IF turn[self] <= Len(Program[self])
                  THEN /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                       /\ won' = [won EXCEPT ![self] = FALSE]
                       /\ raised' = [raised EXCEPT ![self] = FALSE]
                       /\ IF Program[self][turn'[self] - 1][1] = "expire"
                             THEN /\ IF Protocol[Target(self, turn'[self] - 1)] = "Blocking"
                                        THEN /\ /\ lo' = [lo EXCEPT ![self] = Target(self, turn'[self] - 1)]
                                                /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "forceCompleteLocked",
                                                                                         pc        |->  "T1",
                                                                                         lo        |->  lo[self] ] >>
                                                                                     \o stack[self]]
                                             /\ pc' = [pc EXCEPT ![self] = "L1"]
                                             /\ xo' = xo
                                        ELSE /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "forceComplete",
                                                                                         pc        |->  "T1",
                                                                                         xo        |->  xo[self] ] >>
                                                                                     \o stack[self]]
                                                /\ xo' = [xo EXCEPT ![self] = Target(self, turn'[self] - 1)]
                                             /\ pc' = [pc EXCEPT ![self] = "X1"]
                                             /\ lo' = lo
                                  /\ UNCHANGED << oo, po, retry, so, bo >>
                             ELSE /\ IF Program[self][turn'[self] - 1][1] = "hold"
                                        THEN /\ pc' = [pc EXCEPT ![self] = "H1"]
                                             /\ UNCHANGED << stack, oo, po, 
                                                             retry, so, bo >>
                                        ELSE /\ IF Program[self][turn'[self] - 1][1] = "attempt"
                                                   THEN /\ IF Protocol[Target(self, turn'[self] - 1)] = "TryOnce"
                                                              THEN /\ /\ oo' = [oo EXCEPT ![self] = Target(self, turn'[self] - 1)]
                                                                      /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tryOnce",
                                                                                                               pc        |->  "T0",
                                                                                                               oo        |->  oo[self] ] >>
                                                                                                           \o stack[self]]
                                                                   /\ pc' = [pc EXCEPT ![self] = "O1"]
                                                                   /\ UNCHANGED << po, 
                                                                                   retry, 
                                                                                   so, 
                                                                                   bo >>
                                                              ELSE /\ IF Protocol[Target(self, turn'[self] - 1)] = "TryPending"
                                                                         THEN /\ /\ po' = [po EXCEPT ![self] = Target(self, turn'[self] - 1)]
                                                                                 /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tryPending",
                                                                                                                          pc        |->  "T0",
                                                                                                                          retry     |->  retry[self],
                                                                                                                          po        |->  po[self] ] >>
                                                                                                                      \o stack[self]]
                                                                              /\ retry' = [retry EXCEPT ![self] = FALSE]
                                                                              /\ pc' = [pc EXCEPT ![self] = "P1"]
                                                                              /\ UNCHANGED << so, 
                                                                                              bo >>
                                                                         ELSE /\ IF Protocol[Target(self, turn'[self] - 1)] = "LockedTry"
                                                                                    THEN /\ /\ so' = [so EXCEPT ![self] = Target(self, turn'[self] - 1)]
                                                                                            /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "lockedTry",
                                                                                                                                     pc        |->  "T0",
                                                                                                                                     so        |->  so[self] ] >>
                                                                                                                                 \o stack[self]]
                                                                                         /\ pc' = [pc EXCEPT ![self] = "S1"]
                                                                                         /\ bo' = bo
                                                                                    ELSE /\ /\ bo' = [bo EXCEPT ![self] = Target(self, turn'[self] - 1)]
                                                                                            /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "safeTryComplete",
                                                                                                                                     pc        |->  "T0",
                                                                                                                                     bo        |->  bo[self] ] >>
                                                                                                                                 \o stack[self]]
                                                                                         /\ pc' = [pc EXCEPT ![self] = "B1"]
                                                                                         /\ so' = so
                                                                              /\ UNCHANGED << po, 
                                                                                              retry >>
                                                                   /\ oo' = oo
                                                   ELSE /\ IF Program[self][turn'[self] - 1][1] = "deliver"
                                                              THEN /\ pc' = [pc EXCEPT ![self] = "E1"]
                                                              ELSE /\ IF Program[self][turn'[self] - 1][1] = "deliver_after"
                                                                         THEN /\ pc' = [pc EXCEPT ![self] = "G3"]
                                                                         ELSE /\ pc' = [pc EXCEPT ![self] = "G1"]
                                                        /\ UNCHANGED << stack, 
                                                                        oo, po, 
                                                                        retry, 
                                                                        so, bo >>
                                  /\ UNCHANGED << xo, lo >>
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << won, raised, stack, xo, lo, oo, po, 
                                       retry, so, bo, turn >>
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            completions, expirations, winner, expiredBy, 
                            gaveUp, co, yo, at >>

T1(self) == /\ pc[self] = "T1"
            /\ IF ~raised[self] /\ won[self]
                  THEN /\ pc' = [pc EXCEPT ![self] = "V1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            completions, expirations, won, raised, winner, 
                            expiredBy, gaveUp, stack, co, xo, lo, yo, at, oo, 
                            po, retry, so, bo, turn >>

V1(self) == /\ pc[self] = "V1"
            /\ expirations' = [expirations EXCEPT ![Target(self, turn[self] - 1)] = expirations[Target(self, turn[self] - 1)] + 1]
            /\ expiredBy' = [expiredBy EXCEPT ![Target(self, turn[self] - 1)] = expiredBy[Target(self, turn[self] - 1)] \cup {self}]
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << ready, completed, pending, lock, outer, armed, 
                            completions, won, raised, winner, gaveUp, stack, 
                            co, xo, lo, yo, at, oo, po, retry, so, bo, turn >>

H1(self) == /\ pc[self] = "H1"
            /\ IF (Target(self, turn[self] - 1)) \in DOMAIN Guard
                  THEN /\ outer[(Guard[(Target(self, turn[self] - 1))])].owner \in {NULL, self}
                       /\ outer' = [outer EXCEPT ![(Guard[(Target(self, turn[self] - 1))])] = [owner |-> self, depth |-> outer[(Guard[(Target(self, turn[self] - 1))])].depth + 1]]
                       /\ lock' = lock
                  ELSE /\ lock[(Target(self, turn[self] - 1))].owner \in {NULL, self}
                       /\ lock' = [lock EXCEPT ![(Target(self, turn[self] - 1))] = [owner |-> self, depth |-> lock[(Target(self, turn[self] - 1))].depth + 1]]
                       /\ outer' = outer
            /\ pc' = [pc EXCEPT ![self] = "H2"]
            /\ UNCHANGED << ready, completed, pending, armed, completions, 
                            expirations, won, raised, winner, expiredBy, 
                            gaveUp, stack, co, xo, lo, yo, at, oo, po, retry, 
                            so, bo, turn >>

H2(self) == /\ pc[self] = "H2"
            /\ IF (Target(self, turn[self] - 1)) \in DOMAIN Guard
                  THEN /\ outer' = [outer EXCEPT ![(Guard[(Target(self, turn[self] - 1))])] = IF outer[(Guard[(Target(self, turn[self] - 1))])].depth = 1 THEN Free ELSE [owner |-> self, depth |-> outer[(Guard[(Target(self, turn[self] - 1))])].depth - 1]]
                       /\ lock' = lock
                  ELSE /\ lock' = [lock EXCEPT ![(Target(self, turn[self] - 1))] = IF lock[(Target(self, turn[self] - 1))].depth = 1 THEN Free ELSE [owner |-> self, depth |-> lock[(Target(self, turn[self] - 1))].depth - 1]]
                       /\ outer' = outer
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << ready, completed, pending, armed, completions, 
                            expirations, won, raised, winner, expiredBy, 
                            gaveUp, stack, co, xo, lo, yo, at, oo, po, retry, 
                            so, bo, turn >>

E1(self) == /\ pc[self] = "E1"
            /\ ready' = [ready EXCEPT ![Program[self][turn[self] - 1][2]] = TRUE]
            /\ IF Protocol[Target(self, turn[self] - 1)] = "TryOnce"
                  THEN /\ /\ oo' = [oo EXCEPT ![self] = Target(self, turn[self] - 1)]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tryOnce",
                                                                   pc        |->  "T0",
                                                                   oo        |->  oo[self] ] >>
                                                               \o stack[self]]
                       /\ pc' = [pc EXCEPT ![self] = "O1"]
                       /\ UNCHANGED << po, retry, so, bo >>
                  ELSE /\ IF Protocol[Target(self, turn[self] - 1)] = "TryPending"
                             THEN /\ /\ po' = [po EXCEPT ![self] = Target(self, turn[self] - 1)]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tryPending",
                                                                              pc        |->  "T0",
                                                                              retry     |->  retry[self],
                                                                              po        |->  po[self] ] >>
                                                                          \o stack[self]]
                                  /\ retry' = [retry EXCEPT ![self] = FALSE]
                                  /\ pc' = [pc EXCEPT ![self] = "P1"]
                                  /\ UNCHANGED << so, bo >>
                             ELSE /\ IF Protocol[Target(self, turn[self] - 1)] = "LockedTry"
                                        THEN /\ /\ so' = [so EXCEPT ![self] = Target(self, turn[self] - 1)]
                                                /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "lockedTry",
                                                                                         pc        |->  "T0",
                                                                                         so        |->  so[self] ] >>
                                                                                     \o stack[self]]
                                             /\ pc' = [pc EXCEPT ![self] = "S1"]
                                             /\ bo' = bo
                                        ELSE /\ /\ bo' = [bo EXCEPT ![self] = Target(self, turn[self] - 1)]
                                                /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "safeTryComplete",
                                                                                         pc        |->  "T0",
                                                                                         bo        |->  bo[self] ] >>
                                                                                     \o stack[self]]
                                             /\ pc' = [pc EXCEPT ![self] = "B1"]
                                             /\ so' = so
                                  /\ UNCHANGED << po, retry >>
                       /\ oo' = oo
            /\ UNCHANGED << completed, pending, lock, outer, armed, 
                            completions, expirations, won, raised, winner, 
                            expiredBy, gaveUp, co, xo, lo, yo, at, turn >>

G3(self) == /\ pc[self] = "G3"
            /\ outer[(Held(self, turn[self] - 1))].owner \in {NULL, self}
            /\ outer' = [outer EXCEPT ![(Held(self, turn[self] - 1))] = [owner |-> self, depth |-> outer[(Held(self, turn[self] - 1))].depth + 1]]
            /\ pc' = [pc EXCEPT ![self] = "E3"]
            /\ UNCHANGED << ready, completed, pending, lock, armed, 
                            completions, expirations, won, raised, winner, 
                            expiredBy, gaveUp, stack, co, xo, lo, yo, at, oo, 
                            po, retry, so, bo, turn >>

E3(self) == /\ pc[self] = "E3"
            /\ ready' = [ready EXCEPT ![Program[self][turn[self] - 1][2]] = TRUE]
            /\ pc' = [pc EXCEPT ![self] = "G4"]
            /\ UNCHANGED << completed, pending, lock, outer, armed, 
                            completions, expirations, won, raised, winner, 
                            expiredBy, gaveUp, stack, co, xo, lo, yo, at, oo, 
                            po, retry, so, bo, turn >>

G4(self) == /\ pc[self] = "G4"
            /\ outer' = [outer EXCEPT ![(Held(self, turn[self] - 1))] = IF outer[(Held(self, turn[self] - 1))].depth = 1 THEN Free ELSE [owner |-> self, depth |-> outer[(Held(self, turn[self] - 1))].depth - 1]]
            /\ IF Protocol[Target(self, turn[self] - 1)] = "TryOnce"
                  THEN /\ /\ oo' = [oo EXCEPT ![self] = Target(self, turn[self] - 1)]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tryOnce",
                                                                   pc        |->  "T0",
                                                                   oo        |->  oo[self] ] >>
                                                               \o stack[self]]
                       /\ pc' = [pc EXCEPT ![self] = "O1"]
                       /\ UNCHANGED << po, retry, so, bo >>
                  ELSE /\ IF Protocol[Target(self, turn[self] - 1)] = "TryPending"
                             THEN /\ /\ po' = [po EXCEPT ![self] = Target(self, turn[self] - 1)]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tryPending",
                                                                              pc        |->  "T0",
                                                                              retry     |->  retry[self],
                                                                              po        |->  po[self] ] >>
                                                                          \o stack[self]]
                                  /\ retry' = [retry EXCEPT ![self] = FALSE]
                                  /\ pc' = [pc EXCEPT ![self] = "P1"]
                                  /\ UNCHANGED << so, bo >>
                             ELSE /\ IF Protocol[Target(self, turn[self] - 1)] = "LockedTry"
                                        THEN /\ /\ so' = [so EXCEPT ![self] = Target(self, turn[self] - 1)]
                                                /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "lockedTry",
                                                                                         pc        |->  "T0",
                                                                                         so        |->  so[self] ] >>
                                                                                     \o stack[self]]
                                             /\ pc' = [pc EXCEPT ![self] = "S1"]
                                             /\ bo' = bo
                                        ELSE /\ /\ bo' = [bo EXCEPT ![self] = Target(self, turn[self] - 1)]
                                                /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "safeTryComplete",
                                                                                         pc        |->  "T0",
                                                                                         bo        |->  bo[self] ] >>
                                                                                     \o stack[self]]
                                             /\ pc' = [pc EXCEPT ![self] = "B1"]
                                             /\ so' = so
                                  /\ UNCHANGED << po, retry >>
                       /\ oo' = oo
            /\ UNCHANGED << ready, completed, pending, lock, armed, 
                            completions, expirations, won, raised, winner, 
                            expiredBy, gaveUp, co, xo, lo, yo, at, turn >>

G1(self) == /\ pc[self] = "G1"
            /\ outer[(Held(self, turn[self] - 1))].owner \in {NULL, self}
            /\ outer' = [outer EXCEPT ![(Held(self, turn[self] - 1))] = [owner |-> self, depth |-> outer[(Held(self, turn[self] - 1))].depth + 1]]
            /\ pc' = [pc EXCEPT ![self] = "E2"]
            /\ UNCHANGED << ready, completed, pending, lock, armed, 
                            completions, expirations, won, raised, winner, 
                            expiredBy, gaveUp, stack, co, xo, lo, yo, at, oo, 
                            po, retry, so, bo, turn >>

E2(self) == /\ pc[self] = "E2"
            /\ ready' = [ready EXCEPT ![Program[self][turn[self] - 1][2]] = TRUE]
            /\ IF Protocol[Target(self, turn[self] - 1)] = "TryOnce"
                  THEN /\ /\ oo' = [oo EXCEPT ![self] = Target(self, turn[self] - 1)]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tryOnce",
                                                                   pc        |->  "G2",
                                                                   oo        |->  oo[self] ] >>
                                                               \o stack[self]]
                       /\ pc' = [pc EXCEPT ![self] = "O1"]
                       /\ UNCHANGED << po, retry, so, bo >>
                  ELSE /\ IF Protocol[Target(self, turn[self] - 1)] = "TryPending"
                             THEN /\ /\ po' = [po EXCEPT ![self] = Target(self, turn[self] - 1)]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "tryPending",
                                                                              pc        |->  "G2",
                                                                              retry     |->  retry[self],
                                                                              po        |->  po[self] ] >>
                                                                          \o stack[self]]
                                  /\ retry' = [retry EXCEPT ![self] = FALSE]
                                  /\ pc' = [pc EXCEPT ![self] = "P1"]
                                  /\ UNCHANGED << so, bo >>
                             ELSE /\ IF Protocol[Target(self, turn[self] - 1)] = "LockedTry"
                                        THEN /\ /\ so' = [so EXCEPT ![self] = Target(self, turn[self] - 1)]
                                                /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "lockedTry",
                                                                                         pc        |->  "G2",
                                                                                         so        |->  so[self] ] >>
                                                                                     \o stack[self]]
                                             /\ pc' = [pc EXCEPT ![self] = "S1"]
                                             /\ bo' = bo
                                        ELSE /\ /\ bo' = [bo EXCEPT ![self] = Target(self, turn[self] - 1)]
                                                /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "safeTryComplete",
                                                                                         pc        |->  "G2",
                                                                                         bo        |->  bo[self] ] >>
                                                                                     \o stack[self]]
                                             /\ pc' = [pc EXCEPT ![self] = "B1"]
                                             /\ so' = so
                                  /\ UNCHANGED << po, retry >>
                       /\ oo' = oo
            /\ UNCHANGED << completed, pending, lock, outer, armed, 
                            completions, expirations, won, raised, winner, 
                            expiredBy, gaveUp, co, xo, lo, yo, at, turn >>

G2(self) == /\ pc[self] = "G2"
            /\ outer' = [outer EXCEPT ![(Held(self, turn[self] - 1))] = IF outer[(Held(self, turn[self] - 1))].depth = 1 THEN Free ELSE [owner |-> self, depth |-> outer[(Held(self, turn[self] - 1))].depth - 1]]
            /\ pc' = [pc EXCEPT ![self] = "T0"]
            /\ UNCHANGED << ready, completed, pending, lock, armed, 
                            completions, expirations, won, raised, winner, 
                            expiredBy, gaveUp, stack, co, xo, lo, yo, at, oo, 
                            po, retry, so, bo, turn >>

thread(self) == T0(self) \/ T1(self) \/ V1(self) \/ H1(self) \/ H2(self)
                   \/ E1(self) \/ G3(self) \/ E3(self) \/ G4(self)
                   \/ G1(self) \/ E2(self) \/ G2(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in ProcSet:  \/ onComplete(self) \/ forceComplete(self)
                               \/ forceCompleteLocked(self)
                               \/ tryComplete(self) \/ tryOnce(self)
                               \/ tryPending(self) \/ lockedTry(self)
                               \/ safeTryComplete(self))
           \/ (\E self \in Threads: thread(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Threads : /\ WF_vars(thread(self))
                                 /\ WF_vars(forceCompleteLocked(self))
                                 /\ WF_vars(forceComplete(self))
                                 /\ WF_vars(tryOnce(self))
                                 /\ WF_vars(tryPending(self))
                                 /\ WF_vars(lockedTry(self))
                                 /\ WF_vars(safeTryComplete(self))
                                 /\ WF_vars(onComplete(self))
                                 /\ WF_vars(tryComplete(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION
===============================================================================
