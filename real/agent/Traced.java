package wheelproof.agent;

/** What the agent adds to Kafka's classes; the names cannot be those of Kafka's own methods. */
public interface Traced {
    Info wp$info();

    /** A TimerTask. */
    interface Task extends Traced {
        Object wp$live();

        void wp$live(Object entry);
    }

    /** A TimerTaskEntry. */
    interface Entry extends Traced {
        Object wp$list();

        void wp$list(Object list);
    }

    /** A TimingWheel. */
    interface Wheel extends Traced {
        long wp$clock();

        Object[] wp$buckets();

        Object wp$above();
    }
}
