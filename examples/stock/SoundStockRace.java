/** The look is under the lock, too. */
class SoundStockRace {
    private int count = 1;
    private final Object lock = new Object();

    boolean take() {
        synchronized (lock) {
            if (count == 0) {
                return false;
            }
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
