import type { Server } from 'node:net';

/** The members of `ValkeyServer` that it keeps to itself and that its faults are mended through. */
export interface ValkeyInside {
  /** Lets Valkey run one round of its event loop. */
  step(): void;
  readonly listeners: ReadonlyMap<number, { readonly server: Server }>;
  /** Connections with what they received; of the first chunk, `off` bytes have been read. */
  readonly socks: ReadonlyMap<number, { readonly chunks: readonly Buffer[]; readonly off: number }>;
}

/**
 * A step after which nothing is left to do. One step reads a part of what a connection received and runs commands, and only
 * the next writes their replies: what a single one leaves would wait for the package's 100 ms timer.
 */
export function throughoutStep(valkey: ValkeyInside): () => void {
  const step = valkey.step.bind(valkey);
  return () => {
    let left = unreadBytes(valkey);
    for (;;) {
      step();
      const before = left;
      left = unreadBytes(valkey);
      // Of a client that it holds back Valkey reads nothing more.
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
