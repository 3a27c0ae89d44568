import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** Boxes that a map has, one that it has not, and a thread that does not want to end. */
class Shelf {
    static class Box {
        int content;

        Box(int content) {
            this.content = content;
        }
    }

    final ConcurrentHashMap<String, Box> map = new ConcurrentHashMap<>();
    final ReentrantLock lock = new ReentrantLock();
    Box loose;
    int marks;

    int perform(String operation) {
        switch (operation) {
            case "make" -> map.computeIfAbsent("box", key -> new Box(1));
            case "look" -> {
                Box box = map.get("box");
                return box == null ? 0 : box.content;
            }
            case "leave" -> loose = new Box(2);
            case "find" -> {
                return loose == null ? 0 : loose.content;
            }
            case "insist" -> insist();
            default -> throw new IllegalArgumentException(operation);
        }
        return 0;
    }

    private void insist() {
        try {
            lock.lock();
            marks++;
            lock.unlock();
        } catch (Throwable ended) {
            lock.lock();
            lock.unlock();
        }
    }
}
