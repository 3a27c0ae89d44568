package wheelproof.agent;

import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * What one thread has recorded, and what it holds: locks, open brackets, the task that it runs.
 *
 * <p>An event is put together by {@link #event}, {@link #set} and {@link #word}, and recorded by
 * {@link #end}, which must be called while all that makes the step exclusive is held. It takes the
 * next number of the whole run, and the next one of each lock in {@code held}.
 */
final class Log {
    /** How many numbers an event has at most, without those of the locks that are held. */
    private static final int LARGEST = 4 + Column.ALL.length + 2;
    private static final ThreadLocal<Log> OWN = ThreadLocal.withInitial(Log::new);

    final int tid;
    final String name;
    final Chunk first;
    private Chunk chunk;

    private Info[] held = new Info[16];
    private Token[] tokens = new Token[16];
    private long[] numbers = new long[16];
    private Object[] locks = new Object[16];
    private int[] again = new int[16];
    private int depth;
    private long[] spans = new long[16];
    private Info[] about = new Info[16];
    private int open;

    private final long[] values = new long[Column.ALL.length];
    private long head, mask, word, version, number;
    private boolean bracket, lost;

    // What the hooks of one call tell those of the next.
    Info timer, running, parent, flushing;
    Object watched;
    long readAt = Long.MIN_VALUE, deadline, runningDeadline, key, seenKey, seenNow, lowest;
    int cancels;
    boolean rejected, cancelled;

    private Log() {
        tid = Recorder.THREADS.incrementAndGet();
        name = Thread.currentThread().getName();
        first = chunk = new Chunk();
        Recorder.takeFirst();
        Recorder.NEW.add(this);
        event(Kind.THREAD_START).end();
    }

    static Log own() {
        return OWN.get();
    }

    // -- one event

    Log event(Kind kind) {
        head = kind.ordinal();
        mask = 0;
        word = -1;
        number = 0;
        bracket = lost = false;
        return this;
    }

    /**
     * Gives the event at hand its number, and room, before its effect. The effect must follow at
     * once, then {@link #end}; a thread that sees the effect comes after this event.
     */
    Log numbers() {
        if (Recorder.on) {
            lost = room(LARGEST + 2 * depth) == null;
            if (lost) {
                Recorder.lose(tid);
            } else {
                number = Recorder.ORDER.incrementAndGet();
            }
        }
        return this;
    }

    Log set(Column column, long value) {
        values[column.ordinal()] = value;
        mask |= 1L << column.ordinal();
        return this;
    }

    /** Sets an id; 0 is none. */
    Log name(Column column, long id) {
        return id == 0 ? this : set(column, id);
    }

    Log timer(Info of) {
        return of == null ? this : set(Column.TIMER, of.id);
    }

    Log cause(Cause cause) {
        head |= (long) (cause.ordinal() + 1) << 8;
        return this;
    }

    Log result(Result result) {
        head |= (long) (result.ordinal() + 1) << 16;
        return this;
    }

    /** The word that the step touches, with the version that it saw or made. */
    Log word(Token of, int mode, Info owner, long version) {
        word = packed(of, mode, owner.id);
        this.version = version;
        return this;
    }

    void end() {
        if (!Recorder.on || lost) {
            return;
        }
        try {
            record();
        } catch (Throwable error) {
            Recorder.halt(Recorder.DEFECT, "an event could not be recorded", error);
        }
    }

    private void record() {
        if (!bracket && open > 0) {
            set(Column.PARENT, spans[open - 1]);
        }
        int words = depth + (word < 0 ? 0 : 1);
        long[] into = room(4 + Long.bitCount(mask) + 2 * words);
        if (into == null) {
            Recorder.lose(tid);
            return;
        }
        int at = chunk.filled;
        into[at++] = head | (long) words << 24;
        into[at++] = number > 0 ? number : Recorder.ORDER.incrementAndGet();
        into[at++] = System.nanoTime();
        into[at++] = mask;
        for (long left = mask; left != 0; left &= left - 1) {
            into[at++] = values[Long.numberOfTrailingZeros(left)];
        }
        for (int each = 0; each < depth; each++) {
            if (Recorder.verify) {
                verify(each);
            }
            into[at++] = packed(tokens[each], mode(each), held[each].id);
            into[at++] = number(each);
        }
        if (word >= 0) {
            into[at++] = word;
            into[at++] = version;
        }
        chunk.publish(at);
    }

    private int mode(int each) {
        return tokens[each] == Token.TIMER ? (int) (numbers[each] & 1) : Token.WRITE;
    }

    private long number(int each) {
        Info info = held[each];
        switch (tokens[each]) {
            case TIMER:
                return numbers[each] >> 1;
            case OP:
            case QUEUE:
                return ++info.inner;
            default:
                return ++info.seq;
        }
    }

    private static long packed(Token of, int mode, long id) {
        return of.ordinal() | (long) mode << 8 | id << 16;
    }

    /** Room for so many numbers in the chunk at hand; null where all memory is in use. */
    private long[] room(int count) {
        if (chunk.filled + count > Chunk.SIZE) {
            if (!Recorder.take()) {
                return null;
            }
            Chunk next = new Chunk();
            chunk.next = next;
            chunk = next;
        }
        return chunk.numbers;
    }

    // -- what is held

    /** A lock was taken. One that the thread has already is counted, and is no token of its own. */
    void take(Info info, Token token, Object lock, boolean write) {
        if (depth == held.length) {
            int more = 2 * depth;
            held = Arrays.copyOf(held, more);
            tokens = Arrays.copyOf(tokens, more);
            numbers = Arrays.copyOf(numbers, more);
            locks = Arrays.copyOf(locks, more);
            again = Arrays.copyOf(again, more);
        }
        for (int each = 0; each < depth; each++) {
            if (held[each] == info && tokens[each] == token) {
                again[each]++;
                return;
            }
        }
        held[depth] = info;
        tokens[depth] = token;
        numbers[depth] = token == Token.TIMER ? info.epoch << 1 | (write ? 1 : 0) : 0;
        locks[depth] = lock;
        again[depth++] = 0;
    }

    /** A lock is about to be given back. */
    void give(Info info, Token token) {
        for (int each = depth - 1; each >= 0; each--) {
            if (held[each] == info && tokens[each] == token) {
                if (again[each]-- > 0) {
                    return;
                }
                int behind = --depth - each;
                System.arraycopy(held, each + 1, held, each, behind);
                System.arraycopy(tokens, each + 1, tokens, each, behind);
                System.arraycopy(numbers, each + 1, numbers, each, behind);
                System.arraycopy(locks, each + 1, locks, each, behind);
                System.arraycopy(again, each + 1, again, each, behind);
                return;
            }
        }
    }

    boolean holds(Token token) {
        for (int each = 0; each < depth; each++) {
            if (tokens[each] == token) {
                return true;
            }
        }
        return false;
    }

    /** The read half of a lock and a lock inside the JDK do not say who holds them. */
    private void verify(int each) {
        Object lock = locks[each];
        boolean has;
        if (lock instanceof ReentrantReadWriteLock.WriteLock) {
            has = ((ReentrantReadWriteLock.WriteLock) lock).isHeldByCurrentThread();
        } else if (lock instanceof ReentrantLock) {
            has = ((ReentrantLock) lock).isHeldByCurrentThread();
        } else {
            has = lock == null || lock instanceof ReentrantReadWriteLock.ReadLock
                || Thread.holdsLock(lock);
        }
        Recorder.verified(has, tokens[each]);
    }

    // -- brackets

    /** Opens a bracket, and puts its number into the event at hand. */
    Log opens(Info of) {
        long span = Recorder.SPANS.incrementAndGet();
        if (open > 0) {
            set(Column.PARENT, spans[open - 1]);
        }
        if (open == spans.length) {
            spans = Arrays.copyOf(spans, 2 * open);
            about = Arrays.copyOf(about, 2 * open);
        }
        spans[open] = span;
        about[open++] = of;
        bracket = true;
        return set(Column.SPAN, span);
    }

    /** Closes the innermost bracket, and puts its number into the event at hand. */
    Log closes() {
        if (open > 0) {
            about[--open] = null;
            set(Column.SPAN, spans[open]);
        }
        if (open > 0) {
            set(Column.PARENT, spans[open - 1]);
        }
        bracket = true;
        return this;
    }

    /** Whether the thread is inside a bracket about this object. */
    boolean inside(Info of) {
        for (int each = open - 1; each >= 0; each--) {
            if (about[each] == of) {
                return true;
            }
        }
        return false;
    }
}
