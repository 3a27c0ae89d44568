import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.pool.InstrumentedPool;
import reactor.pool.PoolBuilder;
import reactor.pool.PooledRef;

/** A resource is given back while another thread asks for it: who has it waits no longer. */
class Borrowers {
    private final List<Disposable> waits = new CopyOnWriteArrayList<>();
    private final AtomicInteger served = new AtomicInteger();

    private void borrow(InstrumentedPool<String> pool) {
        pool.acquire(Duration.ofSeconds(45)).subscribe(resource -> served.incrementAndGet());
    }

    void run() throws InterruptedException {
        InstrumentedPool<String> pool = PoolBuilder.from(Mono.just("resource")).sizeBetween(1, 1)
                .pendingAcquireTimer((task, delay) -> {
                    Disposable wait = Disposables.single();
                    waits.add(wait);
                    return wait;
                })
                .buildPool();
        PooledRef<String> resource = pool.acquire().block();
        Thread other = new Thread(() -> borrow(pool));
        other.start();
        resource.release().subscribe();
        other.join();
        assert served.get() == 1 : "the resource is lost";
        assert waits.stream().allMatch(Disposable::isDisposed) : "a borrower with a resource waits";
    }
}
