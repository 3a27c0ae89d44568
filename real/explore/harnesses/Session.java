import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.ImplicitLinkedHashCollection;
import org.apache.kafka.server.share.CachedSharePartition;
import org.apache.kafka.server.share.ShareGroupListener;
import org.apache.kafka.server.share.session.ShareSessionCache;
import org.apache.kafka.server.share.session.ShareSessionKey;

/** A member's connection is lost, and the member is back on another one. */
class Session implements ShareGroupListener {
    private final ShareSessionCache cache = new ShareSessionCache(10);
    private final ShareSessionKey key = new ShareSessionKey("group", "member");

    private static ImplicitLinkedHashCollection<CachedSharePartition> partitions() {
        ImplicitLinkedHashCollection<CachedSharePartition> all =
                new ImplicitLinkedHashCollection<>(2);
        all.mustAdd(new CachedSharePartition(
                new TopicIdPartition(new Uuid(1, 2), new TopicPartition("topic", 0)), false));
        return all;
    }

    @Override
    public void onMemberLeave(String group, String member) {
        cache.remove(key);
    }

    @Override
    public void onGroupEmpty(String group) { }

    void run() throws InterruptedException {
        cache.registerShareGroupListener(this);
        cache.maybeCreateSession("group", "member", partitions(), "connection-1");
        Thread network = new Thread(() ->
                cache.connectionDisconnectListener().onDisconnect("connection-1"));
        network.start();
        cache.remove(key);
        cache.maybeCreateSession("group", "member", partitions(), "connection-2");
        network.join();
        assert cache.get(key) != null : "the session of the new connection is gone";
    }
}
