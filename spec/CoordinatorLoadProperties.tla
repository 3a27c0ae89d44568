---------------------- MODULE CoordinatorLoadProperties ----------------------
\* What must hold of CoordinatorLoad, and what its scenarios must reach.
EXTENDS CoordinatorLoad

AllDone == \A t \in Threads : pc[t] = "Done"

\* The partition has a context, which is in this state.
Is(s) == current # ABSENT /\ state[current] = s

\* A coordinator that serves has applied the whole log.
ServesWhatIsLoaded == Is("active") => applied[current] = End

\* In the end the newest leadership has the coordinator, which is active if its load succeeded.
Epochs == {o[2] : o \in {o \in Operations : o[1] \in {"lead", "follow", "resign"}}}
Newest == CHOOSE e \in Epochs : \A f \in Epochs : f <= e
NewestLoadWins ==
  AllDone /\ Newest \in Contexts =>
    /\ current # ABSENT
    /\ epoch[current] = Newest
    /\ applied[current] = End => Is("active")

\* Nothing is known as committed that is not.
NothingUncommitted == \A c \in Contexts : committed[c] <= highWatermark

\* In the end a coordinator that serves knows the high watermark.
HighWatermarkSeen == AllDone /\ Is("active") => committed[current] = highWatermark

\* Weak fairness of the threads in T; Spec has it for all of them.
Fairness(T) ==
  \A t \in T :
    WF_vars(\/ thread(t) \/ lead(t) \/ follow(t) \/ fetch(t) \/ write(t) \/ load(t) \/ put(t)
            \/ begin_load(t) \/ unload(t) \/ complete(t) \/ rise(t) \/ serve(t) \/ reply(t)
            \/ reply_all(t))

-----------------------------------------------------------------------------
\* Witnesses: states that some scenario must reach, or the properties say little.

At(label) == {t \in Threads : pc[t] = label}

\* A load of an earlier leadership completes while that of a later one waits.
StaleCompletion == Is("loading") /\ \E t \in At("C0") : ended[t] # current

\* The same, where the load of the earlier leadership has failed.
StaleFailure == Is("loading") /\ \E t \in At("C0") : ended[t] # current /\ ~loaded[t]

\* The high watermark rises when the load has read it, and its context is not active yet.
RisesWhileLoading == At("H2") # {}

\* A context of an earlier leadership learns a high watermark.
RisesTooLate == \E t \in At("H1") : target[t] # current

\* A write waits when its context is unloaded.
DeferredAtUnload == \E t \in At("B1") : deferred[current] # << >>

\* The broker leads in a later epoch, without an unload in between, while its context loads.
RaisedWhileLoading == \E t \in At("A2") : state[current] = "loading"
===============================================================================
