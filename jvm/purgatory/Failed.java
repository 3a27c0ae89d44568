package org.apache.kafka.server.purgatory;

/** What an onComplete raises. */
final class Failed extends RuntimeException {
    private static final long serialVersionUID = 1;

    Failed() {
        super(null, null, false, false);
    }

    /** The result of an operation that ends with it. */
    Object result() {
        return new Object[] {"raised", "Failed"};
    }
}
