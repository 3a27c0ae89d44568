import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import scala.None$;
import scala.Option;
import scala.Some;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.JavaConverters;
import scala.collection.Seq;

/**
 * Answers elections by the classes of a released Kafka, one for each line of the standard input.
 *
 * A line has kind, assignment, target, ISR, live brokers, brokers that shut down, and "clean" or
 * "unclean", with blanks between them. A list has commas, or is "-" where it is empty. An answer is
 * the leader, or "none". With the argument "whole" it has the new ISR too, by how much the leader
 * epoch has gone up, and 1 if the leader has to recover.
 */
public final class Elections {
    private static final String ALGORITHMS = "kafka.controller.PartitionLeaderElectionAlgorithms";
    private static final String ELECTION = "kafka.controller.Election";
    private static final String STATE = "kafka.api.LeaderAndIsr";

    private final String kind;
    private final List<Integer> assignment;
    private final List<Integer> target;
    private final List<Integer> isr;
    private final List<Integer> live;
    private final List<Integer> down;
    private final boolean unclean;

    private Elections(String line) {
        String[] fields = line.split(" ");
        kind = fields[0];
        assignment = numbers(fields[1]);
        target = numbers(fields[2]);
        isr = numbers(fields[3]);
        live = numbers(fields[4]);
        down = numbers(fields[5]);
        unclean = fields[6].equals("unclean");
    }

    public static void main(String[] arguments) throws Exception {
        boolean whole = List.of(arguments).contains("whole");
        Object context = null;
        var out = new PrintStream(System.out, false, "UTF-8");
        var in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (context == null) {
                context = Released.made("kafka.controller.ControllerContext");
            }
            var election = new Elections(line);
            out.println(whole ? election.state(context) : election.leader(context));
        }
        out.flush();
    }

    /** The leader, by the algorithms alone. */
    private String leader(Object context) throws Exception {
        var usable = new ArrayList<>(live);
        usable.removeAll(down);
        Option<?> found;
        if (kind.equals("reassign")) {
            found = elected("reassign", seq(target), seq(isr), set(usable));
        } else if (kind.equals("preferred")) {
            found = elected("preferredReplica", seq(assignment), seq(isr), set(usable));
        } else if (kind.equals("shutdown")) {
            found = elected("controlledShutdown", seq(assignment), seq(isr), set(live), set(down));
        } else if (Released.has(ALGORITHMS, "offlinePartitionLeaderElection", 4)) {
            found = elected("offline", seq(assignment), seq(isr), set(usable), unclean);
        } else {
            found = elected("offline", seq(assignment), seq(isr), set(usable), unclean, context);
        }
        return found.isDefined() ? found.get().toString() : "none";
    }

    /** The whole new state, by the controller's step from a partition's old one. */
    private String state(Object context) throws Exception {
        Object partition = Released.made("org.apache.kafka.common.TopicPartition", "topic", 0);
        begin(context, partition);
        int leader = isr.isEmpty() ? -1 : isr.get(0);
        Object old = Released.call(STATE, "apply", leader, seq(isr).toList());
        Seq<?> results;
        if (kind.equals("offline")) {
            Object question = seq(List.of(new Tuple3<>(partition, new Some<>(old), unclean)));
            results = (Seq<?>) (Released.has(ELECTION, "leaderForOffline", 3)
                ? Released.call(ELECTION, "leaderForOffline", context, true, question)
                : Released.call(ELECTION, "leaderForOffline", context, question));
        } else {
            String name = kind.equals("reassign") ? "Reassign"
                : kind.equals("preferred") ? "PreferredReplica" : "ControlledShutdown";
            Object question = seq(List.of(new Tuple2<>(partition, old)));
            results = (Seq<?>) Released.call(ELECTION, "leaderFor" + name, context, question);
        }
        var found = (Option<?>) Released.call(results.apply(0), "leaderAndIsr");
        return found.isDefined() ? written(old, found.get()) : "none";
    }

    /** What the controller knows: brokers, those that shut down, the replicas now and later. */
    private void begin(Object context, Object partition) throws Exception {
        var brokers = new java.util.HashMap<Object, Object>();
        for (int id : live) {
            Object broker = Released.call(
                "kafka.cluster.Broker", "apply", id, seq(List.of()), None$.MODULE$);
            brokers.put(broker, 1L);
        }
        Object epochs = JavaConverters.mapAsScalaMapConverter(brokers).asScala();
        Released.call(context, "setLiveBrokers", epochs);
        @SuppressWarnings("unchecked")
        var stopping =
            (scala.collection.mutable.Set<Object>) Released.call(context, "shuttingDownBrokerIds");
        stopping.clear();
        down.forEach(stopping::add);
        // A partition that moves has its old and new replicas until the new ones are in sync.
        List<Integer> to = kind.equals("reassign") ? target : assignment;
        var all = new ArrayList<>(to);
        var adding = new ArrayList<>(to);
        var removing = new ArrayList<>(assignment);
        adding.removeAll(assignment);
        removing.removeAll(to);
        all.addAll(removing);
        Object replicas = Released.call(
            "kafka.controller.ReplicaAssignment", "apply", seq(all), seq(adding), seq(removing));
        Released.call(context, "updatePartitionFullReplicaAssignment", partition, replicas);
    }

    private static String written(Object old, Object made) throws Exception {
        int before = (int) Released.call(old, "leaderEpoch");
        int after = (int) Released.call(made, "leaderEpoch");
        boolean recovers = Released.has(STATE, "leaderRecoveryState", 0)
            && Released.call(made, "leaderRecoveryState").toString().equals("RECOVERING");
        String isr = ((Seq<?>) Released.call(made, "isr")).mkString(",");
        return String.join(" ", Released.call(made, "leader").toString(), isr,
            Integer.toString(after - before), recovers ? "1" : "0");
    }

    private static Option<?> elected(String kind, Object... arguments) throws Exception {
        return (Option<?>) Released.call(ALGORITHMS, kind + "PartitionLeaderElection", arguments);
    }

    private static <T> scala.collection.immutable.Seq<T> seq(List<T> of) {
        return JavaConverters.asScalaBufferConverter(of).asScala().toList();
    }

    private static Object set(List<Integer> of) {
        return seq(of).toSet();
    }

    private static List<Integer> numbers(String field) {
        var found = new ArrayList<Integer>();
        if (!field.equals("-")) {
            for (String number : field.split(",")) {
                found.add(Integer.valueOf(number));
            }
        }
        return found;
    }
}
