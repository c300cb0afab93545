/** Keys per load. */
const MAX_KEYS = 1_000;

interface Waiting<Value> {
  readonly resolve: (value: Value | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Coalesces single-key lookups into batches: calls during a load join the next one. Each call returns a value stored at some
 * time after it was made, as an uncoalesced lookup would; null for a key that `load` leaves out.
 */
export function coalesce<Key, Value>(
  load: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
): (key: Key) => Promise<Value | null> {
  let waiting = new Map<Key, Waiting<Value>[]>();
  let running = false;

  async function run(): Promise<void> {
    running = true;
    // Wait one turn of the event loop, so that requests read together share a load.
    await new Promise(setImmediate);
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, MAX_KEYS);
      if (batch.length === waiting.size) waiting = new Map();
      else for (const [key] of batch) waiting.delete(key);
      await resolveBatch(batch);
    }
    running = false;
  }

  async function resolveBatch(batch: readonly (readonly [Key, readonly Waiting<Value>[]])[]): Promise<void> {
    try {
      const found = await load(batch.map(([key]) => key));
      for (const [key, callers] of batch) for (const { resolve } of callers) resolve(found.get(key) ?? null);
    } catch (error) {
      for (const [, callers] of batch) for (const { reject } of callers) reject(error);
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      const callers = waiting.get(key);
      if (callers === undefined) waiting.set(key, [{ resolve, reject }]);
      else callers.push({ resolve, reject });
      if (!running) void run();
    });
}
