/** One piece is left, and two threads sell it. */
class StockRace {
    private int count = 1;
    private final Object lock = new Object();

    boolean take() {
        if (count == 0) {
            return false;
        }
        synchronized (lock) {
            count--;
        }
        return true;
    }

    void run() throws InterruptedException {
        Thread one = new Thread(this::take);
        Thread other = new Thread(this::take);
        one.start();
        other.start();
        one.join();
        other.join();
        assert count == 0 : "count is " + count;
    }
}
