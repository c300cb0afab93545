/**
 * Lets work on one thing be done by one at a time. Those who ask while it is under way share the next turn: each gets what
 * was found by a turn that began after it asked.
 */
export function shareTurns<Key, Answer>(work: (key: Key) => Promise<Answer>): (key: Key) => Promise<Answer> {
  /** The turns that have not begun. */
  const next = new Map<Key, Promise<Answer>>();
  const running = new Map<Key, Promise<unknown>>();

  /** Begins later than it is called, whatever runs: until then it may be shared. */
  async function takeTurn(key: Key): Promise<Answer> {
    // How the turn before ended is its own askers' matter.
    await running.get(key)?.catch(() => undefined);
    next.delete(key);
    const turn = work(key);
    running.set(key, turn);
    try {
      return await turn;
    } finally {
      if (running.get(key) === turn) running.delete(key);
    }
  }

  return (key) => {
    const waiting = next.get(key);
    if (waiting !== undefined) return waiting;
    const turn = takeTurn(key);
    next.set(key, turn);
    return turn;
  };
}
