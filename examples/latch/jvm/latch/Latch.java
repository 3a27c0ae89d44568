package latch;

/** Opens when {@link #countDown} was called as often as the count says. */
public final class Latch {
    private int count;
    private volatile boolean opened;

    public Latch(int count) {
        this.count = count;
    }

    public void countDown() {
        synchronized (this) {
            int left = count;
            if (left > 0) {
                count = left - 1;
                if (left == 1) {
                    opened = true;
                }
            }
        }
    }

    public boolean isOpen() {
        return opened;
    }

    int count() {
        return count;
    }
}
