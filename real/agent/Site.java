package wheelproof.agent;

/**
 * Places in one method where a hook is put in.
 *
 * <p>{@code what}: the instruction, as {@link Rewriter#text} writes it; {@code wrap}: the method as
 * a whole. {@code count}: how many there must be. {@code how}: instead of the instruction, before
 * it or after it. {@code pushes}: what is put on the stack for the hook: {@code t} this, {@code a1}
 * an object in local variable 1, {@code i4} an int, {@code l2} a long, {@code d} and {@code D} the
 * top of the stack once more, of one word or two.
 */
final class Site {
    enum How { INSTEAD, BEFORE, AFTER, WRAP }

    final String method, what, hook, pushes;
    final int count;
    final How how;

    private Site(String method, String what, int count, How how, String hook, String pushes) {
        this.method = method;
        this.what = what;
        this.count = count;
        this.how = how;
        this.hook = hook;
        this.pushes = pushes;
    }

    static Site instead(String method, String what, int count, String hook, String pushes) {
        return new Site(method, what, count, How.INSTEAD, hook, pushes);
    }

    static Site before(String method, String what, int count, String hook, String pushes) {
        return new Site(method, what, count, How.BEFORE, hook, pushes);
    }

    static Site after(String method, String what, int count, String hook, String pushes) {
        return new Site(method, what, count, How.AFTER, hook, pushes);
    }

    /** The hooks are {@code hookBegin}, {@code hookEnd} with the result, {@code hookRaised}. */
    static Site wrap(String method, String hook) {
        return new Site(method, "wrap", 1, How.WRAP, hook, "");
    }
}
