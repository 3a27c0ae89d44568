import java.util.LinkedList;
import java.util.ListIterator;
import java.util.PriorityQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

/** Elements and queues that are wrong on purpose: the judgement must reject them. */
class Queues {
    /** Ordered by its name, due by its time: the two disagree. */
    static class ByName extends Element {
        ByName(String name, long delayMs) {
            super(name, delayMs);
        }

        @Override public int compareTo(Delayed other) {
            return name.compareTo(((Element) other).name);
        }
    }

    /** Wrong: a delay queue without a lock. */
    static class Unlocked extends PriorityQueue<Element> {
        @Override public Element poll() {
            Element first = peek();
            return first == null || first.getDelay(TimeUnit.MILLISECONDS) > 0 ? null : super.poll();
        }
    }

    /** Wrong: a queue that hands its elements out as they came. */
    static class AsTheyCame extends LinkedList<Element> {
        @Override public Element poll() {
            Element first = peek();
            return first == null || first.getDelay(TimeUnit.MILLISECONDS) > 0 ? null : super.poll();
        }
    }

    /** Wrong: a queue that hands out what is not due. */
    static class Hasty extends PriorityQueue<Element> {
    }

    /** Wrong: a sorted list, in which a new element is compared with each that is due before it. */
    static class Sorted extends LinkedList<Element> {
        @Override public boolean offer(Element added) {
            ListIterator<Element> places = listIterator();
            while (places.hasNext()) {
                if (places.next().compareTo(added) > 0) {
                    places.previous();
                    break;
                }
            }
            places.add(added);
            return true;
        }
    }

    /** Wrong: a queue that removes without comparing, and sorts all elements to find its head. */
    static class Unsorted extends AsTheyCame {
        @Override public boolean remove(Object element) {
            return removeIf(each -> each == element);
        }

        @Override public Element peek() {
            return stream().sorted().findFirst().orElse(null);
        }
    }
}
