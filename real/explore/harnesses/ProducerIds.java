import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.clients.NodeApiVersions;
import org.apache.kafka.common.errors.CoordinatorLoadInProgressException;
import org.apache.kafka.common.message.AllocateProducerIdsResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AllocateProducerIdsResponse;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.transaction.RPCProducerIdManager;
import org.apache.kafka.server.common.ControllerRequestCompletionHandler;
import org.apache.kafka.server.common.NodeToControllerChannelManager;

/** A controller refuses a request: behind the refusal no other one may come at once. */
class ProducerIds implements NodeToControllerChannelManager {
    private final List<Thread> answers = new ArrayList<>();
    private final RPCProducerIdManager ids =
            new RPCProducerIdManager(0, Time.SYSTEM, () -> 1L, this);
    private volatile boolean refused;

    @Override
    public void sendRequest(AbstractRequest.Builder<? extends AbstractRequest> request,
            ControllerRequestCompletionHandler handler) {
        assert !refused : "a request within the backoff";
        Thread answer = new Thread(() -> {
            handler.onComplete(new ClientResponse(null, null, "controller", 0, 0, false, null, null,
                    new AllocateProducerIdsResponse(new AllocateProducerIdsResponseData()
                            .setErrorCode(Errors.UNKNOWN_SERVER_ERROR.code()))));
            refused = true;
        });
        answers.add(answer);
        answer.start();
    }

    private void generate() {
        try {
            ids.generateProducerId();
        } catch (CoordinatorLoadInProgressException expected) {
            // there is no identifier yet
        }
    }

    /** The second call may overlap with the answer to the first one. */
    void run() throws InterruptedException {
        generate();
        generate();
    }

    @Override
    public void start() { }

    @Override
    public void shutdown() { }

    @Override
    public Optional<NodeApiVersions> controllerApiVersions() {
        return Optional.empty();
    }

    @Override
    public long getTimeoutMs() {
        return 0;
    }
}
