import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Three structures with a planted fault each, and without it. As in structures.py. */
final class Structures {
    static final class Node {
        int number;
        Node next;
    }

    /** R. K. Treiber, 1986. Nodes are used again, the oldest one first: the ABA problem. */
    static class Stack {
        private final AtomicReference<Node> head = new AtomicReference<>();
        private final ArrayDeque<Node> free = new ArrayDeque<>();

        void push(int number) {
            Node node = node();
            node.number = number;
            do {
                node.next = head.get();
            } while (!head.compareAndSet(node.next, node));
        }

        Integer pop() {
            while (true) {
                Node first = head.get();
                if (first == null) {
                    return null;
                }
                int number = first.number;
                if (head.compareAndSet(first, first.next)) {
                    synchronized (free) {
                        free.add(first);
                    }
                    return number;
                }
            }
        }

        Node node() {
            synchronized (free) {
                return free.isEmpty() ? new Node() : free.poll();
            }
        }
    }

    /** Each push has a node of its own. */
    static final class SoundStack extends Stack {
        @Override
        Node node() {
            return new Node();
        }
    }

    /** The two keys that were used last. A hit in front is looked up without the lock. */
    static class Cache {
        private final int[] keys = new int[2];
        private final Integer[] values = new Integer[2];

        Integer get(int key) {
            if (keys[0] == key) {
                return values[0];
            }
            return looked(key);
        }

        synchronized Integer looked(int key) {
            if (keys[0] == key) {
                return values[0];
            }
            if (keys[1] != key) {
                return null;
            }
            Integer value = values[1];
            moveIn(key, value);
            return value;
        }

        synchronized void put(int key, int value) {
            if (keys[0] == key) {
                values[0] = value;
            } else {
                moveIn(key, value);
            }
        }

        private void moveIn(int key, Integer value) {
            keys[1] = keys[0];
            values[1] = values[0];
            keys[0] = key;
            values[0] = value;
        }
    }

    /** Every look is under the lock. */
    static final class SoundCache extends Cache {
        @Override
        Integer get(int key) {
            return looked(key);
        }
    }

    /** A queue of one element. It looks whether it is full before it takes the lock. */
    static class Queue {
        private final List<Integer> items = new ArrayList<>();

        boolean offer(int item) {
            return !isFull() && added(item);
        }

        synchronized boolean isFull() {
            return !items.isEmpty();
        }

        synchronized boolean added(int item) {
            return items.add(item);
        }

        synchronized Integer poll() {
            return items.isEmpty() ? null : items.remove(0);
        }
    }

    /** It looks under the lock. */
    static final class SoundQueue extends Queue {
        @Override
        synchronized boolean offer(int item) {
            return super.offer(item);
        }
    }

    private Structures() {}
}
