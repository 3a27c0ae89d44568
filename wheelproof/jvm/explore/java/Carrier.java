package wheelproof.explore;

import java.util.concurrent.locks.LockSupport;

/** A real thread that runs the threads of runs, one after the other; it sleeps in between. */
final class Carrier extends Thread {
    /** Aborts of one thread after which it is left behind: it catches them all. */
    private static final int ABORTS = 1_000;
    private static final long LOCALS = Fields.offset(Thread.class, "java.lang.Thread",
            "threadLocals");

    private final Execution execution;
    private volatile boolean awake;
    Strand strand;
    Runnable body;

    Carrier(Execution execution, int number) {
        super("carrier-" + number);
        this.execution = execution;
        setDaemon(true);
    }

    void sleep() {
        while (!awake) {
            LockSupport.park(this);
        }
        awake = false;
    }

    void wake() {
        awake = true;
        LockSupport.unpark(this);
    }

    /** The run is over: unwinds the thread, or leaves it behind where it does not let itself. */
    Abort abort() {
        if (++strand.aborts > ABORTS) {
            strand.ended = true;
            execution.leave(this);
            while (true) {
                LockSupport.park(this);
            }
        }
        return Abort.INSTANCE;
    }

    @Override
    public void run() {
        while (true) {
            sleep();
            Strand mine = strand;
            try {
                body.run();
            } catch (Abort over) {
                // the run is over
            } catch (Throwable raised) {
                mine.failure = raised;
            }
            Fields.UNSAFE.putObject(this, LOCALS, null);
            try {
                execution.ended(mine);
            } catch (Abort over) {
                execution.left(mine);
            }
        }
    }
}
