import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.FutureTask;
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

/** Both tasks run: their state is a field of a class of the JDK. */
class RunsCancelled {
    volatile boolean ran;

    void run() throws Exception {
        FutureTask<?> task = new FutureTask<>(() -> ran = true) { };
        Faulty.both(task, () -> task.cancel(true));
        assert ran;
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
