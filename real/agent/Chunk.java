package wheelproof.agent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A part of what a thread has recorded: one thread fills it, the writer reads it. */
final class Chunk {
    /** How many numbers a chunk holds: 32 kB. */
    static final int SIZE = 4096;

    private static final VarHandle FILLED;

    static {
        try {
            FILLED = MethodHandles.lookup().findVarHandle(Chunk.class, "filled", int.class);
        } catch (ReflectiveOperationException error) {
            throw new ExceptionInInitializerError(error);
        }
    }

    final long[] numbers = new long[SIZE];
    volatile Chunk next;
    /** How many numbers are whole events. */
    int filled;

    void publish(int filled) {
        FILLED.setRelease(this, filled);
    }

    int published() {
        return (int) FILLED.getAcquire(this);
    }
}
