import java.util.List;
import org.jetbrains.kotlinx.lincheck.LinCheckerKt;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.kotlinx.lincheck.strategy.LincheckFailure;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;

/**
 * Checks one harness by Lincheck's model checking. Prints the failure, a last word, and how many
 * calls the failing scenario has, or 0.
 */
public final class Harnesses {
    public static class Stack {
        Structures.Stack stack = new Structures.Stack();

        @Operation
        public void push(int number) {
            stack.push(number);
        }

        @Operation
        public Integer pop() {
            return stack.pop();
        }
    }

    public static class Cache {
        Structures.Cache cache = new Structures.Cache();

        @Operation
        public void put(int key, int value) {
            cache.put(key, value);
        }

        @Operation
        public Integer get(int key) {
            return cache.get(key);
        }
    }

    public static class Queue {
        Structures.Queue queue = new Structures.Queue();

        @Operation
        public boolean offer(int item) {
            return queue.offer(item);
        }

        @Operation
        public Integer poll() {
            return queue.poll();
        }
    }

    public static class SoundStack extends Stack {
        {
            stack = new Structures.SoundStack();
        }
    }

    public static class SoundCache extends Cache {
        {
            cache = new Structures.SoundCache();
        }
    }

    public static class SoundQueue extends Queue {
        {
            queue = new Structures.SoundQueue();
        }
    }

    public static void main(String[] arguments) throws ClassNotFoundException {
        Class<?> harness = Class.forName("Harnesses$" + arguments[0]);
        int scenarios = Integer.parseInt(arguments[1]);
        int runs = Integer.parseInt(arguments[2]);
        ModelCheckingOptions options = new ModelCheckingOptions();
        options = options.iterations(scenarios).invocationsPerIteration(runs);
        options = options.threads(2).actorsPerThread(2).actorsBefore(2).actorsAfter(1);
        LincheckFailure failure = LinCheckerKt.checkImpl(options, harness);
        int calls = 0;
        if (failure != null) {
            System.out.println(failure);
            ExecutionScenario scenario = failure.getScenario();
            calls = scenario.getInitExecution().size() + scenario.getPostExecution().size();
            calls += scenario.getParallelExecution().stream().mapToInt(List::size).sum();
        }
        System.out.printf("no failure: %d scenarios, at most %d runs each%n", scenarios, runs);
        System.out.println("calls: " + calls);
    }
}
