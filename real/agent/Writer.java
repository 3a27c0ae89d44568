package wheelproof.agent;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Writes the events of all threads in the order of their numbers, as lines of the trace format. */
final class Writer {
    /** How often the end looks for a moment in which nothing is under way. */
    private static final int LOOKS = 5_000;

    private static final class Stream {
        final Log log;
        Chunk chunk;
        int at;
        long tseq;

        Stream(Log log) {
            this.log = log;
            chunk = log.first;
        }

        /** Whether there is an event to read. */
        boolean ready() {
            if (at < chunk.published()) {
                return true;
            }
            Chunk next = chunk.next;
            if (next == null || at < chunk.published()) {
                return at < chunk.published();
            }
            chunk = next;
            at = 0;
            Recorder.give();
            return at < chunk.published();
        }

        long number() {
            return chunk.numbers[at + 1];
        }
    }

    private final Options options;
    private final Target target;
    private final List<Stream> all = new ArrayList<>();
    private final List<Stream> idle = new ArrayList<>();
    private final PriorityQueue<Stream> ready =
        new PriorityQueue<>(Comparator.comparingLong(Stream::number));
    private final Lines lines = new Lines();
    /** Null until the header is written. */
    private OutputStream body;
    private long expected = 1, under;
    /** The last number that there was when the header was written. */
    private long waiting;
    private int looks;

    Writer(Options options) throws IOException {
        this.options = options;
        target = options.output == null ? new Topic(options) : new File(options.output);
    }

    private byte[] header() {
        return Header.text(options, all.stream().map(stream -> stream.log).toList(), lines)
            .getBytes(StandardCharsets.UTF_8);
    }

    private boolean begins() throws IOException {
        if (body == null && (target.due() || Recorder.stopping)) {
            waiting = Recorder.ORDER.get();
            body = target.begin(header());
        }
        return body != null;
    }

    /** Writes what there is; true when the recording has come to its end. */
    boolean drain() throws IOException {
        looks += Recorder.stopping ? 1 : 0;
        do {
            for (Log log; (log = Recorder.NEW.poll()) != null; ) {
                Stream stream = new Stream(log);
                all.add(stream);
                idle.add(stream);
            }
            idle.removeIf(stream -> stream.ready() && ready.add(stream));
            if (!begins()) {
                return false;
            }
            while (!ready.isEmpty() && ready.peek().number() == expected) {
                if (expected > Recorder.cut() || Recorder.stopping && quiet()) {
                    return true;
                }
                step(ready.poll());
            }
            if (Recorder.stopping && quiet()) {
                return true;
            }
        } while (!ready.isEmpty() && ready.peek().number() == expected);
        return expected > Recorder.cut();
    }

    private void step(Stream stream) throws IOException {
        long[] numbers = stream.chunk.numbers;
        under += under(numbers[stream.at]);
        stream.at = lines.event(body, stream.log.tid, ++stream.tseq, numbers, stream.at);
        expected++;
        if (stream.ready()) {
            ready.add(stream);
        } else {
            idle.add(stream);
        }
    }

    /** Whether nothing is under way that a later event would end, or waited for the header. */
    private boolean quiet() {
        return under == 0 && expected > waiting || looks > LOOKS;
    }

    /** What an event leaves to be ended (1), or ends (-1). */
    private static int under(long head) {
        Kind kind = Kind.ALL[(int) (head & 255)];
        Result result = Lines.result(head);
        switch (kind) {
            case RW_ACQUIRE:
                return 1;
            case RW_RELEASE:
            case TASK_DONE:
                return -1;
            case EXPIRE_SUBMIT:
                return result == Result.RAISED ? 0 : 1;
            case FORCE_CAS:
                return result == Result.TRUE ? 1 : 0;
            case TRY_BEGIN:
                return result == Result.FALSE ? 0 : 1;
            case ON_COMPLETE_BEGIN:
                return 0;
            default:
                return kind.begins ? 1 : kind.ends ? -1 : 0;
        }
    }

    /** Ends the recording after event {@code cut}, or where it is now. */
    void finish(long cut, int loser) throws IOException {
        long lost = Recorder.LOST.sum();
        if (lost > 0) {
            for (Stream stream : all) {
                if (stream.log.tid == loser) {
                    lines.dropped(body, loser, ++stream.tseq, cut + 1, lost);
                }
            }
        }
        target.end(header(), footer(lost));
        System.err.println("wheelproof agent: " + lines.events + " events, " + lost + " lost"
            + (Recorder.verify ? ", " + Recorder.CHECKED.sum() + " locks checked" : ""));
    }

    private byte[] footer(long lost) {
        StringBuilder text = new StringBuilder("{\"footer\":{\"events\":").append(lines.events);
        text.append(",\"per_thread_last_tseq\":{");
        String comma = "";
        for (Stream stream : all) {
            if (stream.tseq > 0) {
                text.append(comma).append('"').append(stream.log.tid).append("\":")
                    .append(stream.tseq);
                comma = ",";
            }
        }
        text.append("},\"tokens\":{");
        lines.totals(text);
        return text.append("},\"dropped\":").append(lost).append("}}\n").toString()
            .getBytes(StandardCharsets.UTF_8);
    }
}
