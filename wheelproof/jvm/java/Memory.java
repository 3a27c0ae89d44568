package wheelproof.jvm;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A memory that stores reach late. What a thread stores into a declared plain field goes to its
 * buffer, where it alone reads it, and reaches memory in a step of the harness. A release
 * (unlock, volatile write, write of an atomic) marks all that its thread has stored so far. An
 * acquisition of the same brings the marked stores of others into memory first.
 *
 * <p>The subject's code is as it is. The field has memory's value at rest. In front of a read by
 * the thread that has stored it has that store's value. Behind a write its old value is put back.
 */
final class Memory {
    /** A store on its way. {@code marks}: what its thread has released since. */
    record Store(Worker owner, ClassTable.Declared field, Object object, Object value,
            Set<Order.Key> marks) { }

    private final Set<String> delayed;
    private final Map<ClassTable.Declared, Field> fields = new HashMap<>();
    /** Oldest first. */
    final List<Store> stores = new ArrayList<>();
    private Site pending;
    private Object target;
    private Object inMemory;

    /** {@code delayed}: "Class.field" of those whose stores may be late, if not volatile. */
    Memory(Set<String> delayed) {
        this.delayed = delayed;
    }

    void acquire(Worker worker, Order.Key key) {
        stores.removeIf(store -> {
            boolean due = store.owner != worker && store.marks.contains(key);
            if (due) {
                set(store.field, store.object, store.value);
            }
            return due;
        });
    }

    void release(Worker worker, Order.Key key) {
        for (Store store : stores) {
            if (store.owner == worker) {
                store.marks.add(key);
            }
        }
    }

    /** In front of an access. */
    void access(Worker worker, Site site, Object object) {
        if (site.field.isVolatile() || !delayed.contains(site.field.name())) {
            return;
        }
        pending = site;
        target = object;
        inMemory = get(site.field, object);
        if (site.kind == Site.Kind.READ) {
            for (Store store : stores) {
                if (store.owner == worker && store.object == object && store.field == site.field) {
                    set(site.field, object, store.value);
                }
            }
        }
    }

    /** Behind it. */
    void accessed(Worker worker) {
        if (pending == null) {
            return;
        }
        Object value = get(pending.field, target);
        if (pending.kind == Site.Kind.READ) {
            worker.seen = value;
        } else if (pending.kind != Site.Kind.INIT || !Objects.equals(value, inMemory)) {
            // a constructor's store of what the field has from the start changes nothing
            stores.add(new Store(worker, pending.field, target, value, new LinkedHashSet<>()));
        }
        set(pending.field, target, inMemory);
        pending = null;
    }

    /** The oldest store of a thread into a field of this name; null where none is on its way. */
    Store oldest(int thread, String name) {
        for (Store store : stores) {
            if (store.owner.index == thread && store.field.simple().equals(name)) {
                return store;
            }
        }
        return null;
    }

    void bring(Store store) {
        set(store.field, store.object, store.value);
        stores.remove(store);
    }

    private Field field(ClassTable.Declared field, Object object) {
        return fields.computeIfAbsent(field, key -> {
            for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
                try {
                    Field found = type.getDeclaredField(field.simple());
                    found.setAccessible(true);
                    return found;
                } catch (NoSuchFieldException next) {
                    // a superclass has it
                }
            }
            throw new IllegalStateException("no field " + field.name());
        });
    }

    private Object get(ClassTable.Declared field, Object object) {
        try {
            return field(field, object).get(object);
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }

    private void set(ClassTable.Declared field, Object object, Object value) {
        try {
            field(field, object).set(object, value);
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }
}
