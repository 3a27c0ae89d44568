import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.text.BreakIterator;
import java.text.SimpleDateFormat;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.StringJoiner;
import java.util.WeakHashMap;
import java.util.jar.Attributes;
import java.util.zip.CRC32;

/** Nothing orders two accesses, and one is by code of the JDK into which no steps are put. */
class CallsAWeakMap {
    final WeakHashMap<Integer, Integer> entries = new WeakHashMap<>();

    void run() throws Exception {
        Faulty.both(() -> entries.put(1, 1), () -> entries.put(2, 2));
    }
}

class AppendsTwice {
    final StringBuilder text = new StringBuilder();

    void run() throws Exception {
        Faulty.both(() -> text.append('a'), () -> text.append('b'));
    }
}

class AppendsByReference {
    final StringBuilder text = new StringBuilder();

    void run() throws Exception {
        Faulty.both(() -> List.of("a").forEach(text::append), () -> text.length());
    }
}

class FormatsTwice {
    final SimpleDateFormat format = new SimpleDateFormat("yyyy");

    void run() throws Exception {
        Faulty.both(() -> format.format(new Date(0)), () -> format.format(new Date(1)));
    }
}

class PutsAttributes {
    final Attributes attributes = new Attributes();

    void run() throws Exception {
        Faulty.both(() -> attributes.putValue("A", "1"), () -> attributes.putValue("B", "2"));
    }
}

class MovesABreak {
    final BreakIterator words = BreakIterator.getWordInstance();

    void run() throws Exception {
        words.setText("a b c");
        Faulty.both(() -> words.next(), () -> words.next());
    }
}

class JoinsTwice {
    final StringJoiner joiner = new StringJoiner(",");

    void run() throws Exception {
        Faulty.both(() -> joiner.add("a"), () -> joiner.add("b"));
    }
}

class SumsBytes {
    final CRC32 sum = new CRC32();

    void run() throws Exception {
        Faulty.both(() -> sum.update(1), () -> sum.update(2));
    }
}

class MovesABuffer {
    final ByteBuffer buffer = ByteBuffer.allocate(8);

    void run() throws Exception {
        Faulty.both(() -> buffer.get(), () -> buffer.get());
    }
}

class WritesByADuplicate {
    final ByteBuffer buffer = ByteBuffer.allocate(8);

    void run() throws Exception {
        Faulty.both(() -> buffer.duplicate().put((byte) 1), () -> buffer.duplicate().get());
    }
}

class WritesBehindABuffer {
    final byte[] bytes = new byte[8];
    final ByteBuffer buffer = ByteBuffer.wrap(bytes);

    void run() throws Exception {
        Faulty.both(() -> bytes[0] = 1, () -> buffer.get(0));
    }
}

class WritesBytesAsANumber {
    static final VarHandle NUMBERS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    final byte[] bytes = new byte[8];
    int read;

    void run() throws Exception {
        Faulty.both(() -> NUMBERS.set(bytes, 0, 257), () -> read = bytes[1]);
    }
}

class MakesAText {
    final char[] chars = {'a', 'b'};

    void run() throws Exception {
        Faulty.both(() -> chars[1] = 'c', () -> new String(chars));
    }
}

class MakesAPartOfAText {
    final char[] chars = {'a', 'b'};

    void run() throws Exception {
        Faulty.both(() -> chars[1] = 'c', () -> new String(chars, 0, 2));
    }
}

class ComparesArrays {
    final long[] one = {1, 2};
    final long[] other = {1, 2};

    void run() throws Exception {
        Faulty.both(() -> Arrays.equals(one, other), () -> one[0] = 3);
    }
}

class SetsByAHandle {
    static final MethodHandle COUNT = setter();
    int count;

    static MethodHandle setter() {
        try {
            return MethodHandles.lookup().findSetter(SetsByAHandle.class, "count", int.class);
        } catch (ReflectiveOperationException error) {
            throw new ExceptionInInitializerError(error);
        }
    }

    void set() {
        try {
            COUNT.invoke(this, 1);
        } catch (Throwable error) {
            throw new IllegalStateException(error);
        }
    }

    void run() throws Exception {
        Faulty.both(this::set, () -> count++);
    }
}
