import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/** A future that threads complete, listen to and look at. They are named by their numbers. */
class Answers {
    final CompletableFuture<String> future = new CompletableFuture<>();
    /** Thread that has run a listener last, counted from 1; 0 for none. */
    volatile int last;
    /** Listener -> the thread that has run it, counted from 1, and what it was given. */
    final int[] ran = new int[3];
    final int[] given = new int[3];
    /** Thread -> whether the future was done, and which thread had run a listener then. */
    final int[] looked = new int[3];

    static int number() {
        String name = Thread.currentThread().getName();
        return Integer.parseInt(name.substring(name.length() - 1));
    }

    void perform(String operation) {
        switch (operation) {
            case "complete" -> future.complete("value");
            case "fail" -> future.completeExceptionally(new IllegalStateException());
            case "listen" -> listen(number());
            case "look" -> looked[number()] = (future.isDone() ? 10 : 20) + last;
            default -> throw new IllegalArgumentException(operation);
        }
    }

    private void listen(int listener) {
        future.whenComplete((value, error) -> {
            given[listener] = error == null ? 1 : 2;
            ran[listener] = number() + 1;
            last = number() + 1;
        });
    }

    String shown() {
        return Arrays.toString(ran) + Arrays.toString(given) + Arrays.toString(looked);
    }

    /** One thread for each operation; their orders are those of the JDK's own code. */
    void all(String... operations) throws InterruptedException {
        Thread[] threads = new Thread[operations.length];
        for (int index = 0; index < threads.length; index++) {
            String operation = operations[index];
            threads[index] = new Thread(() -> perform(operation), "subject-" + index);
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}

class CompletesBesideListener extends Answers {
    void run() throws InterruptedException {
        all("complete", "listen");
    }

    String outcome() {
        return shown();
    }
}

class FailsBesideLook extends Answers {
    void run() throws InterruptedException {
        all("fail", "listen", "look");
    }

    String outcome() {
        return shown();
    }
}

class TwoListen extends Answers {
    void run() throws InterruptedException {
        all("complete", "listen", "listen");
    }

    String outcome() {
        return shown();
    }
}
