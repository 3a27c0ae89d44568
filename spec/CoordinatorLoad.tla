--------------------------- MODULE CoordinatorLoad ---------------------------
(***************************************************************************)
(* How a broker loads the coordinator of a partition that it leads.         *)
(*                                                                          *)
(* With each leadership comes an epoch.  The event of a leadership creates  *)
(* the partition's context and submits its load; the event of its end       *)
(* closes the context and forgets it, but does not cancel the load.  One    *)
(* thread loads: it reads the log, and the high watermark at last, and      *)
(* completes the load by an event.  A context that is active serves.        *)
(*                                                                          *)
(* The partition's events are handled one after the other, in the order in  *)
(* which they were put, by a thread that has put one (Q, R).                *)
(*                                                                          *)
(* A write without records waits until the high watermark is at the end of  *)
(* what its context has applied (V).  The log gives its listener each new   *)
(* high watermark (F), and an event carries it to the context (H).  The     *)
(* listener is there before the load begins: what it hears while its        *)
(* context loads counts when the context becomes active (C2).               *)
(*                                                                          *)
(* A context is named after the epoch that has created it.                  *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
  Program,     \* thread |-> sequence of operations: <<"lead", epoch>>, <<"follow", epoch>>,
               \* <<"resign", epoch>>, <<"fetch">>, <<"write", name>>, <<"load">>
  End,         \* the end of the log
  Seen,        \* the high watermark in the beginning
  NULL

Threads    == DOMAIN Program
Operations == UNION {{Program[t][i] : i \in DOMAIN Program[t]} : t \in Threads}
Contexts   == {o[2] : o \in {o \in Operations : o[1] = "lead"}}
Writes     == {o[2] : o \in {o \in Operations : o[1] = "write"}}
NONE       == -1   \* no offset
ABSENT     == 0    \* no context

(*--algorithm CoordinatorLoad
variables
  gate = NULL,       \* the thread that holds the lock of the events
  waiting = << >>,   \* the events that wait
  busy = FALSE,      \* some thread handles events
  lock = NULL,       \* the thread that holds the lock of the loads
  loads = << >>,     \* the contexts whose load has not begun
  leads = FALSE,     \* the broker has the log as its leader
  highWatermark = Seen,
  listener = ABSENT, \* the context that learns the high watermark
  current = ABSENT,  \* the context of the partition
  epoch = [c \in Contexts |-> 0],
  state = [c \in Contexts |-> "initial"],  \* "loading", "active", "failed", "closed"
  applied = [c \in Contexts |-> 0],        \* the offset up to which the log was applied
  committed = [c \in Contexts |-> 0],      \* the offset up to which it is known as committed
  heard = [c \in Contexts |-> NONE],       \* the high watermark that came while it loaded
  pending = [c \in Contexts |-> NONE],     \* the same, of the event that waits
  deferred = [c \in Contexts |-> << >>],   \* the writes that wait
  result = [w \in Writes |-> NULL],        \* the answer to a write
  replied = [w \in Writes |-> FALSE];

\* Write.reply
procedure reply(recipient = NULL, answer = NULL)
begin
N1: result[recipient] := answer;
N2: replied[recipient] := TRUE;
    return;
end procedure;

\* Context.reply
procedure reply_all(owner = ABSENT, answers = NULL)
variables next = NULL;
begin
D0: while deferred[owner] # << >> do
D1:   next := Head(deferred[owner]);
      deferred[owner] := Tail(deferred[owner]);
      call reply(next, answers);
    end while;
    return;
end procedure;

procedure begin_load(first = 0)
begin
A0: if current # ABSENT then
      if epoch[current] < first then goto A2; else return; end if;
    end if;
A1: current := first;
A2: epoch[current] := first;
    if state[current] # "initial" then return; end if;
A3: state[current] := "loading";
A4: listener := current;
S1: await lock = NULL;
    lock := self;
S2: loads := Append(loads, current);
S3: lock := NULL;
    return;
end procedure;

procedure unload(last = 0)
begin
B0: if current = ABSENT then return; elsif epoch[current] >= last then return; end if;
B1: state[current] := "closed";
B2: listener := ABSENT;
    call reply_all(current, "refused");
B3: current := ABSENT;
    return;
end procedure;

procedure complete(ended = ABSENT, loaded = FALSE)
begin
C0: if ended # current then return; elsif ~loaded then goto C3; end if;
C1: state[ended] := "active";
    if heard[ended] <= committed[ended] then return; end if;
C2: committed[ended] := heard[ended];
    return;
C3: state[ended] := "failed";
C4: listener := ABSENT;
    return;
end procedure;

procedure rise(target = ABSENT)
variables offset = NONE;
begin
H1: offset := pending[target];
    pending[target] := NONE;
H0: if target # current then return;
    elsif state[target] = "active" then goto H3;
    end if;
H2: heard[target] := offset;
    return;
H3: committed[target] := offset;
    if offset < applied[target] then return;
    else call reply_all(target, "answered"); return;
    end if;
end procedure;

procedure serve(request = NULL)
begin
V0: if current = ABSENT then call reply(request, "refused"); return;
    elsif state[current] # "active" then call reply(request, "refused"); return;
    elsif committed[current] >= applied[current] then call reply(request, "answered"); return;
    end if;
V1: deferred[current] := Append(deferred[current], request);
    return;
end procedure;

\* Events.put
procedure put(item = << >>)
variables event = << >>, handles = FALSE;
begin
Q1: await gate = NULL;
    gate := self;
Q2: waiting := Append(waiting, item);
    if busy then goto Q4; end if;
Q3: busy := TRUE;
    handles := TRUE;
Q4: gate := NULL;
    if ~handles then return; end if;
R1: await gate = NULL;
    gate := self;
    if waiting # << >> then goto R3; end if;
R2: busy := FALSE;
    event := << >>;
    goto R4;
R3: event := Head(waiting);
    waiting := Tail(waiting);
R4: gate := NULL;
    if event = << >> then return;
    elsif event[1] = "load" then call begin_load(event[2]); goto R1;
    elsif event[1] = "unload" then call unload(event[2]); goto R1;
    elsif event[1] = "complete" then call complete(event[2], event[3]); goto R1;
    elsif event[1] = "rise" then call rise(event[2]); goto R1;
    else call serve(event[2]); goto R1;
    end if;
end procedure;

procedure lead(since = 0)
begin
P1: leads := TRUE;
    call put(<<"load", since>>);
    return;
end procedure;

procedure follow(until = 0)
begin
P2: leads := FALSE;
    call put(<<"unload", until>>);
    return;
end procedure;

\* Log.fetched
procedure fetch()
variables reached = NONE, hearer = ABSENT;
begin
F1: highWatermark := highWatermark + 1;
    reached := highWatermark;
F2: if listener = ABSENT then return; else hearer := listener; end if;
F3: if pending[hearer] # NONE then
      pending[hearer] := reached;
      return;
    else
      pending[hearer] := reached;
      call put(<<"rise", hearer>>);
      return;
    end if;
end procedure;

procedure write(own = NULL)
begin
W0: call put(<<"write", own>>);
W1: if replied[own] then return; end if;
W2: await replied[own];
    return;
end procedure;

\* Loader.load
procedure load()
variables task = ABSENT, mark = NONE;
begin
M1: await lock = NULL;
    lock := self;
    if loads = << >> then goto M3; end if;
M2: task := Head(loads);
    loads := Tail(loads);
M3: lock := NULL;
    if task = ABSENT then return; end if;
M4: if ~leads then call put(<<"complete", task, FALSE>>); return; end if;
M5: applied[task] := End;
M6: mark := highWatermark;
M7: committed[task] := mark;
    call put(<<"complete", task, TRUE>>);
    return;
end procedure;

fair process thread \in Threads
variables turn = 1;
begin
T0: while turn <= Len(Program[self]) do
      turn := turn + 1;
      if Program[self][turn - 1][1] = "lead" then call lead(Program[self][turn - 1][2]);
      elsif Program[self][turn - 1][1] = "follow" then call follow(Program[self][turn - 1][2]);
      elsif Program[self][turn - 1][1] = "resign" then
        call put(<<"unload", Program[self][turn - 1][2]>>);
      elsif Program[self][turn - 1][1] = "fetch" then call fetch();
      elsif Program[self][turn - 1][1] = "write" then call write(Program[self][turn - 1][2]);
      else call load();
      end if;
    end while;
end process;
end algorithm; *)
\* BEGIN TRANSLATION (chksum(pcal) = "4f1fdc35" /\ chksum(tla) = "d226ef12")
VARIABLES gate, waiting, busy, lock, loads, leads, highWatermark, listener, 
          current, epoch, state, applied, committed, heard, pending, deferred, 
          result, replied, pc, stack, recipient, answer, owner, answers, next, 
          first, last, ended, loaded, target, offset, request, item, event, 
          handles, since, until, reached, hearer, own, task, mark, turn

vars == << gate, waiting, busy, lock, loads, leads, highWatermark, listener, 
           current, epoch, state, applied, committed, heard, pending, 
           deferred, result, replied, pc, stack, recipient, answer, owner, 
           answers, next, first, last, ended, loaded, target, offset, request, 
           item, event, handles, since, until, reached, hearer, own, task, 
           mark, turn >>

ProcSet == (Threads)

Init == (* Global variables *)
        /\ gate = NULL
        /\ waiting = << >>
        /\ busy = FALSE
        /\ lock = NULL
        /\ loads = << >>
        /\ leads = FALSE
        /\ highWatermark = Seen
        /\ listener = ABSENT
        /\ current = ABSENT
        /\ epoch = [c \in Contexts |-> 0]
        /\ state = [c \in Contexts |-> "initial"]
        /\ applied = [c \in Contexts |-> 0]
        /\ committed = [c \in Contexts |-> 0]
        /\ heard = [c \in Contexts |-> NONE]
        /\ pending = [c \in Contexts |-> NONE]
        /\ deferred = [c \in Contexts |-> << >>]
        /\ result = [w \in Writes |-> NULL]
        /\ replied = [w \in Writes |-> FALSE]
        (* Procedure reply *)
        /\ recipient = [ self \in ProcSet |-> NULL]
        /\ answer = [ self \in ProcSet |-> NULL]
        (* Procedure reply_all *)
        /\ owner = [ self \in ProcSet |-> ABSENT]
        /\ answers = [ self \in ProcSet |-> NULL]
        /\ next = [ self \in ProcSet |-> NULL]
        (* Procedure begin_load *)
        /\ first = [ self \in ProcSet |-> 0]
        (* Procedure unload *)
        /\ last = [ self \in ProcSet |-> 0]
        (* Procedure complete *)
        /\ ended = [ self \in ProcSet |-> ABSENT]
        /\ loaded = [ self \in ProcSet |-> FALSE]
        (* Procedure rise *)
        /\ target = [ self \in ProcSet |-> ABSENT]
        /\ offset = [ self \in ProcSet |-> NONE]
        (* Procedure serve *)
        /\ request = [ self \in ProcSet |-> NULL]
        (* Procedure put *)
        /\ item = [ self \in ProcSet |-> << >>]
        /\ event = [ self \in ProcSet |-> << >>]
        /\ handles = [ self \in ProcSet |-> FALSE]
        (* Procedure lead *)
        /\ since = [ self \in ProcSet |-> 0]
        (* Procedure follow *)
        /\ until = [ self \in ProcSet |-> 0]
        (* Procedure fetch *)
        /\ reached = [ self \in ProcSet |-> NONE]
        /\ hearer = [ self \in ProcSet |-> ABSENT]
        (* Procedure write *)
        /\ own = [ self \in ProcSet |-> NULL]
        (* Procedure load *)
        /\ task = [ self \in ProcSet |-> ABSENT]
        /\ mark = [ self \in ProcSet |-> NONE]
        (* Process thread *)
        /\ turn = [self \in Threads |-> 1]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> "T0"]

N1(self) == /\ pc[self] = "N1"
            /\ result' = [result EXCEPT ![recipient[self]] = answer[self]]
            /\ pc' = [pc EXCEPT ![self] = "N2"]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, committed, heard, pending, deferred, 
                            replied, stack, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request, item, event, handles, since, until, 
                            reached, hearer, own, task, mark, turn >>

N2(self) == /\ pc[self] = "N2"
            /\ replied' = [replied EXCEPT ![recipient[self]] = TRUE]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ recipient' = [recipient EXCEPT ![self] = Head(stack[self]).recipient]
            /\ answer' = [answer EXCEPT ![self] = Head(stack[self]).answer]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, committed, heard, pending, deferred, 
                            result, owner, answers, next, first, last, ended, 
                            loaded, target, offset, request, item, event, 
                            handles, since, until, reached, hearer, own, task, 
                            mark, turn >>

reply(self) == N1(self) \/ N2(self)

D0(self) == /\ pc[self] = "D0"
            /\ IF deferred[owner[self]] # << >>
                  THEN /\ pc' = [pc EXCEPT ![self] = "D1"]
                       /\ UNCHANGED << stack, owner, answers, next >>
                  ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ next' = [next EXCEPT ![self] = Head(stack[self]).next]
                       /\ owner' = [owner EXCEPT ![self] = Head(stack[self]).owner]
                       /\ answers' = [answers EXCEPT ![self] = Head(stack[self]).answers]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, committed, heard, pending, deferred, 
                            result, replied, recipient, answer, first, last, 
                            ended, loaded, target, offset, request, item, 
                            event, handles, since, until, reached, hearer, own, 
                            task, mark, turn >>

D1(self) == /\ pc[self] = "D1"
            /\ next' = [next EXCEPT ![self] = Head(deferred[owner[self]])]
            /\ deferred' = [deferred EXCEPT ![owner[self]] = Tail(deferred[owner[self]])]
            /\ /\ answer' = [answer EXCEPT ![self] = answers[self]]
               /\ recipient' = [recipient EXCEPT ![self] = next'[self]]
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "reply",
                                                        pc        |->  "D0",
                                                        recipient |->  recipient[self],
                                                        answer    |->  answer[self] ] >>
                                                    \o stack[self]]
            /\ pc' = [pc EXCEPT ![self] = "N1"]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, committed, heard, pending, result, 
                            replied, owner, answers, first, last, ended, 
                            loaded, target, offset, request, item, event, 
                            handles, since, until, reached, hearer, own, task, 
                            mark, turn >>

reply_all(self) == D0(self) \/ D1(self)

A0(self) == /\ pc[self] = "A0"
            /\ IF current # ABSENT
                  THEN /\ IF epoch[current] < first[self]
                             THEN /\ pc' = [pc EXCEPT ![self] = "A2"]
                                  /\ UNCHANGED << stack, first >>
                             ELSE /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                                  /\ first' = [first EXCEPT ![self] = Head(stack[self]).first]
                                  /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "A1"]
                       /\ UNCHANGED << stack, first >>
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, committed, heard, pending, deferred, 
                            result, replied, recipient, answer, owner, answers, 
                            next, last, ended, loaded, target, offset, request, 
                            item, event, handles, since, until, reached, 
                            hearer, own, task, mark, turn >>

A1(self) == /\ pc[self] = "A1"
            /\ current' = first[self]
            /\ pc' = [pc EXCEPT ![self] = "A2"]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, epoch, state, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, stack, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request, item, event, handles, since, until, 
                            reached, hearer, own, task, mark, turn >>

A2(self) == /\ pc[self] = "A2"
            /\ epoch' = [epoch EXCEPT ![current] = first[self]]
            /\ IF state[current] # "initial"
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ first' = [first EXCEPT ![self] = Head(stack[self]).first]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "A3"]
                       /\ UNCHANGED << stack, first >>
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, state, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, recipient, answer, owner, answers, next, 
                            last, ended, loaded, target, offset, request, item, 
                            event, handles, since, until, reached, hearer, own, 
                            task, mark, turn >>

A3(self) == /\ pc[self] = "A3"
            /\ state' = [state EXCEPT ![current] = "loading"]
            /\ pc' = [pc EXCEPT ![self] = "A4"]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, stack, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request, item, event, handles, since, until, 
                            reached, hearer, own, task, mark, turn >>

A4(self) == /\ pc[self] = "A4"
            /\ listener' = current
            /\ pc' = [pc EXCEPT ![self] = "S1"]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, current, epoch, state, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, stack, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request, item, event, handles, since, until, 
                            reached, hearer, own, task, mark, turn >>

S1(self) == /\ pc[self] = "S1"
            /\ lock = NULL
            /\ lock' = self
            /\ pc' = [pc EXCEPT ![self] = "S2"]
            /\ UNCHANGED << gate, waiting, busy, loads, leads, highWatermark, 
                            listener, current, epoch, state, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, stack, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request, item, event, handles, since, until, 
                            reached, hearer, own, task, mark, turn >>

S2(self) == /\ pc[self] = "S2"
            /\ loads' = Append(loads, current)
            /\ pc' = [pc EXCEPT ![self] = "S3"]
            /\ UNCHANGED << gate, waiting, busy, lock, leads, highWatermark, 
                            listener, current, epoch, state, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, stack, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request, item, event, handles, since, until, 
                            reached, hearer, own, task, mark, turn >>

S3(self) == /\ pc[self] = "S3"
            /\ lock' = NULL
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ first' = [first EXCEPT ![self] = Head(stack[self]).first]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << gate, waiting, busy, loads, leads, highWatermark, 
                            listener, current, epoch, state, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, recipient, answer, owner, answers, next, 
                            last, ended, loaded, target, offset, request, item, 
                            event, handles, since, until, reached, hearer, own, 
                            task, mark, turn >>

begin_load(self) == A0(self) \/ A1(self) \/ A2(self) \/ A3(self)
                       \/ A4(self) \/ S1(self) \/ S2(self) \/ S3(self)

B0(self) == /\ pc[self] = "B0"
            /\ IF current = ABSENT
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ last' = [last EXCEPT ![self] = Head(stack[self]).last]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ IF epoch[current] >= last[self]
                             THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                                  /\ last' = [last EXCEPT ![self] = Head(stack[self]).last]
                                  /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "B1"]
                                  /\ UNCHANGED << stack, last >>
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, committed, heard, pending, deferred, 
                            result, replied, recipient, answer, owner, answers, 
                            next, first, ended, loaded, target, offset, 
                            request, item, event, handles, since, until, 
                            reached, hearer, own, task, mark, turn >>

B1(self) == /\ pc[self] = "B1"
            /\ state' = [state EXCEPT ![current] = "closed"]
            /\ pc' = [pc EXCEPT ![self] = "B2"]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, stack, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request, item, event, handles, since, until, 
                            reached, hearer, own, task, mark, turn >>

B2(self) == /\ pc[self] = "B2"
            /\ listener' = ABSENT
            /\ /\ answers' = [answers EXCEPT ![self] = "refused"]
               /\ owner' = [owner EXCEPT ![self] = current]
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "reply_all",
                                                        pc        |->  "B3",
                                                        next      |->  next[self],
                                                        owner     |->  owner[self],
                                                        answers   |->  answers[self] ] >>
                                                    \o stack[self]]
            /\ next' = [next EXCEPT ![self] = NULL]
            /\ pc' = [pc EXCEPT ![self] = "D0"]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, current, epoch, state, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, recipient, answer, first, last, ended, 
                            loaded, target, offset, request, item, event, 
                            handles, since, until, reached, hearer, own, task, 
                            mark, turn >>

B3(self) == /\ pc[self] = "B3"
            /\ current' = ABSENT
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ last' = [last EXCEPT ![self] = Head(stack[self]).last]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, epoch, state, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, recipient, answer, owner, answers, next, 
                            first, ended, loaded, target, offset, request, 
                            item, event, handles, since, until, reached, 
                            hearer, own, task, mark, turn >>

unload(self) == B0(self) \/ B1(self) \/ B2(self) \/ B3(self)

C0(self) == /\ pc[self] = "C0"
            /\ IF ended[self] # current
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ ended' = [ended EXCEPT ![self] = Head(stack[self]).ended]
                       /\ loaded' = [loaded EXCEPT ![self] = Head(stack[self]).loaded]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ IF ~loaded[self]
                             THEN /\ pc' = [pc EXCEPT ![self] = "C3"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "C1"]
                       /\ UNCHANGED << stack, ended, loaded >>
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, committed, heard, pending, deferred, 
                            result, replied, recipient, answer, owner, answers, 
                            next, first, last, target, offset, request, item, 
                            event, handles, since, until, reached, hearer, own, 
                            task, mark, turn >>

C1(self) == /\ pc[self] = "C1"
            /\ state' = [state EXCEPT ![ended[self]] = "active"]
            /\ IF heard[ended[self]] <= committed[ended[self]]
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ ended' = [ended EXCEPT ![self] = Head(stack[self]).ended]
                       /\ loaded' = [loaded EXCEPT ![self] = Head(stack[self]).loaded]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "C2"]
                       /\ UNCHANGED << stack, ended, loaded >>
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, recipient, answer, owner, answers, next, 
                            first, last, target, offset, request, item, event, 
                            handles, since, until, reached, hearer, own, task, 
                            mark, turn >>

C2(self) == /\ pc[self] = "C2"
            /\ committed' = [committed EXCEPT ![ended[self]] = heard[ended[self]]]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ ended' = [ended EXCEPT ![self] = Head(stack[self]).ended]
            /\ loaded' = [loaded EXCEPT ![self] = Head(stack[self]).loaded]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, heard, pending, deferred, result, replied, 
                            recipient, answer, owner, answers, next, first, 
                            last, target, offset, request, item, event, 
                            handles, since, until, reached, hearer, own, task, 
                            mark, turn >>

C3(self) == /\ pc[self] = "C3"
            /\ state' = [state EXCEPT ![ended[self]] = "failed"]
            /\ pc' = [pc EXCEPT ![self] = "C4"]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, stack, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request, item, event, handles, since, until, 
                            reached, hearer, own, task, mark, turn >>

C4(self) == /\ pc[self] = "C4"
            /\ listener' = ABSENT
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ ended' = [ended EXCEPT ![self] = Head(stack[self]).ended]
            /\ loaded' = [loaded EXCEPT ![self] = Head(stack[self]).loaded]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, current, epoch, state, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, recipient, answer, owner, answers, next, 
                            first, last, target, offset, request, item, event, 
                            handles, since, until, reached, hearer, own, task, 
                            mark, turn >>

complete(self) == C0(self) \/ C1(self) \/ C2(self) \/ C3(self) \/ C4(self)

H1(self) == /\ pc[self] = "H1"
            /\ offset' = [offset EXCEPT ![self] = pending[target[self]]]
            /\ pending' = [pending EXCEPT ![target[self]] = NONE]
            /\ pc' = [pc EXCEPT ![self] = "H0"]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, committed, heard, deferred, result, 
                            replied, stack, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, request, 
                            item, event, handles, since, until, reached, 
                            hearer, own, task, mark, turn >>

H0(self) == /\ pc[self] = "H0"
            /\ IF target[self] # current
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ offset' = [offset EXCEPT ![self] = Head(stack[self]).offset]
                       /\ target' = [target EXCEPT ![self] = Head(stack[self]).target]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ IF state[target[self]] = "active"
                             THEN /\ pc' = [pc EXCEPT ![self] = "H3"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "H2"]
                       /\ UNCHANGED << stack, target, offset >>
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, committed, heard, pending, deferred, 
                            result, replied, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, request, item, 
                            event, handles, since, until, reached, hearer, own, 
                            task, mark, turn >>

H2(self) == /\ pc[self] = "H2"
            /\ heard' = [heard EXCEPT ![target[self]] = offset[self]]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ offset' = [offset EXCEPT ![self] = Head(stack[self]).offset]
            /\ target' = [target EXCEPT ![self] = Head(stack[self]).target]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, committed, pending, deferred, result, 
                            replied, recipient, answer, owner, answers, next, 
                            first, last, ended, loaded, request, item, event, 
                            handles, since, until, reached, hearer, own, task, 
                            mark, turn >>

H3(self) == /\ pc[self] = "H3"
            /\ committed' = [committed EXCEPT ![target[self]] = offset[self]]
            /\ IF offset[self] < applied[target[self]]
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ offset' = [offset EXCEPT ![self] = Head(stack[self]).offset]
                       /\ target' = [target EXCEPT ![self] = Head(stack[self]).target]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << owner, answers, next >>
                  ELSE /\ /\ answers' = [answers EXCEPT ![self] = "answered"]
                          /\ offset' = [offset EXCEPT ![self] = Head(stack[self]).offset]
                          /\ owner' = [owner EXCEPT ![self] = target[self]]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "reply_all",
                                                                   pc        |->  Head(stack[self]).pc,
                                                                   next      |->  next[self],
                                                                   owner     |->  owner[self],
                                                                   answers   |->  answers[self] ] >>
                                                               \o Tail(stack[self])]
                       /\ next' = [next EXCEPT ![self] = NULL]
                       /\ pc' = [pc EXCEPT ![self] = "D0"]
                       /\ UNCHANGED target
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, heard, pending, deferred, result, replied, 
                            recipient, answer, first, last, ended, loaded, 
                            request, item, event, handles, since, until, 
                            reached, hearer, own, task, mark, turn >>

rise(self) == H1(self) \/ H0(self) \/ H2(self) \/ H3(self)

V0(self) == /\ pc[self] = "V0"
            /\ IF current = ABSENT
                  THEN /\ /\ answer' = [answer EXCEPT ![self] = "refused"]
                          /\ recipient' = [recipient EXCEPT ![self] = request[self]]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "reply",
                                                                   pc        |->  Head(stack[self]).pc,
                                                                   recipient |->  recipient[self],
                                                                   answer    |->  answer[self] ] >>
                                                               \o Tail(stack[self])]
                       /\ pc' = [pc EXCEPT ![self] = "N1"]
                  ELSE /\ IF state[current] # "active"
                             THEN /\ /\ answer' = [answer EXCEPT ![self] = "refused"]
                                     /\ recipient' = [recipient EXCEPT ![self] = request[self]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "reply",
                                                                              pc        |->  Head(stack[self]).pc,
                                                                              recipient |->  recipient[self],
                                                                              answer    |->  answer[self] ] >>
                                                                          \o Tail(stack[self])]
                                  /\ pc' = [pc EXCEPT ![self] = "N1"]
                             ELSE /\ IF committed[current] >= applied[current]
                                        THEN /\ /\ answer' = [answer EXCEPT ![self] = "answered"]
                                                /\ recipient' = [recipient EXCEPT ![self] = request[self]]
                                                /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "reply",
                                                                                         pc        |->  Head(stack[self]).pc,
                                                                                         recipient |->  recipient[self],
                                                                                         answer    |->  answer[self] ] >>
                                                                                     \o Tail(stack[self])]
                                             /\ pc' = [pc EXCEPT ![self] = "N1"]
                                        ELSE /\ pc' = [pc EXCEPT ![self] = "V1"]
                                             /\ UNCHANGED << stack, recipient, 
                                                             answer >>
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, committed, heard, pending, deferred, 
                            result, replied, owner, answers, next, first, last, 
                            ended, loaded, target, offset, request, item, 
                            event, handles, since, until, reached, hearer, own, 
                            task, mark, turn >>

V1(self) == /\ pc[self] = "V1"
            /\ deferred' = [deferred EXCEPT ![current] = Append(deferred[current], request[self])]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ request' = [request EXCEPT ![self] = Head(stack[self]).request]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, committed, heard, pending, result, 
                            replied, recipient, answer, owner, answers, next, 
                            first, last, ended, loaded, target, offset, item, 
                            event, handles, since, until, reached, hearer, own, 
                            task, mark, turn >>

serve(self) == V0(self) \/ V1(self)

Q1(self) == /\ pc[self] = "Q1"
            /\ gate = NULL
            /\ gate' = self
            /\ pc' = [pc EXCEPT ![self] = "Q2"]
            /\ UNCHANGED << waiting, busy, lock, loads, leads, highWatermark, 
                            listener, current, epoch, state, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, stack, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request, item, event, handles, since, until, 
                            reached, hearer, own, task, mark, turn >>

Q2(self) == /\ pc[self] = "Q2"
            /\ waiting' = Append(waiting, item[self])
            /\ IF busy
                  THEN /\ pc' = [pc EXCEPT ![self] = "Q4"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Q3"]
            /\ UNCHANGED << gate, busy, lock, loads, leads, highWatermark, 
                            listener, current, epoch, state, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, stack, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request, item, event, handles, since, until, 
                            reached, hearer, own, task, mark, turn >>

Q3(self) == /\ pc[self] = "Q3"
            /\ busy' = TRUE
            /\ handles' = [handles EXCEPT ![self] = TRUE]
            /\ pc' = [pc EXCEPT ![self] = "Q4"]
            /\ UNCHANGED << gate, waiting, lock, loads, leads, highWatermark, 
                            listener, current, epoch, state, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, stack, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request, item, event, since, until, reached, 
                            hearer, own, task, mark, turn >>

Q4(self) == /\ pc[self] = "Q4"
            /\ gate' = NULL
            /\ IF ~handles[self]
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ event' = [event EXCEPT ![self] = Head(stack[self]).event]
                       /\ handles' = [handles EXCEPT ![self] = Head(stack[self]).handles]
                       /\ item' = [item EXCEPT ![self] = Head(stack[self]).item]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "R1"]
                       /\ UNCHANGED << stack, item, event, handles >>
            /\ UNCHANGED << waiting, busy, lock, loads, leads, highWatermark, 
                            listener, current, epoch, state, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, recipient, answer, owner, answers, next, 
                            first, last, ended, loaded, target, offset, 
                            request, since, until, reached, hearer, own, task, 
                            mark, turn >>

R1(self) == /\ pc[self] = "R1"
            /\ gate = NULL
            /\ gate' = self
            /\ IF waiting # << >>
                  THEN /\ pc' = [pc EXCEPT ![self] = "R3"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "R2"]
            /\ UNCHANGED << waiting, busy, lock, loads, leads, highWatermark, 
                            listener, current, epoch, state, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, stack, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request, item, event, handles, since, until, 
                            reached, hearer, own, task, mark, turn >>

R2(self) == /\ pc[self] = "R2"
            /\ busy' = FALSE
            /\ event' = [event EXCEPT ![self] = << >>]
            /\ pc' = [pc EXCEPT ![self] = "R4"]
            /\ UNCHANGED << gate, waiting, lock, loads, leads, highWatermark, 
                            listener, current, epoch, state, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, stack, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request, item, handles, since, until, reached, 
                            hearer, own, task, mark, turn >>

R3(self) == /\ pc[self] = "R3"
            /\ event' = [event EXCEPT ![self] = Head(waiting)]
            /\ waiting' = Tail(waiting)
            /\ pc' = [pc EXCEPT ![self] = "R4"]
            /\ UNCHANGED << gate, busy, lock, loads, leads, highWatermark, 
                            listener, current, epoch, state, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, stack, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request, item, handles, since, until, reached, 
                            hearer, own, task, mark, turn >>

R4(self) == /\ pc[self] = "R4"
            /\ gate' = NULL
            /\ IF event[self] = << >>
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ event' = [event EXCEPT ![self] = Head(stack[self]).event]
                       /\ handles' = [handles EXCEPT ![self] = Head(stack[self]).handles]
                       /\ item' = [item EXCEPT ![self] = Head(stack[self]).item]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << first, last, ended, loaded, target, 
                                       offset, request >>
                  ELSE /\ IF event[self][1] = "load"
                             THEN /\ /\ first' = [first EXCEPT ![self] = event[self][2]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "begin_load",
                                                                              pc        |->  "R1",
                                                                              first     |->  first[self] ] >>
                                                                          \o stack[self]]
                                  /\ pc' = [pc EXCEPT ![self] = "A0"]
                                  /\ UNCHANGED << last, ended, loaded, target, 
                                                  offset, request >>
                             ELSE /\ IF event[self][1] = "unload"
                                        THEN /\ /\ last' = [last EXCEPT ![self] = event[self][2]]
                                                /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "unload",
                                                                                         pc        |->  "R1",
                                                                                         last      |->  last[self] ] >>
                                                                                     \o stack[self]]
                                             /\ pc' = [pc EXCEPT ![self] = "B0"]
                                             /\ UNCHANGED << ended, loaded, 
                                                             target, offset, 
                                                             request >>
                                        ELSE /\ IF event[self][1] = "complete"
                                                   THEN /\ /\ ended' = [ended EXCEPT ![self] = event[self][2]]
                                                           /\ loaded' = [loaded EXCEPT ![self] = event[self][3]]
                                                           /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "complete",
                                                                                                    pc        |->  "R1",
                                                                                                    ended     |->  ended[self],
                                                                                                    loaded    |->  loaded[self] ] >>
                                                                                                \o stack[self]]
                                                        /\ pc' = [pc EXCEPT ![self] = "C0"]
                                                        /\ UNCHANGED << target, 
                                                                        offset, 
                                                                        request >>
                                                   ELSE /\ IF event[self][1] = "rise"
                                                              THEN /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "rise",
                                                                                                               pc        |->  "R1",
                                                                                                               offset    |->  offset[self],
                                                                                                               target    |->  target[self] ] >>
                                                                                                           \o stack[self]]
                                                                      /\ target' = [target EXCEPT ![self] = event[self][2]]
                                                                   /\ offset' = [offset EXCEPT ![self] = NONE]
                                                                   /\ pc' = [pc EXCEPT ![self] = "H1"]
                                                                   /\ UNCHANGED request
                                                              ELSE /\ /\ request' = [request EXCEPT ![self] = event[self][2]]
                                                                      /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "serve",
                                                                                                               pc        |->  "R1",
                                                                                                               request   |->  request[self] ] >>
                                                                                                           \o stack[self]]
                                                                   /\ pc' = [pc EXCEPT ![self] = "V0"]
                                                                   /\ UNCHANGED << target, 
                                                                                   offset >>
                                                        /\ UNCHANGED << ended, 
                                                                        loaded >>
                                             /\ last' = last
                                  /\ first' = first
                       /\ UNCHANGED << item, event, handles >>
            /\ UNCHANGED << waiting, busy, lock, loads, leads, highWatermark, 
                            listener, current, epoch, state, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, recipient, answer, owner, answers, next, 
                            since, until, reached, hearer, own, task, mark, 
                            turn >>

put(self) == Q1(self) \/ Q2(self) \/ Q3(self) \/ Q4(self) \/ R1(self)
                \/ R2(self) \/ R3(self) \/ R4(self)

P1(self) == /\ pc[self] = "P1"
            /\ leads' = TRUE
            /\ /\ item' = [item EXCEPT ![self] = <<"load", since[self]>>]
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "put",
                                                        pc        |->  Head(stack[self]).pc,
                                                        event     |->  event[self],
                                                        handles   |->  handles[self],
                                                        item      |->  item[self] ] >>
                                                    \o Tail(stack[self])]
            /\ event' = [event EXCEPT ![self] = << >>]
            /\ handles' = [handles EXCEPT ![self] = FALSE]
            /\ pc' = [pc EXCEPT ![self] = "Q1"]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, highWatermark, 
                            listener, current, epoch, state, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, recipient, answer, owner, answers, next, 
                            first, last, ended, loaded, target, offset, 
                            request, since, until, reached, hearer, own, task, 
                            mark, turn >>

lead(self) == P1(self)

P2(self) == /\ pc[self] = "P2"
            /\ leads' = FALSE
            /\ /\ item' = [item EXCEPT ![self] = <<"unload", until[self]>>]
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "put",
                                                        pc        |->  Head(stack[self]).pc,
                                                        event     |->  event[self],
                                                        handles   |->  handles[self],
                                                        item      |->  item[self] ] >>
                                                    \o Tail(stack[self])]
            /\ event' = [event EXCEPT ![self] = << >>]
            /\ handles' = [handles EXCEPT ![self] = FALSE]
            /\ pc' = [pc EXCEPT ![self] = "Q1"]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, highWatermark, 
                            listener, current, epoch, state, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, recipient, answer, owner, answers, next, 
                            first, last, ended, loaded, target, offset, 
                            request, since, until, reached, hearer, own, task, 
                            mark, turn >>

follow(self) == P2(self)

F1(self) == /\ pc[self] = "F1"
            /\ highWatermark' = highWatermark + 1
            /\ reached' = [reached EXCEPT ![self] = highWatermark']
            /\ pc' = [pc EXCEPT ![self] = "F2"]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, listener, 
                            current, epoch, state, applied, committed, heard, 
                            pending, deferred, result, replied, stack, 
                            recipient, answer, owner, answers, next, first, 
                            last, ended, loaded, target, offset, request, item, 
                            event, handles, since, until, hearer, own, task, 
                            mark, turn >>

F2(self) == /\ pc[self] = "F2"
            /\ IF listener = ABSENT
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ reached' = [reached EXCEPT ![self] = Head(stack[self]).reached]
                       /\ hearer' = [hearer EXCEPT ![self] = Head(stack[self]).hearer]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ hearer' = [hearer EXCEPT ![self] = listener]
                       /\ pc' = [pc EXCEPT ![self] = "F3"]
                       /\ UNCHANGED << stack, reached >>
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, committed, heard, pending, deferred, 
                            result, replied, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request, item, event, handles, since, until, own, 
                            task, mark, turn >>

F3(self) == /\ pc[self] = "F3"
            /\ IF pending[hearer[self]] # NONE
                  THEN /\ pending' = [pending EXCEPT ![hearer[self]] = reached[self]]
                       /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ reached' = [reached EXCEPT ![self] = Head(stack[self]).reached]
                       /\ hearer' = [hearer EXCEPT ![self] = Head(stack[self]).hearer]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                       /\ UNCHANGED << item, event, handles >>
                  ELSE /\ pending' = [pending EXCEPT ![hearer[self]] = reached[self]]
                       /\ /\ hearer' = [hearer EXCEPT ![self] = Head(stack[self]).hearer]
                          /\ item' = [item EXCEPT ![self] = <<"rise", hearer[self]>>]
                          /\ reached' = [reached EXCEPT ![self] = Head(stack[self]).reached]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "put",
                                                                   pc        |->  Head(stack[self]).pc,
                                                                   event     |->  event[self],
                                                                   handles   |->  handles[self],
                                                                   item      |->  item[self] ] >>
                                                               \o Tail(stack[self])]
                       /\ event' = [event EXCEPT ![self] = << >>]
                       /\ handles' = [handles EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = "Q1"]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, committed, heard, deferred, result, 
                            replied, recipient, answer, owner, answers, next, 
                            first, last, ended, loaded, target, offset, 
                            request, since, until, own, task, mark, turn >>

fetch(self) == F1(self) \/ F2(self) \/ F3(self)

W0(self) == /\ pc[self] = "W0"
            /\ /\ item' = [item EXCEPT ![self] = <<"write", own[self]>>]
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "put",
                                                        pc        |->  "W1",
                                                        event     |->  event[self],
                                                        handles   |->  handles[self],
                                                        item      |->  item[self] ] >>
                                                    \o stack[self]]
            /\ event' = [event EXCEPT ![self] = << >>]
            /\ handles' = [handles EXCEPT ![self] = FALSE]
            /\ pc' = [pc EXCEPT ![self] = "Q1"]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, committed, heard, pending, deferred, 
                            result, replied, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request, since, until, reached, hearer, own, task, 
                            mark, turn >>

W1(self) == /\ pc[self] = "W1"
            /\ IF replied[own[self]]
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ own' = [own EXCEPT ![self] = Head(stack[self]).own]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "W2"]
                       /\ UNCHANGED << stack, own >>
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, committed, heard, pending, deferred, 
                            result, replied, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request, item, event, handles, since, until, 
                            reached, hearer, task, mark, turn >>

W2(self) == /\ pc[self] = "W2"
            /\ replied[own[self]]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ own' = [own EXCEPT ![self] = Head(stack[self]).own]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, committed, heard, pending, deferred, 
                            result, replied, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request, item, event, handles, since, until, 
                            reached, hearer, task, mark, turn >>

write(self) == W0(self) \/ W1(self) \/ W2(self)

M1(self) == /\ pc[self] = "M1"
            /\ lock = NULL
            /\ lock' = self
            /\ IF loads = << >>
                  THEN /\ pc' = [pc EXCEPT ![self] = "M3"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "M2"]
            /\ UNCHANGED << gate, waiting, busy, loads, leads, highWatermark, 
                            listener, current, epoch, state, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, stack, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request, item, event, handles, since, until, 
                            reached, hearer, own, task, mark, turn >>

M2(self) == /\ pc[self] = "M2"
            /\ task' = [task EXCEPT ![self] = Head(loads)]
            /\ loads' = Tail(loads)
            /\ pc' = [pc EXCEPT ![self] = "M3"]
            /\ UNCHANGED << gate, waiting, busy, lock, leads, highWatermark, 
                            listener, current, epoch, state, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, stack, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request, item, event, handles, since, until, 
                            reached, hearer, own, mark, turn >>

M3(self) == /\ pc[self] = "M3"
            /\ lock' = NULL
            /\ IF task[self] = ABSENT
                  THEN /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                       /\ task' = [task EXCEPT ![self] = Head(stack[self]).task]
                       /\ mark' = [mark EXCEPT ![self] = Head(stack[self]).mark]
                       /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "M4"]
                       /\ UNCHANGED << stack, task, mark >>
            /\ UNCHANGED << gate, waiting, busy, loads, leads, highWatermark, 
                            listener, current, epoch, state, applied, 
                            committed, heard, pending, deferred, result, 
                            replied, recipient, answer, owner, answers, next, 
                            first, last, ended, loaded, target, offset, 
                            request, item, event, handles, since, until, 
                            reached, hearer, own, turn >>

M4(self) == /\ pc[self] = "M4"
            /\ IF ~leads
                  THEN /\ /\ item' = [item EXCEPT ![self] = <<"complete", task[self], FALSE>>]
                          /\ mark' = [mark EXCEPT ![self] = Head(stack[self]).mark]
                          /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "put",
                                                                   pc        |->  Head(stack[self]).pc,
                                                                   event     |->  event[self],
                                                                   handles   |->  handles[self],
                                                                   item      |->  item[self] ] >>
                                                               \o Tail(stack[self])]
                          /\ task' = [task EXCEPT ![self] = Head(stack[self]).task]
                       /\ event' = [event EXCEPT ![self] = << >>]
                       /\ handles' = [handles EXCEPT ![self] = FALSE]
                       /\ pc' = [pc EXCEPT ![self] = "Q1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "M5"]
                       /\ UNCHANGED << stack, item, event, handles, task, mark >>
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, committed, heard, pending, deferred, 
                            result, replied, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request, since, until, reached, hearer, own, turn >>

M5(self) == /\ pc[self] = "M5"
            /\ applied' = [applied EXCEPT ![task[self]] = End]
            /\ pc' = [pc EXCEPT ![self] = "M6"]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            committed, heard, pending, deferred, result, 
                            replied, stack, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request, item, event, handles, since, until, 
                            reached, hearer, own, task, mark, turn >>

M6(self) == /\ pc[self] = "M6"
            /\ mark' = [mark EXCEPT ![self] = highWatermark]
            /\ pc' = [pc EXCEPT ![self] = "M7"]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, committed, heard, pending, deferred, 
                            result, replied, stack, recipient, answer, owner, 
                            answers, next, first, last, ended, loaded, target, 
                            offset, request, item, event, handles, since, 
                            until, reached, hearer, own, task, turn >>

M7(self) == /\ pc[self] = "M7"
            /\ committed' = [committed EXCEPT ![task[self]] = mark[self]]
            /\ /\ item' = [item EXCEPT ![self] = <<"complete", task[self], TRUE>>]
               /\ mark' = [mark EXCEPT ![self] = Head(stack[self]).mark]
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "put",
                                                        pc        |->  Head(stack[self]).pc,
                                                        event     |->  event[self],
                                                        handles   |->  handles[self],
                                                        item      |->  item[self] ] >>
                                                    \o Tail(stack[self])]
               /\ task' = [task EXCEPT ![self] = Head(stack[self]).task]
            /\ event' = [event EXCEPT ![self] = << >>]
            /\ handles' = [handles EXCEPT ![self] = FALSE]
            /\ pc' = [pc EXCEPT ![self] = "Q1"]
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, heard, pending, deferred, result, replied, 
                            recipient, answer, owner, answers, next, first, 
                            last, ended, loaded, target, offset, request, 
                            since, until, reached, hearer, own, turn >>

load(self) == M1(self) \/ M2(self) \/ M3(self) \/ M4(self) \/ M5(self)
                 \/ M6(self) \/ M7(self)

T0(self) == /\ pc[self] = "T0"
            /\ IF turn[self] <= Len(Program[self])
                  THEN /\ turn' = [turn EXCEPT ![self] = turn[self] + 1]
                       /\ IF Program[self][turn'[self] - 1][1] = "lead"
                             THEN /\ /\ since' = [since EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "lead",
                                                                              pc        |->  "T0",
                                                                              since     |->  since[self] ] >>
                                                                          \o stack[self]]
                                  /\ pc' = [pc EXCEPT ![self] = "P1"]
                                  /\ UNCHANGED << item, event, handles, until, 
                                                  reached, hearer, own, task, 
                                                  mark >>
                             ELSE /\ IF Program[self][turn'[self] - 1][1] = "follow"
                                        THEN /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "follow",
                                                                                         pc        |->  "T0",
                                                                                         until     |->  until[self] ] >>
                                                                                     \o stack[self]]
                                                /\ until' = [until EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                             /\ pc' = [pc EXCEPT ![self] = "P2"]
                                             /\ UNCHANGED << item, event, 
                                                             handles, reached, 
                                                             hearer, own, task, 
                                                             mark >>
                                        ELSE /\ IF Program[self][turn'[self] - 1][1] = "resign"
                                                   THEN /\ /\ item' = [item EXCEPT ![self] = <<"unload", Program[self][turn'[self] - 1][2]>>]
                                                           /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "put",
                                                                                                    pc        |->  "T0",
                                                                                                    event     |->  event[self],
                                                                                                    handles   |->  handles[self],
                                                                                                    item      |->  item[self] ] >>
                                                                                                \o stack[self]]
                                                        /\ event' = [event EXCEPT ![self] = << >>]
                                                        /\ handles' = [handles EXCEPT ![self] = FALSE]
                                                        /\ pc' = [pc EXCEPT ![self] = "Q1"]
                                                        /\ UNCHANGED << reached, 
                                                                        hearer, 
                                                                        own, 
                                                                        task, 
                                                                        mark >>
                                                   ELSE /\ IF Program[self][turn'[self] - 1][1] = "fetch"
                                                              THEN /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "fetch",
                                                                                                            pc        |->  "T0",
                                                                                                            reached   |->  reached[self],
                                                                                                            hearer    |->  hearer[self] ] >>
                                                                                                        \o stack[self]]
                                                                   /\ reached' = [reached EXCEPT ![self] = NONE]
                                                                   /\ hearer' = [hearer EXCEPT ![self] = ABSENT]
                                                                   /\ pc' = [pc EXCEPT ![self] = "F1"]
                                                                   /\ UNCHANGED << own, 
                                                                                   task, 
                                                                                   mark >>
                                                              ELSE /\ IF Program[self][turn'[self] - 1][1] = "write"
                                                                         THEN /\ /\ own' = [own EXCEPT ![self] = Program[self][turn'[self] - 1][2]]
                                                                                 /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "write",
                                                                                                                          pc        |->  "T0",
                                                                                                                          own       |->  own[self] ] >>
                                                                                                                      \o stack[self]]
                                                                              /\ pc' = [pc EXCEPT ![self] = "W0"]
                                                                              /\ UNCHANGED << task, 
                                                                                              mark >>
                                                                         ELSE /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "load",
                                                                                                                       pc        |->  "T0",
                                                                                                                       task      |->  task[self],
                                                                                                                       mark      |->  mark[self] ] >>
                                                                                                                   \o stack[self]]
                                                                              /\ task' = [task EXCEPT ![self] = ABSENT]
                                                                              /\ mark' = [mark EXCEPT ![self] = NONE]
                                                                              /\ pc' = [pc EXCEPT ![self] = "M1"]
                                                                              /\ own' = own
                                                                   /\ UNCHANGED << reached, 
                                                                                   hearer >>
                                                        /\ UNCHANGED << item, 
                                                                        event, 
                                                                        handles >>
                                             /\ until' = until
                                  /\ since' = since
                  ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << stack, item, event, handles, since, 
                                       until, reached, hearer, own, task, mark, 
                                       turn >>
            /\ UNCHANGED << gate, waiting, busy, lock, loads, leads, 
                            highWatermark, listener, current, epoch, state, 
                            applied, committed, heard, pending, deferred, 
                            result, replied, recipient, answer, owner, answers, 
                            next, first, last, ended, loaded, target, offset, 
                            request >>

thread(self) == T0(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in ProcSet:  \/ reply(self) \/ reply_all(self)
                               \/ begin_load(self) \/ unload(self)
                               \/ complete(self) \/ rise(self)
                               \/ serve(self) \/ put(self) \/ lead(self)
                               \/ follow(self) \/ fetch(self) \/ write(self)
                               \/ load(self))
           \/ (\E self \in Threads: thread(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in Threads : /\ WF_vars(thread(self))
                                 /\ WF_vars(lead(self))
                                 /\ WF_vars(follow(self))
                                 /\ WF_vars(put(self))
                                 /\ WF_vars(fetch(self))
                                 /\ WF_vars(write(self))
                                 /\ WF_vars(load(self))
                                 /\ WF_vars(reply(self))
                                 /\ WF_vars(reply_all(self))
                                 /\ WF_vars(begin_load(self))
                                 /\ WF_vars(unload(self))
                                 /\ WF_vars(complete(self))
                                 /\ WF_vars(rise(self))
                                 /\ WF_vars(serve(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 
===============================================================================
