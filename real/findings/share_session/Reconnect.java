import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.ImplicitLinkedHashCollection;
import org.apache.kafka.server.share.CachedSharePartition;
import org.apache.kafka.server.share.ShareGroupListener;
import org.apache.kafka.server.share.session.ShareSessionCache;
import org.apache.kafka.server.share.session.ShareSessionKey;

/**
 * Connects a member of a share group again while the end of its old connection is handled.
 *
 * Exit codes: 9 the defect is there, 0 it is not, 2 a control failed.
 */
public class Reconnect {
    static final ShareSessionKey KEY = new ShareSessionKey("g", "m");

    final ShareSessionCache cache = new ShareSessionCache(10);
    Runnable whileReleasing = () -> { };
    boolean empty;

    Reconnect() {
        cache.registerShareGroupListener(new ShareGroupListener() {
            /** SharePartitionManager.releaseSession removes the session and releases records. */
            @Override
            public void onMemberLeave(String group, String member) {
                cache.remove(KEY);
                whileReleasing.run();
            }

            @Override
            public void onGroupEmpty(String group) {
                empty = true;
            }
        });
    }

    /** A fetch with the initial epoch, as in SharePartitionManager.newContext. */
    void connect(String connection) {
        cache.remove(KEY);
        var partitions = new ImplicitLinkedHashCollection<CachedSharePartition>(1);
        partitions.mustAdd(new CachedSharePartition("t", Uuid.randomUuid(), 0, false));
        cache.maybeCreateSession("g", "m", partitions, connection);
    }

    String disconnected(String title) {
        cache.connectionDisconnectListener().onDisconnect("first");
        String state = cache.size() + " sessions, " + cache.totalPartitions() + " partitions, "
            + (empty ? "the group is empty" : "the group has a member");
        System.out.printf("%-38s %s%n", title, state);
        return state;
    }

    public static void main(String[] arguments) {
        Reconnect broker = new Reconnect();
        broker.connect("first");
        boolean asItMustBe = broker.disconnected("the connection ends")
            .equals("0 sessions, 0 partitions, the group is empty");

        String again = "1 sessions, 1 partitions, the group has a member";
        broker = new Reconnect();
        broker.connect("first");
        broker.connect("second");
        asItMustBe &= broker.disconnected("a new connection before that").equals(again);

        broker = new Reconnect();
        broker.connect("first");
        Reconnect late = broker;
        broker.whileReleasing = () -> late.connect("second");
        boolean defect = !broker.disconnected("a new one while records are released").equals(again);
        System.exit(asItMustBe ? defect ? 9 : 0 : 2);
    }
}
