------------------------------ MODULE ShareFetch ------------------------------
(***************************************************************************)
(* How the fetches of a share group get the records of a partition.         *)
(*                                                                          *)
(* A fetch acquires records that are available, or waits in the purgatory   *)
(* until there are some or its time is up.  It waits for no other fetch: it *)
(* tries to take the fetch lock (F1), looks for a batch (L1), acquires the  *)
(* first one (G1), answers, and lets the fetch lock go (F2).  What does not *)
(* get the fetch lock, or sees nothing, is tried again by a check (C1),     *)
(* which follows each event that may help it: a fetch that has had the      *)
(* fetch lock and is completed, records that come (U1), the end of a write  *)
(* (S1), an acquisition lock whose time is up (X1).                         *)
(*                                                                          *)
(* A member releases or accepts what it has acquired (R1).  The batch is in *)
(* transition until its new state is written, by another thread.  If the    *)
(* write fails, the member has the batch again, unless its time is up.      *)
(*                                                                          *)
(* The log's start moves (M1).  Records before it leave a batch that is     *)
(* available; one that is acquired or in transition keeps them until then.  *)
(*                                                                          *)
(* The purgatory's list is one of Purgatory's: each operation on it is one  *)
(* step, and a check holds the next fetch when it tries one.  A fetch that  *)
(* has left the list stays in watched as NULL, so that its place names it.  *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
  Program,     \* thread |-> sequence of operations: <<"fetch", fetch>>, <<"expire", fetch>>,
               \* <<"release", fetch>>, <<"accept", fetch>>, <<"write">>, <<"fail">>,
               \* <<"time_out", fetch>>, <<"append", first, last>>, <<"trim", offset>>
  Batches,     \* the batches in the beginning: <<first, last>>
  NULL

Threads    == DOMAIN Program
Operations == UNION {{Program[t][i] : i \in DOMAIN Program[t]} : t \in Threads}
Fetches    == {o[2] : o \in {o \in Operations : o[1] = "fetch"}}

Batch(first, last) ==
  [first |-> first, last |-> last, state |-> "available", owner |-> NULL, moving |-> FALSE]

(*--algorithm ShareFetch
variables
  lock = NULL,       \* the thread that holds the partition's lock
  cache = [i \in DOMAIN Batches |-> Batch(Batches[i][1], Batches[i][2])],
  start = 1,         \* the log's first offset
  fetching = NULL,   \* the fetch that has the fetch lock
  watched = << >>,   \* the fetches that wait, by their places
  writes = << >>,    \* the fetches whose members wait for a write
  held = [f \in Fetches |-> NULL],       \* the thread that holds the fetch's own lock
  completed = [f \in Fetches |-> FALSE],
  result = [f \in Fetches |-> << >>],    \* the offsets <<first, last>> that the answer has
  reply = [f \in Fetches |-> NULL],      \* "pending", "done", "failed", "refused"
  expired = [f \in Fetches |-> FALSE],   \* the time of its acquisition lock is up
  \* What a call returned: in code on the thread's stack, here by thread.
  won = [t \in Threads |-> FALSE],
  \* History: what a property speaks of; no step reads it.
  answers = [f \in Fetches |-> 0];

define
  First(S) == CHOOSE i \in S : \A j \in S : i <= j
  \* The places of the batches that can be acquired, and of one that a member has.
  IsFree(b) == b.state = "available" /\ ~b.moving
  FreeOf(batches) == {i \in DOMAIN batches : IsFree(batches[i])}
  Free == FreeOf(cache)
  Held(f) == {i \in DOMAIN cache : cache[i].state = "acquired" /\ cache[i].owner = f}
  \* A batch without what is before the log's start, if it may be cut.
  Cut(b) == IF IsFree(b) /\ b.first < start THEN [b EXCEPT !.first = start] ELSE b
  Remains(b) == b.first <= b.last /\ (b.state = "accepted" => b.moving)
  Rest(batches) == SelectSeq([i \in DOMAIN batches |-> Cut(batches[i])], Remains)
  \* A batch whose transition ends.
  Settled(b, fails, late) ==
    IF ~fails THEN [b EXCEPT !.owner = NULL, !.moving = FALSE]
    ELSE IF late THEN Batch(b.first, b.last)
    ELSE [b EXCEPT !.state = "acquired", !.moving = FALSE]
  Ended(f, fails, late) ==
    [i \in DOMAIN cache |->
      IF cache[i].moving /\ cache[i].owner = f THEN Settled(cache[i], fails, late) ELSE cache[i]]
  Lapsed(f) ==
    [i \in DOMAIN cache |->
      IF i \in Held(f) THEN Batch(cache[i].first, cache[i].last) ELSE cache[i]]
  \* The next fetch in the list behind a place, with its own; << >> if there is none.
  After(place) ==
    LET rest == {i \in DOMAIN watched : i > place /\ watched[i] # NULL}
    IN  IF rest = {} THEN << >> ELSE <<First(rest), watched[First(rest)]>>
end define;

\* ShareFetch.answer
procedure answer(taker = NULL)
variables offsets = << >>;
begin
G1: await lock = NULL;
    lock := self;
    if Free = {} then goto G3; end if;
G2: offsets := <<cache[First(Free)].first, cache[First(Free)].last>>;
    cache[First(Free)] := [cache[First(Free)] EXCEPT !.state = "acquired", !.owner = taker];
G3: lock := NULL;
K2: result[taker] := offsets;
    answers[taker] := answers[taker] + 1;
    return;
end procedure;

\* ShareFetch.try_complete
procedure try(tried = NULL)
begin
F1: if fetching # NULL then
      won[self] := FALSE;
      return;
    else
      fetching := tried;
    end if;
L1: await lock = NULL;
    lock := self;
L2: won[self] := Free # {};
L3: lock := NULL;
    if ~won[self] then goto F2; end if;
K1: completed[tried] := TRUE;
    call answer(tried);
F2: fetching := NULL;
    return;
end procedure;

\* SharePartition.check
procedure check()
variables ahead = << >>, met = << >>, again = FALSE;
begin
C1: ahead := After(0);
    again := FALSE;
C0: while ahead # << >> do
C2:   met := ahead;
      ahead := After(ahead[1]);
C3:   if completed[met[2]] then goto C4; end if;
B1:   await held[met[2]] = NULL;
      held[met[2]] := self;
B2:   if completed[met[2]] then won[self] := FALSE; else call try(met[2]); end if;
B3:   held[met[2]] := NULL;
      if ~won[self] then goto C0; else again := TRUE; end if;
C4:   watched[met[1]] := NULL;
    end while;
    if again then goto C1; else return; end if;
end procedure;

\* ShareFetch.enter
procedure enter(entered = NULL)
begin
A1: await held[entered] = NULL;
    held[entered] := self;
    call try(entered);
A0: if won[self] then goto A3; end if;
A2: watched := Append(watched, entered);
    call try(entered);
A3: held[entered] := NULL;
    if won[self] then call check(); return; else return; end if;
end procedure;

\* ShareFetch.expire
procedure expire(expiring = NULL)
begin
E1: await held[expiring] = NULL;
    held[expiring] := self;
E2: if completed[expiring] then won[self] := FALSE; goto E7; end if;
E3: completed[expiring] := TRUE;
E4: if fetching # NULL then
      won[self] := FALSE;
      goto E5;
    else
      fetching := expiring;
      won[self] := TRUE;
      call answer(expiring);
      goto E6;
    end if;
E5: result[expiring] := << >>;
    answers[expiring] := answers[expiring] + 1;
    goto E7;
E6: fetching := NULL;
E7: held[expiring] := NULL;
    if won[self] then call check(); return; else return; end if;
end procedure;

procedure acknowledge(acked = NULL, kind = NULL)
variables has = FALSE;
begin
R0: if result[acked] = << >> then return; end if;
R1: reply[acked] := "pending";
R2: await lock = NULL;
    lock := self;
    has := Held(acked) # {};
    if ~has then goto R4; end if;
R3: cache := [i \in DOMAIN cache |->
      IF i \in Held(acked) THEN [cache[i] EXCEPT !.state = kind, !.moving = TRUE] ELSE cache[i]];
R4: lock := NULL;
    if ~has then goto R6; end if;
R5: writes := Append(writes, acked);
    return;
R6: reply[acked] := "refused";
    return;
end procedure;

procedure end_write(fails = FALSE)
variables task = NULL, late = FALSE, freed = FALSE;
begin
S1: if writes = << >> then
      return;
    else
      task := Head(writes);
      writes := Tail(writes);
    end if;
S2: await lock = NULL;
    lock := self;
S3: late := expired[task];
S4: with next = Rest(Ended(task, fails, late)) do
      freed := Cardinality(FreeOf(next)) > Cardinality(Free);
      cache := next;
    end with;
S5: lock := NULL;
S6: reply[task] := IF fails THEN "failed" ELSE "done";
    if freed then call check(); return; else return; end if;
end procedure;

procedure time_out(lapsed = NULL)
variables frees = FALSE;
begin
X1: if result[lapsed] = << >> then return; end if;
X2: expired[lapsed] := TRUE;
X3: await lock = NULL;
    lock := self;
X4: with next = Rest(Lapsed(lapsed)) do
      frees := Cardinality(FreeOf(next)) > Cardinality(Free);
      cache := next;
    end with;
X5: lock := NULL;
    if frees then call check(); return; else return; end if;
end procedure;

procedure append(low = 0, high = 0)
begin
U1: await lock = NULL;
    lock := self;
U2: cache := Append(cache, Batch(low, high));
U3: lock := NULL;
    call check();
    return;
end procedure;

procedure trim(offset = 0)
begin
M1: await lock = NULL;
    lock := self;
M2: start := IF offset > start THEN offset ELSE start;
M3: cache := Rest(cache);
M4: lock := NULL;
    return;
end procedure;

fair process thread \in Threads
variables turn = 1;
begin
T0: while turn <= Len(Program[self]) do
      turn := turn + 1;
      won[self] := FALSE;
      if Program[self][turn - 1][1] = "fetch" then call enter(Program[self][turn - 1][2]);
      elsif Program[self][turn - 1][1] = "expire" then call expire(Program[self][turn - 1][2]);
      elsif Program[self][turn - 1][1] = "release" then
        call acknowledge(Program[self][turn - 1][2], "available");
      elsif Program[self][turn - 1][1] = "write" then call end_write(FALSE);
      elsif Program[self][turn - 1][1] = "fail" then call end_write(TRUE);
      elsif Program[self][turn - 1][1] = "time_out" then call time_out(Program[self][turn - 1][2]);
      elsif Program[self][turn - 1][1] = "append" then
        call append(Program[self][turn - 1][2], Program[self][turn - 1][3]);
      elsif Program[self][turn - 1][1] = "trim" then call trim(Program[self][turn - 1][2]);
      else call acknowledge(Program[self][turn - 1][2], "accepted");
      end if;
    end while;
end process;
end algorithm; *)
\* BEGIN TRANSLATION (chksum(pcal) = "91181bdb" /\ chksum(tla) = "16d2cb49")
VARIABLES lock, cache, start, fetching, watched, writes, held, completed, 
          result, reply, expired, won, answers, pc, stack

(* define statement *)
First(S) == CHOOSE i \in S : \A j \in S : i <= j

IsFree(b) == b.state = "available" /\ ~b.moving
FreeOf(batches) == {i \in DOMAIN batches : IsFree(batches[i])}
Free == FreeOf(cache)
Held(f) == {i \in DOMAIN cache : cache[i].state = "acquired" /\ cache[i].owner = f}

Cut(b) == IF IsFree(b) /\ b.first < start THEN [b EXCEPT !.first = start] ELSE b
Remains(b) == b.first <= b.last /\ (b.state = "accepted" => b.moving)
Rest(batches) == SelectSeq([i \in DOMAIN batches |-> Cut(batches[i])], Remains)

Settled(b, fails, late) ==
  IF ~fails THEN [b EXCEPT !.owner = NULL, !.moving = FALSE]
  ELSE IF late THEN Batch(b.first, b.last)
  ELSE [b EXCEPT !.state = "acquired", !.moving = FALSE]
Ended(f, fails, late) ==
  [i \in DOMAIN cache |->
    IF cache[i].moving /\ cache[i].owner = f THEN Settled(cache[i], fails, late) ELSE cache[i]]
Lapsed(f) ==
  [i \in DOMAIN cache |->
    IF i \in Held(f) THEN Batch(cache[i].first, cache[i].last) ELSE cache[i]]

After(place) ==
  LET rest == {i \in DOMAIN watched : i > place /\ watched[i] # NULL}
  IN  IF rest = {} THEN << >> ELSE <<First(rest), watched[First(rest)]>>

VARIABLES taker, offsets, tried, ahead, met, again, entered, expiring, acked, 
          kind, has, fails, task, late, freed, lapsed, frees, low, high, 
          offset, turn

vars == << lock, cache, start, fetching, watched, writes, held, completed, 
           result, reply, expired, won, answers, pc, stack, taker, offsets, 
           tried, ahead, met, again, entered, expiring, acked, kind, has, 
           fails, task, late, freed, lapsed, frees, low, high, offset, turn
        >>

ProcSet == (Threads)

Init == (* Global variables *)
        /\ lock = NULL
        /\ cache = [i \in DOMAIN Batches |-> Batch(Batches[i][1], Batches[i][2])]
        /\ start = 1
        /\ fetching = NULL
        /\ watched = << >>
        /\ writes = << >>
        /\ held = [f \in Fetches |-> NULL]
        /\ completed = [f \in Fetches |-> FALSE]
        /\ result = [f \in Fetches |-> << >>]
        /\ reply = [f \in Fetches |-> NULL]
        /\ expired = [f \in Fetches |-> FALSE]
        /\ won = [t \in Threads |-> FALSE]
        /\ answers = [f \in Fetches |-> 0]
        (* Procedure answer *)
        /\ taker = [ self \in ProcSet |-> NULL]
        /\ offsets = [ self \in ProcSet |-> << >>]
        (* Procedure try *)
        /\ tried = [ self \in ProcSet |-> NULL]
        (* Procedure check *)
        /\ ahead = [ self \in ProcSet |-> << >>]
        /\ met = [ self \in ProcSet |-> << >>]
        /\ again = [ self \in ProcSet |-> FALSE]
        (* Procedure enter *)
        /\ entered = [ self \in ProcSet |-> NULL]
        (* Procedure expire *)
        /\ expiring = [ self \in ProcSet |-> NULL]
        (* Procedure acknowledge *)
        /\ acked = [ self \in ProcSet |-> NULL]
        /\ kind = [ self \in ProcSet |-> NULL]
        /\ has = [ self \in ProcSet |-> FALSE]
        (* Procedure end_write *)
        /\ fails = [ self \in ProcSet |-> FALSE]
        /\ task = [ self \in ProcSet |-> NULL]
        /\ late = [ self \in ProcSet |-> FALSE]
        /\ freed = [ self \in ProcSet |-> FALSE]
        (* Procedure time_out *)
        /\ lapsed = [ self \in ProcSet |-> NULL]
        /\ frees = [ self \in ProcSet |-> FALSE]
        (* Procedure append *)
        /\ low = [ self \in ProcSet |-> 0]
        /\ high = [ self \in ProcSet |-> 0]
        (* Procedure trim *)
        /\ offset = [ self \in ProcSet |-> 0]
        (* Process thread *)
        /\ turn = [self \in Threads |-> 1]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> "T0"]

G1(self) == /\ pc[self] = "G1"
            /\ lock = NULL
            /\ lock' = self
            /\ IF Free = {}
                  THEN /\ pc' = [pc EXCEPT ![self] = "G3"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "G2"]
            /\ UNCHANGED << cache, start, fetching, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

G2(self) == /\ pc[self] = "G2"
            /\ offsets' = [offsets EXCEPT ![self] = <<cache[First(Free)].first, cache[First(Free)].last>>]
            /\ cache' = [cache EXCEPT ![First(Free)] = [cache[First(Free)] EXCEPT !.state = "acquired", !.owner = taker[self]]]
            /\ pc' = [pc EXCEPT ![self] = "G3"]
            /\ UNCHANGED << lock, start, fetching, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, tried, ahead, met, again, entered, 
                            expiring, acked, kind, has, fails, task, late, 
                            freed, lapsed, frees, low, high, offset, turn >>

G3(self) == /\ pc[self] = "G3"
            /\ lock' = NULL
            /\ pc' = [pc EXCEPT ![self] = "K2"]
            /\ UNCHANGED << cache, start, fetching, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

K2(self) == /\ pc[self] = "K2"
            /\ result' = [result EXCEPT ![taker[self]] = offsets[self]]
            /\ answers' = [answers EXCEPT ![taker[self]] = answers[taker[self]] + 1]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ offsets' = [offsets EXCEPT ![self] = Head(stack[self]).offsets]
            /\ taker' = [taker EXCEPT ![self] = Head(stack[self]).taker]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            held, completed, reply, expired, won, tried, ahead, 
                            met, again, entered, expiring, acked, kind, has, 
                            fails, task, late, freed, lapsed, frees, low, high, 
                            offset, turn >>

answer(self) == G1(self) \/ G2(self) \/ G3(self) \/ K2(self)

F1(self) == /\ pc[self] = "F1"
            /\ IF fetching # NULL
                  THEN /\ won' = [won EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ tried' = [tried EXCEPT ![self] = Head(stack[self]).tried]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED fetching
                  ELSE /\ fetching' = tried[self]
                       /\ pc' = [pc EXCEPT ![self] = "L1"]
                       /\ UNCHANGED << won, stack, tried >>
            /\ UNCHANGED << lock, cache, start, watched, writes, held, 
                            completed, result, reply, expired, answers, taker, 
                            offsets, ahead, met, again, entered, expiring, 
                            acked, kind, has, fails, task, late, freed, lapsed, 
                            frees, low, high, offset, turn >>

L1(self) == /\ pc[self] = "L1"
            /\ lock = NULL
            /\ lock' = self
            /\ pc' = [pc EXCEPT ![self] = "L2"]
            /\ UNCHANGED << cache, start, fetching, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

L2(self) == /\ pc[self] = "L2"
            /\ won' = [won EXCEPT ![self] = Free # {}]
            /\ pc' = [pc EXCEPT ![self] = "L3"]
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            held, completed, result, reply, expired, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

L3(self) == /\ pc[self] = "L3"
            /\ lock' = NULL
            /\ IF ~won[self]
                  THEN /\ pc' = [pc EXCEPT ![self] = "F2"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "K1"]
            /\ UNCHANGED << cache, start, fetching, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

K1(self) == /\ pc[self] = "K1"
            /\ completed' = [completed EXCEPT ![tried[self]] = TRUE]
            /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "answer",
                                                        pc        |->  "F2",
                                                        offsets   |->  offsets[self],
                                                        taker     |->  taker[self] ] >>
                                                    \o stack[self]]
               /\ taker' = [taker EXCEPT ![self] = tried[self]]
            /\ offsets' = [offsets EXCEPT ![self] = << >>]
            /\ pc' = [pc EXCEPT ![self] = "G1"]
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            held, result, reply, expired, won, answers, tried, 
                            ahead, met, again, entered, expiring, acked, kind, 
                            has, fails, task, late, freed, lapsed, frees, low, 
                            high, offset, turn >>

F2(self) == /\ pc[self] = "F2"
            /\ fetching' = NULL
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ tried' = [tried EXCEPT ![self] = Head(stack[self]).tried]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << lock, cache, start, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            taker, offsets, ahead, met, again, entered, 
                            expiring, acked, kind, has, fails, task, late, 
                            freed, lapsed, frees, low, high, offset, turn >>

try(self) == F1(self) \/ L1(self) \/ L2(self) \/ L3(self) \/ K1(self)
                \/ F2(self)

C1(self) == /\ pc[self] = "C1"
            /\ ahead' = [ahead EXCEPT ![self] = After(0)]
            /\ again' = [again EXCEPT ![self] = FALSE]
            /\ pc' = [pc EXCEPT ![self] = "C0"]
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            held, completed, result, reply, expired, won, 
                            answers, stack, taker, offsets, tried, met, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

C0(self) == /\ pc[self] = "C0"
            /\ IF ahead[self] # << >>
                  THEN /\ pc' = [pc EXCEPT ![self] = "C2"]
                       /\ UNCHANGED << stack, ahead, met, again >>
                  ELSE /\ IF again[self]
                             THEN /\ pc' = [pc EXCEPT ![self] = "C1"]
                                  /\ UNCHANGED << stack, ahead, met, again >>
                             ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                                  /\ ahead' = [ahead EXCEPT ![self] = Head(stack[self]).ahead]
                                  /\ met' = [met EXCEPT ![self] = Head(stack[self]).met]
                                  /\ again' = [again EXCEPT ![self] = Head(stack[self]).again]
                                  /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            held, completed, result, reply, expired, won, 
                            answers, taker, offsets, tried, entered, expiring, 
                            acked, kind, has, fails, task, late, freed, lapsed, 
                            frees, low, high, offset, turn >>

C2(self) == /\ pc[self] = "C2"
            /\ met' = [met EXCEPT ![self] = ahead[self]]
            /\ ahead' = [ahead EXCEPT ![self] = After(ahead[self][1])]
            /\ pc' = [pc EXCEPT ![self] = "C3"]
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            held, completed, result, reply, expired, won, 
                            answers, stack, taker, offsets, tried, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

C3(self) == /\ pc[self] = "C3"
            /\ IF completed[met[self][2]]
                  THEN /\ pc' = [pc EXCEPT ![self] = "C4"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "B1"]
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            held, completed, result, reply, expired, won, 
                            answers, stack, taker, offsets, tried, ahead, met, 
                            again, entered, expiring, acked, kind, has, fails, 
                            task, late, freed, lapsed, frees, low, high, 
                            offset, turn >>

B1(self) == /\ pc[self] = "B1"
            /\ held[met[self][2]] = NULL
            /\ held' = [held EXCEPT ![met[self][2]] = self]
            /\ pc' = [pc EXCEPT ![self] = "B2"]
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

B2(self) == /\ pc[self] = "B2"
            /\ IF completed[met[self][2]]
                  THEN /\ won' = [won EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = "B3"]
                       /\ UNCHANGED << stack, tried >>
                  ELSE /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "try",
                                                                   pc        |->  "B3",
                                                                   tried     |->  tried[self] ] >>
                                                               \o stack[self]]
                          /\ tried' = [tried EXCEPT ![self] = met[self][2]]
                       /\ pc' = [pc EXCEPT ![self] = "F1"]
                       /\ won' = won
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            held, completed, result, reply, expired, answers, 
                            taker, offsets, ahead, met, again, entered, 
                            expiring, acked, kind, has, fails, task, late, 
                            freed, lapsed, frees, low, high, offset, turn >>

B3(self) == /\ pc[self] = "B3"
            /\ held' = [held EXCEPT ![met[self][2]] = NULL]
            /\ IF ~won[self]
                  THEN /\ pc' = [pc EXCEPT ![self] = "C0"]
                       /\ again' = again
                  ELSE /\ again' = [again EXCEPT ![self] = TRUE]
                       /\ pc' = [pc EXCEPT ![self] = "C4"]
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, entered, 
                            expiring, acked, kind, has, fails, task, late, 
                            freed, lapsed, frees, low, high, offset, turn >>

C4(self) == /\ pc[self] = "C4"
            /\ watched' = [watched EXCEPT ![met[self][1]] = NULL]
            /\ pc' = [pc EXCEPT ![self] = "C0"]
            /\ UNCHANGED << lock, cache, start, fetching, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

check(self) == C1(self) \/ C0(self) \/ C2(self) \/ C3(self) \/ B1(self)
                  \/ B2(self) \/ B3(self) \/ C4(self)

A1(self) == /\ pc[self] = "A1"
            /\ held[entered[self]] = NULL
            /\ held' = [held EXCEPT ![entered[self]] = self]
            /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "try",
                                                        pc        |->  "A0",
                                                        tried     |->  tried[self] ] >>
                                                    \o stack[self]]
               /\ tried' = [tried EXCEPT ![self] = entered[self]]
            /\ pc' = [pc EXCEPT ![self] = "F1"]
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            completed, result, reply, expired, won, answers, 
                            taker, offsets, ahead, met, again, entered, 
                            expiring, acked, kind, has, fails, task, late, 
                            freed, lapsed, frees, low, high, offset, turn >>

A0(self) == /\ pc[self] = "A0"
            /\ IF won[self]
                  THEN /\ pc' = [pc EXCEPT ![self] = "A3"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "A2"]
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            held, completed, result, reply, expired, won, 
                            answers, stack, taker, offsets, tried, ahead, met, 
                            again, entered, expiring, acked, kind, has, fails, 
                            task, late, freed, lapsed, frees, low, high, 
                            offset, turn >>

A2(self) == /\ pc[self] = "A2"
            /\ watched' = Append(watched, entered[self])
            /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "try",
                                                        pc        |->  "A3",
                                                        tried     |->  tried[self] ] >>
                                                    \o stack[self]]
               /\ tried' = [tried EXCEPT ![self] = entered[self]]
            /\ pc' = [pc EXCEPT ![self] = "F1"]
            /\ UNCHANGED << lock, cache, start, fetching, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            taker, offsets, ahead, met, again, entered, 
                            expiring, acked, kind, has, fails, task, late, 
                            freed, lapsed, frees, low, high, offset, turn >>

A3(self) == /\ pc[self] = "A3"
            /\ held' = [held EXCEPT ![entered[self]] = NULL]
            /\ IF won[self]
                  THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "check",
                                                                pc        |->  Head(stack[self]).pc,
                                                                ahead     |->  ahead[self],
                                                                met       |->  met[self],
                                                                again     |->  again[self] ] >>
                                                            \o Tail(stack[self])]
                       /\ ahead' = [ahead EXCEPT ![self] = << >>]
                       /\ met' = [met EXCEPT ![self] = << >>]
                       /\ again' = [again EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = "C1"]
                       /\ UNCHANGED entered
                  ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ entered' = [entered EXCEPT ![self] = Head(stack[self]).entered]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << ahead, met, again >>
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            completed, result, reply, expired, won, answers, 
                            taker, offsets, tried, expiring, acked, kind, has, 
                            fails, task, late, freed, lapsed, frees, low, high, 
                            offset, turn >>

enter(self) == A1(self) \/ A0(self) \/ A2(self) \/ A3(self)

E1(self) == /\ pc[self] = "E1"
            /\ held[expiring[self]] = NULL
            /\ held' = [held EXCEPT ![expiring[self]] = self]
            /\ pc' = [pc EXCEPT ![self] = "E2"]
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

E2(self) == /\ pc[self] = "E2"
            /\ IF completed[expiring[self]]
                  THEN /\ won' = [won EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = "E7"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "E3"]
                       /\ won' = won
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            held, completed, result, reply, expired, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

E3(self) == /\ pc[self] = "E3"
            /\ completed' = [completed EXCEPT ![expiring[self]] = TRUE]
            /\ pc' = [pc EXCEPT ![self] = "E4"]
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            held, result, reply, expired, won, answers, stack, 
                            taker, offsets, tried, ahead, met, again, entered, 
                            expiring, acked, kind, has, fails, task, late, 
                            freed, lapsed, frees, low, high, offset, turn >>

E4(self) == /\ pc[self] = "E4"
            /\ IF fetching # NULL
                  THEN /\ won' = [won EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = "E5"]
                       /\ UNCHANGED << fetching, stack, taker, offsets >>
                  ELSE /\ fetching' = expiring[self]
                       /\ won' = [won EXCEPT ![self] = TRUE]
                       /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "answer",
                                                                   pc        |->  "E6",
                                                                   offsets   |->  offsets[self],
                                                                   taker     |->  taker[self] ] >>
                                                               \o stack[self]]
                          /\ taker' = [taker EXCEPT ![self] = expiring[self]]
                       /\ offsets' = [offsets EXCEPT ![self] = << >>]
                       /\ pc' = [pc EXCEPT ![self] = "G1"]
            /\ UNCHANGED << lock, cache, start, watched, writes, held, 
                            completed, result, reply, expired, answers, tried, 
                            ahead, met, again, entered, expiring, acked, kind, 
                            has, fails, task, late, freed, lapsed, frees, low, 
                            high, offset, turn >>

E5(self) == /\ pc[self] = "E5"
            /\ result' = [result EXCEPT ![expiring[self]] = << >>]
            /\ answers' = [answers EXCEPT ![expiring[self]] = answers[expiring[self]] + 1]
            /\ pc' = [pc EXCEPT ![self] = "E7"]
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            held, completed, reply, expired, won, stack, taker, 
                            offsets, tried, ahead, met, again, entered, 
                            expiring, acked, kind, has, fails, task, late, 
                            freed, lapsed, frees, low, high, offset, turn >>

E6(self) == /\ pc[self] = "E6"
            /\ fetching' = NULL
            /\ pc' = [pc EXCEPT ![self] = "E7"]
            /\ UNCHANGED << lock, cache, start, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

E7(self) == /\ pc[self] = "E7"
            /\ held' = [held EXCEPT ![expiring[self]] = NULL]
            /\ IF won[self]
                  THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "check",
                                                                pc        |->  Head(stack[self]).pc,
                                                                ahead     |->  ahead[self],
                                                                met       |->  met[self],
                                                                again     |->  again[self] ] >>
                                                            \o Tail(stack[self])]
                       /\ ahead' = [ahead EXCEPT ![self] = << >>]
                       /\ met' = [met EXCEPT ![self] = << >>]
                       /\ again' = [again EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = "C1"]
                       /\ UNCHANGED expiring
                  ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ expiring' = [expiring EXCEPT ![self] = Head(stack[self]).expiring]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << ahead, met, again >>
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            completed, result, reply, expired, won, answers, 
                            taker, offsets, tried, entered, acked, kind, has, 
                            fails, task, late, freed, lapsed, frees, low, high, 
                            offset, turn >>

expire(self) == E1(self) \/ E2(self) \/ E3(self) \/ E4(self) \/ E5(self)
                   \/ E6(self) \/ E7(self)

R0(self) == /\ pc[self] = "R0"
            /\ IF result[acked[self]] = << >>
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ has' = [has EXCEPT ![self] = Head(stack[self]).has]
                       /\ acked' = [acked EXCEPT ![self] = Head(stack[self]).acked]
                       /\ kind' = [kind EXCEPT ![self] = Head(stack[self]).kind]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "R1"]
                       /\ UNCHANGED << stack, acked, kind, has >>
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            held, completed, result, reply, expired, won, 
                            answers, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, fails, task, late, freed, 
                            lapsed, frees, low, high, offset, turn >>

R1(self) == /\ pc[self] = "R1"
            /\ reply' = [reply EXCEPT ![acked[self]] = "pending"]
            /\ pc' = [pc EXCEPT ![self] = "R2"]
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            held, completed, result, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

R2(self) == /\ pc[self] = "R2"
            /\ lock = NULL
            /\ lock' = self
            /\ has' = [has EXCEPT ![self] = Held(acked[self]) # {}]
            /\ IF ~has'[self]
                  THEN /\ pc' = [pc EXCEPT ![self] = "R4"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "R3"]
            /\ UNCHANGED << cache, start, fetching, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, fails, task, late, 
                            freed, lapsed, frees, low, high, offset, turn >>

R3(self) == /\ pc[self] = "R3"
            /\ cache' =        [i \in DOMAIN cache |->
                        IF i \in Held(acked[self]) THEN [cache[i] EXCEPT !.state = kind[self], !.moving = TRUE] ELSE cache[i]]
            /\ pc' = [pc EXCEPT ![self] = "R4"]
            /\ UNCHANGED << lock, start, fetching, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

R4(self) == /\ pc[self] = "R4"
            /\ lock' = NULL
            /\ IF ~has[self]
                  THEN /\ pc' = [pc EXCEPT ![self] = "R6"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "R5"]
            /\ UNCHANGED << cache, start, fetching, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

R5(self) == /\ pc[self] = "R5"
            /\ writes' = Append(writes, acked[self])
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ has' = [has EXCEPT ![self] = Head(stack[self]).has]
            /\ acked' = [acked EXCEPT ![self] = Head(stack[self]).acked]
            /\ kind' = [kind EXCEPT ![self] = Head(stack[self]).kind]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << lock, cache, start, fetching, watched, held, 
                            completed, result, reply, expired, won, answers, 
                            taker, offsets, tried, ahead, met, again, entered, 
                            expiring, fails, task, late, freed, lapsed, frees, 
                            low, high, offset, turn >>

R6(self) == /\ pc[self] = "R6"
            /\ reply' = [reply EXCEPT ![acked[self]] = "refused"]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ has' = [has EXCEPT ![self] = Head(stack[self]).has]
            /\ acked' = [acked EXCEPT ![self] = Head(stack[self]).acked]
            /\ kind' = [kind EXCEPT ![self] = Head(stack[self]).kind]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            held, completed, result, expired, won, answers, 
                            taker, offsets, tried, ahead, met, again, entered, 
                            expiring, fails, task, late, freed, lapsed, frees, 
                            low, high, offset, turn >>

acknowledge(self) == R0(self) \/ R1(self) \/ R2(self) \/ R3(self)
                        \/ R4(self) \/ R5(self) \/ R6(self)

S1(self) == /\ pc[self] = "S1"
            /\ IF writes = << >>
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ task' = [task EXCEPT ![self] = Head(stack[self]).task]
                       /\ late' = [late EXCEPT ![self] = Head(stack[self]).late]
                       /\ freed' = [freed EXCEPT ![self] = Head(stack[self]).freed]
                       /\ fails' = [fails EXCEPT ![self] = Head(stack[self]).fails]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED writes
                  ELSE /\ task' = [task EXCEPT ![self] = Head(writes)]
                       /\ writes' = Tail(writes)
                       /\ pc' = [pc EXCEPT ![self] = "S2"]
                       /\ UNCHANGED << stack, fails, late, freed >>
            /\ UNCHANGED << lock, cache, start, fetching, watched, held, 
                            completed, result, reply, expired, won, answers, 
                            taker, offsets, tried, ahead, met, again, entered, 
                            expiring, acked, kind, has, lapsed, frees, low, 
                            high, offset, turn >>

S2(self) == /\ pc[self] = "S2"
            /\ lock = NULL
            /\ lock' = self
            /\ pc' = [pc EXCEPT ![self] = "S3"]
            /\ UNCHANGED << cache, start, fetching, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

S3(self) == /\ pc[self] = "S3"
            /\ late' = [late EXCEPT ![self] = expired[task[self]]]
            /\ pc' = [pc EXCEPT ![self] = "S4"]
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            held, completed, result, reply, expired, won, 
                            answers, stack, taker, offsets, tried, ahead, met, 
                            again, entered, expiring, acked, kind, has, fails, 
                            task, freed, lapsed, frees, low, high, offset, 
                            turn >>

S4(self) == /\ pc[self] = "S4"
            /\ LET next == Rest(Ended(task[self], fails[self], late[self])) IN
                 /\ freed' = [freed EXCEPT ![self] = Cardinality(FreeOf(next)) > Cardinality(Free)]
                 /\ cache' = next
            /\ pc' = [pc EXCEPT ![self] = "S5"]
            /\ UNCHANGED << lock, start, fetching, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, lapsed, frees, low, high, offset, turn >>

S5(self) == /\ pc[self] = "S5"
            /\ lock' = NULL
            /\ pc' = [pc EXCEPT ![self] = "S6"]
            /\ UNCHANGED << cache, start, fetching, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

S6(self) == /\ pc[self] = "S6"
            /\ reply' = [reply EXCEPT ![task[self]] = IF fails[self] THEN "failed" ELSE "done"]
            /\ IF freed[self]
                  THEN /\ /\ freed' = [freed EXCEPT ![self] = Head(stack[self]).freed]
                          /\ late' = [late EXCEPT ![self] = Head(stack[self]).late]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "check",
                                                                   pc        |->  Head(stack[self]).pc,
                                                                   ahead     |->  ahead[self],
                                                                   met       |->  met[self],
                                                                   again     |->  again[self] ] >>
                                                               \o Tail(stack[self])]
                          /\ task' = [task EXCEPT ![self] = Head(stack[self]).task]
                       /\ ahead' = [ahead EXCEPT ![self] = << >>]
                       /\ met' = [met EXCEPT ![self] = << >>]
                       /\ again' = [again EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = "C1"]
                       /\ fails' = fails
                  ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ task' = [task EXCEPT ![self] = Head(stack[self]).task]
                       /\ late' = [late EXCEPT ![self] = Head(stack[self]).late]
                       /\ freed' = [freed EXCEPT ![self] = Head(stack[self]).freed]
                       /\ fails' = [fails EXCEPT ![self] = Head(stack[self]).fails]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << ahead, met, again >>
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            held, completed, result, expired, won, answers, 
                            taker, offsets, tried, entered, expiring, acked, 
                            kind, has, lapsed, frees, low, high, offset, turn >>

end_write(self) == S1(self) \/ S2(self) \/ S3(self) \/ S4(self) \/ S5(self)
                      \/ S6(self)

X1(self) == /\ pc[self] = "X1"
            /\ IF result[lapsed[self]] = << >>
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ frees' = [frees EXCEPT ![self] = Head(stack[self]).frees]
                       /\ lapsed' = [lapsed EXCEPT ![self] = Head(stack[self]).lapsed]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "X2"]
                       /\ UNCHANGED << stack, lapsed, frees >>
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            held, completed, result, reply, expired, won, 
                            answers, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, low, high, offset, turn >>

X2(self) == /\ pc[self] = "X2"
            /\ expired' = [expired EXCEPT ![lapsed[self]] = TRUE]
            /\ pc' = [pc EXCEPT ![self] = "X3"]
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            held, completed, result, reply, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

X3(self) == /\ pc[self] = "X3"
            /\ lock = NULL
            /\ lock' = self
            /\ pc' = [pc EXCEPT ![self] = "X4"]
            /\ UNCHANGED << cache, start, fetching, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

X4(self) == /\ pc[self] = "X4"
            /\ LET next == Rest(Lapsed(lapsed[self])) IN
                 /\ frees' = [frees EXCEPT ![self] = Cardinality(FreeOf(next)) > Cardinality(Free)]
                 /\ cache' = next
            /\ pc' = [pc EXCEPT ![self] = "X5"]
            /\ UNCHANGED << lock, start, fetching, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, low, high, offset, turn >>

X5(self) == /\ pc[self] = "X5"
            /\ lock' = NULL
            /\ IF frees[self]
                  THEN /\ /\ frees' = [frees EXCEPT ![self] = Head(stack[self]).frees]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "check",
                                                                   pc        |->  Head(stack[self]).pc,
                                                                   ahead     |->  ahead[self],
                                                                   met       |->  met[self],
                                                                   again     |->  again[self] ] >>
                                                               \o Tail(stack[self])]
                       /\ ahead' = [ahead EXCEPT ![self] = << >>]
                       /\ met' = [met EXCEPT ![self] = << >>]
                       /\ again' = [again EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = "C1"]
                       /\ UNCHANGED lapsed
                  ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ frees' = [frees EXCEPT ![self] = Head(stack[self]).frees]
                       /\ lapsed' = [lapsed EXCEPT ![self] = Head(stack[self]).lapsed]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << ahead, met, again >>
            /\ UNCHANGED << cache, start, fetching, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            taker, offsets, tried, entered, expiring, acked, 
                            kind, has, fails, task, late, freed, low, high, 
                            offset, turn >>

time_out(self) == X1(self) \/ X2(self) \/ X3(self) \/ X4(self) \/ X5(self)

U1(self) == /\ pc[self] = "U1"
            /\ lock = NULL
            /\ lock' = self
            /\ pc' = [pc EXCEPT ![self] = "U2"]
            /\ UNCHANGED << cache, start, fetching, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

U2(self) == /\ pc[self] = "U2"
            /\ cache' = Append(cache, Batch(low[self], high[self]))
            /\ pc' = [pc EXCEPT ![self] = "U3"]
            /\ UNCHANGED << lock, start, fetching, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

U3(self) == /\ pc[self] = "U3"
            /\ lock' = NULL
            /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "check",
                                                     pc        |->  Head(stack[self]).pc,
                                                     ahead     |->  ahead[self],
                                                     met       |->  met[self],
                                                     again     |->  again[self] ] >>
                                                 \o Tail(stack[self])]
            /\ ahead' = [ahead EXCEPT ![self] = << >>]
            /\ met' = [met EXCEPT ![self] = << >>]
            /\ again' = [again EXCEPT ![self] = FALSE]
            /\ pc' = [pc EXCEPT ![self] = "C1"]
            /\ UNCHANGED << cache, start, fetching, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            taker, offsets, tried, entered, expiring, acked, 
                            kind, has, fails, task, late, freed, lapsed, frees, 
                            low, high, offset, turn >>

append(self) == U1(self) \/ U2(self) \/ U3(self)

M1(self) == /\ pc[self] = "M1"
            /\ lock = NULL
            /\ lock' = self
            /\ pc' = [pc EXCEPT ![self] = "M2"]
            /\ UNCHANGED << cache, start, fetching, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

M2(self) == /\ pc[self] = "M2"
            /\ start' = (IF offset[self] > start THEN offset[self] ELSE start)
            /\ pc' = [pc EXCEPT ![self] = "M3"]
            /\ UNCHANGED << lock, cache, fetching, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

M3(self) == /\ pc[self] = "M3"
            /\ cache' = Rest(cache)
            /\ pc' = [pc EXCEPT ![self] = "M4"]
            /\ UNCHANGED << lock, start, fetching, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            stack, taker, offsets, tried, ahead, met, again, 
                            entered, expiring, acked, kind, has, fails, task, 
                            late, freed, lapsed, frees, low, high, offset, 
                            turn >>

M4(self) == /\ pc[self] = "M4"
            /\ lock' = NULL
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ offset' = [offset EXCEPT ![self] = Head(stack[self]).offset]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << cache, start, fetching, watched, writes, held, 
                            completed, result, reply, expired, won, answers, 
                            taker, offsets, tried, ahead, met, again, entered, 
                            expiring, acked, kind, has, fails, task, late, 
                            freed, lapsed, frees, low, high, turn >>

trim(self) == M1(self) \/ M2(self) \/ M3(self) \/ M4(self)

T0(self) == /\ pc[self] = "T0"
            /\ IF turn[self] <= Len(Program[self])
                  THEN /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                       /\ won' = [won EXCEPT ![self] = FALSE]
                       /\ IF Program[self][turn'[self] - 1][1] = "fetch"
                             THEN /\ /\ entered' = [entered EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "enter",
                                                                              pc        |->  "T0",
                                                                              entered   |->  entered[self] ] >>
                                                                          \o stack[self]]
                                  /\ pc' = [pc EXCEPT ![self] = "A1"]
                                  /\ UNCHANGED << expiring, acked, kind, has, 
                                                  fails, task, late, freed, 
                                                  lapsed, frees, low, high, 
                                                  offset >>
                             ELSE /\ IF Program[self][turn'[self] - 1][1] = "expire"
                                        THEN /\ /\ expiring' = [expiring EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "expire",
                                                                                         pc        |->  "T0",
                                                                                         expiring  |->  expiring[self] ] >>
                                                                                     \o stack[self]]
                                             /\ pc' = [pc EXCEPT ![self] = "E1"]
                                             /\ UNCHANGED << acked, kind, has, 
                                                             fails, task, late, 
                                                             freed, lapsed, 
                                                             frees, low, high, 
                                                             offset >>
                                        ELSE /\ IF Program[self][turn'[self] - 1][1] = "release"
                                                   THEN /\ /\ acked' = [acked EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                           /\ kind' = [kind EXCEPT ![self] = "available"]
                                                           /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "acknowledge",
                                                                                                    pc        |->  "T0",
                                                                                                    has       |->  has[self],
                                                                                                    acked     |->  acked[self],
                                                                                                    kind      |->  kind[self] ] >>
                                                                                                \o stack[self]]
                                                        /\ has' = [has EXCEPT ![self] = FALSE]
                                                        /\ pc' = [pc EXCEPT ![self] = "R0"]
                                                        /\ UNCHANGED << fails, 
                                                                        task, 
                                                                        late, 
                                                                        freed, 
                                                                        lapsed, 
                                                                        frees, 
                                                                        low, 
                                                                        high, 
                                                                        offset >>
                                                   ELSE /\ IF Program[self][turn'[self] - 1][1] = "write"
                                                              THEN /\ /\ fails' = [fails EXCEPT ![self] = FALSE]
                                                                      /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "end_write",
                                                                                                               pc        |->  "T0",
                                                                                                               task      |->  task[self],
                                                                                                               late      |->  late[self],
                                                                                                               freed     |->  freed[self],
                                                                                                               fails     |->  fails[self] ] >>
                                                                                                           \o stack[self]]
                                                                   /\ task' = [task EXCEPT ![self] = NULL]
                                                                   /\ late' = [late EXCEPT ![self] = FALSE]
                                                                   /\ freed' = [freed EXCEPT ![self] = FALSE]
                                                                   /\ pc' = [pc EXCEPT ![self] = "S1"]
                                                                   /\ UNCHANGED << acked, 
                                                                                   kind, 
                                                                                   has, 
                                                                                   lapsed, 
                                                                                   frees, 
                                                                                   low, 
                                                                                   high, 
                                                                                   offset >>
                                                              ELSE /\ IF Program[self][turn'[self] - 1][1] = "fail"
                                                                         THEN /\ /\ fails' = [fails EXCEPT ![self] = TRUE]
                                                                                 /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "end_write",
                                                                                                                          pc        |->  "T0",
                                                                                                                          task      |->  task[self],
                                                                                                                          late      |->  late[self],
                                                                                                                          freed     |->  freed[self],
                                                                                                                          fails     |->  fails[self] ] >>
                                                                                                                      \o stack[self]]
                                                                              /\ task' = [task EXCEPT ![self] = NULL]
                                                                              /\ late' = [late EXCEPT ![self] = FALSE]
                                                                              /\ freed' = [freed EXCEPT ![self] = FALSE]
                                                                              /\ pc' = [pc EXCEPT ![self] = "S1"]
                                                                              /\ UNCHANGED << acked, 
                                                                                              kind, 
                                                                                              has, 
                                                                                              lapsed, 
                                                                                              frees, 
                                                                                              low, 
                                                                                              high, 
                                                                                              offset >>
                                                                         ELSE /\ IF Program[self][turn'[self] - 1][1] = "time_out"
                                                                                    THEN /\ /\ lapsed' = [lapsed EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                                                            /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "time_out",
                                                                                                                                     pc        |->  "T0",
                                                                                                                                     frees     |->  frees[self],
                                                                                                                                     lapsed    |->  lapsed[self] ] >>
                                                                                                                                 \o stack[self]]
                                                                                         /\ frees' = [frees EXCEPT ![self] = FALSE]
                                                                                         /\ pc' = [pc EXCEPT ![self] = "X1"]
                                                                                         /\ UNCHANGED << acked, 
                                                                                                         kind, 
                                                                                                         has, 
                                                                                                         low, 
                                                                                                         high, 
                                                                                                         offset >>
                                                                                    ELSE /\ IF Program[self][turn'[self] - 1][1] = "append"
                                                                                               THEN /\ /\ high' = [high EXCEPT ![self] = Program[self][turn'[self] - 1][3]]
                                                                                                       /\ low' = [low EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                                                                       /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "append",
                                                                                                                                                pc        |->  "T0",
                                                                                                                                                low       |->  low[self],
                                                                                                                                                high      |->  high[self] ] >>
                                                                                                                                            \o stack[self]]
                                                                                                    /\ pc' = [pc EXCEPT ![self] = "U1"]
                                                                                                    /\ UNCHANGED << acked, 
                                                                                                                    kind, 
                                                                                                                    has, 
                                                                                                                    offset >>
                                                                                               ELSE /\ IF Program[self][turn'[self] - 1][1] = "trim"
                                                                                                          THEN /\ /\ offset' = [offset EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                                                                                  /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "trim",
                                                                                                                                                           pc        |->  "T0",
                                                                                                                                                           offset    |->  offset[self] ] >>
                                                                                                                                                       \o stack[self]]
                                                                                                               /\ pc' = [pc EXCEPT ![self] = "M1"]
                                                                                                               /\ UNCHANGED << acked, 
                                                                                                                               kind, 
                                                                                                                               has >>
                                                                                                          ELSE /\ /\ acked' = [acked EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                                                                                  /\ kind' = [kind EXCEPT ![self] = "accepted"]
                                                                                                                  /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "acknowledge",
                                                                                                                                                           pc        |->  "T0",
                                                                                                                                                           has       |->  has[self],
                                                                                                                                                           acked     |->  acked[self],
                                                                                                                                                           kind      |->  kind[self] ] >>
                                                                                                                                                       \o stack[self]]
                                                                                                               /\ has' = [has EXCEPT ![self] = FALSE]
                                                                                                               /\ pc' = [pc EXCEPT ![self] = "R0"]
                                                                                                               /\ UNCHANGED offset
                                                                                                    /\ UNCHANGED << low, 
                                                                                                                    high >>
                                                                                         /\ UNCHANGED << lapsed, 
                                                                                                         frees >>
                                                                              /\ UNCHANGED << fails, 
                                                                                              task, 
                                                                                              late, 
                                                                                              freed >>
                                             /\ UNCHANGED expiring
                                  /\ UNCHANGED entered
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << won, stack, entered, expiring, acked, 
                                       kind, has, fails, task, late, freed, 
                                       lapsed, frees, low, high, offset, turn >>
            /\ UNCHANGED << lock, cache, start, fetching, watched, writes, 
                            held, completed, result, reply, expired, answers, 
                            taker, offsets, tried, ahead, met, again >>

thread(self) == T0(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in ProcSet:  \/ answer(self) \/ try(self) \/ check(self)
                               \/ enter(self) \/ expire(self)
                               \/ acknowledge(self) \/ end_write(self)
                               \/ time_out(self) \/ append(self)
                               \/ trim(self))
           \/ (\E self \in Threads: thread(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Threads : /\ WF_vars(thread(self))
                                 /\ WF_vars(enter(self))
                                 /\ WF_vars(expire(self))
                                 /\ WF_vars(acknowledge(self))
                                 /\ WF_vars(end_write(self))
                                 /\ WF_vars(time_out(self))
                                 /\ WF_vars(append(self))
                                 /\ WF_vars(trim(self))
                                 /\ WF_vars(answer(self))
                                 /\ WF_vars(try(self))
                                 /\ WF_vars(check(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 
===============================================================================
