import java.io.ByteArrayOutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.AbstractList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** The field that the sum reads is that of a class above, under another name. */
class SumsTwice {
    final LongAdder calls = new LongAdder();
    final AtomicInteger last = new AtomicInteger();

    void call() {
        calls.increment();
        if (calls.sum() == 2) {
            last.incrementAndGet();
        }
    }

    void run() throws Exception {
        Faulty.both(this::call, this::call);
        assert last.get() == 1;
    }
}

/** The field is that of a class of the JDK, of which the program's own class is one. */
class CountsInherited extends AbstractList<Integer> {
    @Override
    public Integer get(int index) {
        return index;
    }

    @Override
    public int size() {
        return 1;
    }

    void run() throws Exception {
        Faulty.both(() -> modCount++, () -> modCount++);
        assert modCount == 2;
    }
}

/** One field under the names of two classes. */
class InheritedStatic {
    static class Base {
        static int count;
    }

    static class Derived extends Base { }

    void run() throws Exception {
        Faulty.both(() -> Derived.count++, () -> Base.count++);
        assert Base.count == 2;
    }
}

/** One field by a handle and by its name. */
class StaticByHandle {
    static final VarHandle COUNT = handle();
    static int count;

    static VarHandle handle() {
        try {
            return MethodHandles.lookup().findStaticVarHandle(StaticByHandle.class, "count",
                    int.class);
        } catch (ReflectiveOperationException error) {
            throw new ExceptionInInitializerError(error);
        }
    }

    void run() throws Exception {
        Faulty.both(() -> COUNT.getAndAdd(1), () -> count = count + 1);
        assert count == 2;
    }
}

/** A copy of elements is not one step. */
class TornCopy {
    final int[] shared = new int[2];

    void run() throws Exception {
        Faulty.both(() -> System.arraycopy(new int[] {1, 1}, 0, shared, 0, 2), () -> {
            int one = shared[0];
            assert one == shared[1];
        });
    }
}

class TornClone {
    final int[] shared = new int[2];

    void run() throws Exception {
        Faulty.both(() -> {
            int[] copy = shared.clone();
            assert copy[0] >= copy[1];
        }, () -> {
            shared[0] = 1;
            shared[1] = 1;
        });
    }
}

class TornFill {
    final long[] shared = new long[2];

    void run() throws Exception {
        Faulty.both(() -> Arrays.fill(shared, 1), () -> {
            long one = shared[0];
            assert one == shared[1];
        });
    }
}

/** Collections for one thread, which two threads change. */
class LosesAnElement {
    final List<Integer> elements = new ArrayList<>();

    void run() throws Exception {
        Faulty.both(() -> elements.add(1), () -> elements.add(2));
        assert elements.size() == 2;
    }
}

class LosesAnEntry {
    final Map<Integer, Integer> entries = new HashMap<>();

    void run() throws Exception {
        Faulty.both(() -> entries.put(1, 1), () -> entries.put(2, 2));
        assert entries.size() == 2 && entries.get(1) != null && entries.get(2) != null;
    }
}

class LosesABranch {
    final Map<Integer, Integer> entries = new TreeMap<>(Map.of(5, 5));

    void run() throws Exception {
        Faulty.both(() -> entries.put(1, 1), () -> entries.put(2, 2));
        assert entries.get(1) != null && entries.get(2) != null;
    }
}

class LosesALink {
    final Deque<Integer> elements = new ArrayDeque<>();

    void run() throws Exception {
        Faulty.both(() -> elements.addFirst(1), () -> elements.addFirst(2));
        assert elements.size() == 2 && elements.contains(1);
    }
}

class LosesABit {
    final BitSet bits = new BitSet(8);

    void run() throws Exception {
        Faulty.both(() -> bits.set(1), () -> bits.set(2));
        assert bits.cardinality() == 2;
    }
}

/** The wrapper's lock does not cover an iteration. */
class IteratesUnlocked {
    final List<Integer> elements = Collections.synchronizedList(new LinkedList<>(List.of(1, 2)));

    void run() throws Exception {
        Faulty.both(() -> elements.add(3), () -> {
            for (int element : elements) {
                assert element > 0;
            }
        });
    }
}

/** Each call takes a lock, and so does not say which comes first. */
class AppendsInOrder {
    final StringBuffer text = new StringBuffer();

    void run() throws Exception {
        Faulty.both(() -> text.append('a'), () -> text.append('b'));
        assert text.toString().equals("ab");
    }
}

class WritesInOrder {
    final ByteArrayOutputStream out = new ByteArrayOutputStream();

    void run() throws Exception {
        Faulty.both(() -> out.write(1), () -> out.write(2));
        assert out.toByteArray()[0] == 1;
    }
}

class DrawsInOrder {
    final Random random = new Random(7);
    int first;

    void run() throws Exception {
        Faulty.both(() -> first = random.nextInt(), () -> random.nextInt());
        assert first == new Random(7).nextInt();
    }
}

/** A sort exchanges two elements one by one. */
class ReadsWhatIsSorted {
    final int[] numbers = {2, 1};
    int sum;

    void run() throws Exception {
        Faulty.both(() -> Arrays.sort(numbers), () -> sum = numbers[0] + numbers[1]);
        assert sum == 3;
    }
}

class ReadsObjectsThatAreSorted {
    final Integer[] numbers = {2, 1};
    int sum;

    void run() throws Exception {
        Faulty.both(() -> Arrays.sort(numbers), () -> sum = numbers[0] + numbers[1]);
        assert sum == 3;
    }
}
