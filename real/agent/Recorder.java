package wheelproof.agent;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * The recording as a whole: its counters, its bounds, its beginning and its end.
 *
 * <p>Memory is bounded. Where none is left an event is lost, and the recording ends before it:
 * what is written is a prefix of the run that nothing lost could have changed.
 */
public final class Recorder {
    /** The exit code of a JVM that the agent halts. */
    static final int HUNG = 96, DEFECT = 97, REFUSED = 98, UNHELD = 99;

    static final AtomicLong ORDER = new AtomicLong(), SPANS = new AtomicLong();
    static final AtomicInteger THREADS = new AtomicInteger();
    static final ConcurrentLinkedQueue<Log> NEW = new ConcurrentLinkedQueue<>();
    /** Id of a timer, a purgatory or a key, and its name. */
    static final ConcurrentHashMap<Long, String> NAMES = new ConcurrentHashMap<>();
    /** Timers: tick, wheel size, start. */
    static final ConcurrentLinkedQueue<long[]> WHEELS = new ConcurrentLinkedQueue<>();
    static final ConcurrentLinkedQueue<Info> COUNTERS = new ConcurrentLinkedQueue<>();
    static final LongAdder LOST = new LongAdder(), CHECKED = new LongAdder();

    private static final CountDownLatch ENDED = new CountDownLatch(1);
    private static final int LOOK_MS = 2;

    static volatile boolean on;
    static volatile boolean stopping;
    static boolean verify;
    /** How often the writer looks for a new event in vain before the program hangs; 0: for ever. */
    private static long patience;
    private static AtomicInteger chunks;
    /** The last number before what was lost, and the thread that lost it first. */
    private static long cut = Long.MAX_VALUE;
    private static int loser;
    private static Writer writer;
    private static Path signal;

    private Recorder() { }

    static void start(Options options) throws java.io.IOException {
        verify = options.verify;
        patience = options.patience;
        chunks = new AtomicInteger(options.chunks);
        if (options.output != null) {
            signal = options.output.resolveSibling(options.output.getFileName() + ".stop");
            Files.deleteIfExists(signal);
        }
        writer = new Writer(options);
        on = true;
        Thread thread = new Thread(Recorder::write, "wheelproof-writer");
        thread.setDaemon(true);
        thread.start();
        Runtime.getRuntime().addShutdownHook(new Thread(Recorder::stop, "wheelproof-stop"));
    }

    /** Ends the recording, and returns once it is written. */
    public static void stop() {
        stopping = true;
        try {
            ENDED.await();
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    private static void write() {
        try {
            long last = 0, vain = 0;
            while (!writer.drain()) {
                stopping = stopping || signal != null && Files.exists(signal);
                Thread.sleep(LOOK_MS);
                vain = ORDER.get() == last ? vain + 1 : 0;
                last = ORDER.get();
                if (patience > 0 && vain >= patience && !stopping) {
                    hung(vain);
                }
            }
            on = false;
            writer.finish(cut(), loser);
        } catch (Topic.Away away) {
            on = false; // the program goes on, and its recording has no footer
            System.err.println("wheelproof agent: " + away.getMessage());
        } catch (Throwable error) {
            halt(DEFECT, "the writer failed", error);
        } finally {
            ENDED.countDown();
        }
    }

    // -- bounds

    /** Whether there is memory for one more chunk. */
    static boolean take() {
        if (chunks.decrementAndGet() >= 0) {
            return true;
        }
        chunks.incrementAndGet();
        return false;
    }

    /** Counts the first chunk of a thread, for which there is memory always. */
    static void takeFirst() {
        chunks.decrementAndGet();
    }

    static void give() {
        chunks.incrementAndGet();
    }

    /**
     * An event is lost. The caller holds what makes the step exclusive, so that every event that
     * comes after the lost one has a greater number than those there are now.
     */
    static synchronized void lose(int tid) {
        LOST.increment();
        if (cut == Long.MAX_VALUE) {
            cut = ORDER.get();
            loser = tid;
        }
    }

    static synchronized long cut() {
        return cut;
    }

    // -- defects

    static void verified(boolean has, Token token) {
        CHECKED.increment();
        if (!has) {
            halt(UNHELD, "an event says that a lock is held which is not: " + token, new Error());
        }
    }

    /** A busy machine keeps the writer from looking, as it keeps the program from going on. */
    private static void hung(long looks) {
        System.err.println("wheelproof agent: no event in " + looks + " looks; its threads are at");
        Thread.getAllStackTraces().forEach((thread, frames) -> {
            System.err.println(thread.getName() + " " + thread.getState());
            for (StackTraceElement frame : frames) {
                System.err.println("    at " + frame);
            }
        });
        Runtime.getRuntime().halt(HUNG);
    }

    static void halt(int code, String message, Throwable error) {
        System.err.println("wheelproof agent: " + message);
        if (error != null) {
            error.printStackTrace();
        }
        Runtime.getRuntime().halt(code);
    }
}
