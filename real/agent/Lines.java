package wheelproof.agent;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** Events as lines of JSON, and what the footer says of all of them together. */
final class Lines {
    private static final long MODULUS = 1L << 32;
    private static final int WIDEST = 20;
    /** More bytes than any event without its tokens has. */
    private static final int EVENT = 2048;
    private static final int TOKEN = 96;

    private static final byte[][] KINDS = each(Kind.ALL, kind -> ((Kind) kind).text);
    private static final byte[][] NAMES =
        each(Column.ALL, column -> "\"" + ((Column) column).text + "\":");
    private static final byte[][] CLASSES = each(Token.ALL, token ->
        "[\"" + ((Token) token).kind + "\",\"" + ((Token) token).of + ":");
    private static final byte[][] FIELDS =
        each(Token.ALL, token -> ((Token) token).field + "\",");
    private static final byte[][] MODES = each(Token.MODES, mode -> ",\"" + mode + "\"]");

    private final byte[] digits = new byte[WIDEST];
    private byte[] line = new byte[EVENT];
    private int at;
    private final long[] count = new long[Token.ALL.length];
    private final long[] greatest = new long[Token.ALL.length];
    private final long[] sum = new long[Token.ALL.length];

    long events, levels = 1;

    static Result result(long head) {
        int code = (int) (head >> 16 & 255);
        return code == 0 ? null : Result.ALL[code - 1];
    }

    /** Writes the event that stands at {@code from}; returns where the next one does. */
    int event(OutputStream out, int tid, long tseq, long[] numbers, int from)
            throws IOException {
        long head = numbers[from];
        long mask = numbers[from + 3];
        Kind kind = Kind.ALL[(int) (head & 255)];
        int words = (int) (head >> 24 & 0xffff);
        int columns = from + 4;
        int tokens = columns + Long.bitCount(mask);
        if (line.length < EVENT + TOKEN * words) {
            line = new byte[EVENT + TOKEN * words];
        }
        at = 0;
        put("{\"tid\":").put(tid).put(",\"tseq\":").put(tseq).put(",\"lc\":");
        put(numbers[from + 1]).put(",\"k\":\"").put(KINDS[kind.ordinal()]).put("\",\"phase\":");
        boolean opens = kind.begins && (kind != Kind.TRY_BEGIN || result(head) != Result.FALSE);
        put(opens ? "\"begin\"" : kind.ends ? "\"end\"" : "\"atomic\"");
        int next = values(mask, columns, numbers, 0, Column.COUNT.ordinal());
        if (words > 0) {
            tokens(numbers, tokens, words);
            own(numbers, tokens, words, mask, columns);
        }
        next = seen("pre", mask, next, numbers, Column.PRE_LIST, Column.PRE_COMPLETED);
        seen("post", mask, next, numbers, Column.POST_LIST, Column.POST_KEY);
        int cause = (int) (head >> 8 & 255);
        if (cause > 0) {
            put(",\"cause\":\"").put(Cause.ALL[cause - 1].text).put("\"");
        }
        if (result(head) != null) {
            put(",\"res\":\"").put(result(head).text).put("\"");
        }
        put(",\"t_ns\":").put(numbers[from + 2]).put("}\n");
        out.write(line, 0, at);
        events++;
        if ((mask & 1L << Column.LEVEL.ordinal()) != 0) {
            levels = Math.max(levels, value(Column.LEVEL, mask, columns, numbers));
        }
        return tokens + 2 * words;
    }

    /** Writes that events were lost. */
    void dropped(OutputStream out, int tid, long tseq, long lc, long lost) throws IOException {
        at = 0;
        put("{\"tid\":").put(tid).put(",\"tseq\":").put(tseq).put(",\"lc\":").put(lc);
        put(",\"k\":\"drop\",\"phase\":\"atomic\",\"count\":").put(lost).put("}\n");
        out.write(line, 0, at);
        events++;
    }

    private int values(long mask, int from, long[] numbers, int first, int last) {
        int next = from;
        for (int column = first; column <= last; column++) {
            if ((mask & 1L << column) != 0) {
                put(",").put(NAMES[column]).put(numbers[next++]);
            }
        }
        return next;
    }

    private int seen(String name, long mask, int from, long[] numbers, Column first, Column last) {
        int next = from;
        boolean any = false;
        for (int column = first.ordinal(); column <= last.ordinal(); column++) {
            if ((mask & 1L << column) == 0) {
                continue;
            }
            if (any) {
                put(",");
            } else {
                put(",\"").put(name).put("\":{");
            }
            any = true;
            put(NAMES[column]);
            long value = numbers[next++];
            if (column == Column.PRE_COMPLETED.ordinal()) {
                put(value == 0 ? "false" : "true");
            } else {
                put(value);
            }
        }
        if (any) {
            put("}");
        }
        return next;
    }

    private void tokens(long[] numbers, int from, int words) {
        put(",\"ord\":[");
        for (int each = 0; each < words; each++) {
            long packed = numbers[from + 2 * each], number = numbers[from + 2 * each + 1];
            int token = (int) (packed & 255);
            if (each > 0) {
                put(",");
            }
            put(CLASSES[token]).put(packed >>> 16).put(FIELDS[token]).put(number);
            put(MODES[(int) (packed >> 8 & 255)]);
            count[token]++;
            greatest[token] = Math.max(greatest[token], number);
            sum[token] = (sum[token] + number) % MODULUS;
        }
        put("]");
    }

    /** The numbers at the locks of the objects that the event names. */
    private void own(long[] numbers, int from, int words, long mask, int columns) {
        own("eseq", Token.ENTRY, Column.ENTRY, numbers, from, words, mask, columns);
        own("lseq", Token.LIST, Column.LIST, numbers, from, words, mask, columns);
        own("oseq", Token.OP, Column.OP, numbers, from, words, mask, columns);
    }

    private void own(String name, Token token, Column column, long[] numbers, int from, int words,
            long mask, int columns) {
        if ((mask & 1L << column.ordinal()) == 0) {
            return;
        }
        long id = value(column, mask, columns, numbers);
        for (int each = 0; each < words; each++) {
            long packed = numbers[from + 2 * each];
            if ((packed & 255) == token.ordinal() && packed >>> 16 == id) {
                put(",\"").put(name).put("\":").put(numbers[from + 2 * each + 1]);
                return;
            }
        }
    }

    private static long value(Column column, long mask, int columns, long[] numbers) {
        return numbers[columns + Long.bitCount(mask & (1L << column.ordinal()) - 1)];
    }

    /** The footer's {@code tokens}, without the brackets around them. */
    void totals(StringBuilder text) {
        Map<String, long[]> classes = new TreeMap<>();
        for (Token token : Token.ALL) {
            int index = token.ordinal();
            if (count[index] > 0) {
                long[] total = classes.computeIfAbsent(token.kind + " " + token.of,
                    key -> new long[3]);
                total[0] += count[index];
                total[1] = Math.max(total[1], greatest[index]);
                total[2] = (total[2] + sum[index]) % MODULUS;
            }
        }
        String comma = "";
        for (Map.Entry<String, long[]> each : classes.entrySet()) {
            long[] total = each.getValue();
            text.append(comma).append('"').append(each.getKey()).append("\":{\"count\":")
                .append(total[0]).append(",\"max\":").append(total[1]).append(",\"sum\":")
                .append(total[2]).append('}');
            comma = ",";
        }
    }

    // -- bytes

    private Lines put(byte[] text) {
        System.arraycopy(text, 0, line, at, text.length);
        at += text.length;
        return this;
    }

    /** ASCII alone. */
    private Lines put(String text) {
        for (int index = 0; index < text.length(); index++) {
            line[at++] = (byte) text.charAt(index);
        }
        return this;
    }

    private Lines put(long value) {
        if (value < 0) {
            return put(Long.toString(value));
        }
        int from = WIDEST;
        long left = value;
        do {
            digits[--from] = (byte) ('0' + left % 10);
            left /= 10;
        } while (left > 0);
        System.arraycopy(digits, from, line, at, WIDEST - from);
        at += WIDEST - from;
        return this;
    }

    private static byte[][] each(Object[] all, java.util.function.Function<Object, String> text) {
        byte[][] found = new byte[all.length][];
        for (int index = 0; index < all.length; index++) {
            found[index] = text.apply(all[index]).getBytes(StandardCharsets.US_ASCII);
        }
        return found;
    }
}
