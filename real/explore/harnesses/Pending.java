import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import java.util.concurrent.TimeUnit;

/** A time-out is cancelled while the worker expires it: it is counted out once. */
class Pending {
    void run() throws InterruptedException {
        HashedWheelTimer timer = new HashedWheelTimer(
                Thread::new, 10, TimeUnit.MILLISECONDS, 8, false, 10);
        Timeout timeout = timer.newTimeout(expired -> { }, 5, TimeUnit.MILLISECONDS);
        timeout.cancel();
        Thread.sleep(20);
        Thread.sleep(20);
        assert timer.pendingTimeouts() >= 0 : timer.pendingTimeouts() + " time-outs are pending";
    }
}
