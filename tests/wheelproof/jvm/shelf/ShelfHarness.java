import wheelproof.jvm.Harness;
import wheelproof.jvm.Scenario;
import wheelproof.jvm.Shared;

/** The operations of the shelf. */
final class ShelfHarness extends Harness {
    private final Shelf shelf = new Shelf();

    ShelfHarness(Scenario scenario) { }

    @Override
    public Object perform(String[] operation) {
        return shelf.perform(operation[0]);
    }

    @Override
    public void shared(Shared out) {
        out.variable().number(shelf.marks);
    }
}
