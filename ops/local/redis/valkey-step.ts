import type { Server } from 'node:net';

/**
 * Private members of `ValkeyServer`: its public ones are `start` and `stop`, which leave replies to a timer of 100 ms, set no
 * limits on connections, and only print a failure to listen.
 */
export interface ValkeyInside {
  /** Runs one iteration of Valkey's event loop. */
  step(): void;
  readonly listeners: ReadonlyMap<number, { readonly server: Server }>;
  /** Connections with their received chunks; `off` bytes of the first chunk have been read. */
  readonly socks: ReadonlyMap<number, { readonly chunks: readonly Buffer[]; readonly off: number }>;
}

/**
 * Returns a step that runs until no work is left. A single step reads a part of the received bytes and runs commands, and
 * only the next one writes their replies; the rest would wait for the package's 100 ms timer.
 */
export function exhaustiveStep(valkey: ValkeyInside): () => void {
  const step = valkey.step.bind(valkey);
  return () => {
    let left = unreadBytes(valkey);
    for (;;) {
      step();
      const before = left;
      left = unreadBytes(valkey);
      // Valkey reads nothing from a client that it throttles.
      if (left === 0 || left >= before) break;
    }
    step();
  };
}

function unreadBytes({ socks }: ValkeyInside): number {
  let bytes = 0;
  for (const { chunks, off } of socks.values()) {
    for (const chunk of chunks) bytes += chunk.length;
    bytes -= off;
  }
  return bytes;
}
