import wheelproof.jvm.Harness;
import wheelproof.jvm.Scenario;
import wheelproof.jvm.Shared;

/** The same operations under the layer's control, with a call of the future as one step. */
final class FutureHarness extends Harness {
    private final Answers answers = new Answers();

    FutureHarness(Scenario scenario) { }

    @Override
    public Object perform(String[] operation) {
        answers.perform(operation[0]);
        return null;
    }

    @Override
    public void shared(Shared out) {
        for (int[] numbers : new int[][] {answers.ran, answers.given, answers.looked}) {
            out.variable();
            for (int number : numbers) {
                out.number(number);
            }
        }
    }
}
