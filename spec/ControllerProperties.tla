------------------------ MODULE ControllerProperties ------------------------
\* What must hold of Controller, and what its scenarios must reach.
EXTENDS Controller

ASSUME First \in Brokers \cup {None, Never}

Epochs == [value : Nat, version : Nat] \cup {NoEpochNode}
States == [epoch : Nat, by : Nat, isr : Nat, version : Nat]

Nodes == {Vacant} \cup [id : Brokers \cup {Unreadable}, session : 1..sessions]
Trees == [node : Nodes, epoch : Epochs, part : States, missed : {None, "change", "reelect"}]

TypeOK ==
  /\ node \in Nodes /\ node.session \in {0} \cup {session[b] : b \in live}
  /\ epoch \in Epochs /\ part \in States
  /\ live \subseteq Brokers /\ watching \subseteq Brokers /\ busy \subseteq Brokers
  /\ \A b \in Brokers :
       /\ session[b] \in 1..sessions /\ cut[b] \in {None, "before", "after"}
       /\ acts[b] \in BOOLEAN /\ own[b] \in Epochs /\ known[b] \in States
       /\ late[b] = << >> \/ (DOMAIN late[b] = {1} /\ late[b][1] \in Trees)
       /\ leaves[b] \in {None, "gracefully", "abruptly"}
       /\ \A i \in DOMAIN queue[b] :
            queue[b][i] \in {"register", "expire", "change", "reelect", "work", "move", "shutdown"}

\* The brokers that take themselves for the controller. One that has ended abruptly takes itself
\* for nothing.
Acting == {b \in Brokers : acts[b] /\ leaves[b] # "abruptly"}

\* By the epoch, which ZooKeeper has given out: two that believe so have different ones.
OneController == \A a, b \in Acting : a # b => own[a].value # own[b].value

\* Each election raises the epoch by one, and the version of its node with it. Before the first one
\* the node may not be there.
EpochIncreases ==
  epoch = [value |-> elections, version |-> elections] \/ (epoch = NoEpochNode /\ elections = 0)

FencedWrites == ~stale

DeletesOwnNode == ~robbed

NoLostUpdate == ~overwritten

\* A broker that works for the partition takes itself for the controller.
ActOnlyIfActive == \A b \in Brokers : pc[b] \in {"F1", "W1", "W2", "X1", "X2", "X3"} => acts[b]

\* A broker is quiet if it handles no event, none waits, its session lives, and its server is not
\* late. One that has ended with its session is quiet in another way: see Left.
Quiet(b) == ~Gone(b) /\ b \notin busy /\ queue[b] = << >> /\ late[b] = << >>

\* /controller names a quiet broker: it does act.
NoOrphan == \A b \in Brokers : node.session = session[b] /\ Quiet(b) => acts[b]

\* A quiet broker that acts has been elected.
NoPhantom == \A b \in Brokers : Quiet(b) /\ acts[b] => own[b] # NoEpoch

\* Where all that have not ended are quiet, one of them is the controller.
NoVacancy ==
  (\A b \in Brokers : Left(b) \/ Quiet(b)) => node.id # None \/ \A b \in Brokers : Left(b)

\* False by design: who is no controller any more learns it later.
OneBelieves == \A a, b \in Acting : a = b

\* In the end a broker acts as controller, and /controller names it.
Elected == over /\ node.id \in Acting
Elects == <>Elected

-----------------------------------------------------------------------------
\* Weak fairness of the threads in T; Spec has it for all of them.
Fairness(T) == \A t \in T :
  WF_vars(\/ thread(t) \/ serve(t) \/ close(t) \/ elect(t) \/ write(t) \/ give_up(t)
          \/ elect_early(t) \/ write_early(t) \/ give_up_early(t)
          \/ connect(t) \/ expire(t) \/ leave(t) \/ remove(t) \/ lose(t)
          \/ overwrite(t) \/ lag(t) \/ hear(t) \/ notify(t) \/ shrink(t) \/ visit(t) \/ rest(t))

-----------------------------------------------------------------------------
\* Witnesses: states that some scenario must reach, or the properties say little.

\* A controller of the past is about to write.
WriteIsFenced == \E b \in Brokers :
  pc[b] = "W1" /\ ~Gone(b) /\ epoch.version # own[b].version

\* A broker finds out that it has won although the reply was lost.
WonUnawares == \E b \in Brokers : pc[b] = "C6" /\ epoch.value = seen[b].value + 1

\* A controller finds its own write, of which the reply was lost.
WroteUnawares == \E b \in Brokers : pc[b] = "W2" /\ part = New(known[b], own[b])

\* The leader has changed the ISR before the controller's write.
LeaderWasFirst == \E b \in Brokers : pc[b] = "W2" /\ part.isr # known[b].isr

\* A broker finds out that it has created the node although the reply was lost.
CreatedUnawares == \E b \in Brokers : pc[b] = "E3" /\ node.session = session[b]

\* The epoch was raised after a broker read it: by another one, or by itself unawares.
RaisesTooLate == \E b \in Brokers : pc[b] = "E5" /\ ~Gone(b) /\ epoch.version # own[b].version

\* A broker finds its own node of a session that has ended.
FindsOldNode == \E b \in Brokers : pc[b] = "C2" /\ ~Gone(b) /\ late[b] # << >>
  /\ Tree(b).node.id = b /\ Tree(b).node.session \notin {session[c] : c \in Brokers}

\* A controller reads an older state of the partition than there is.
ReadsLate == \E b \in Brokers : pc[b] = "F1" /\ ~Gone(b) /\ Tree(b).part # part

\* A broker is about to create /controller_epoch, and another one has done so, or itself unawares.
CreatesTooLate == \E b \in Brokers : pc[b] = "B1" /\ ~Gone(b) /\ epoch # NoEpochNode

\* The session of a controller that has ended abruptly still lives, and another broker is quiet.
IsNotMissed == \E a, b \in Brokers :
  leaves[a] = "abruptly" /\ a \in live /\ node.id = a /\ Quiet(b)

\* A broker has tried to become controller, and the node that is there names none.
IsRefusedByUnreadable == \E b \in Brokers : pc[b] = "C5" /\ node.id = Unreadable
=============================================================================
