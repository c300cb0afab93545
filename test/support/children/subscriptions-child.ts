import { createServer, type ServerResponse } from 'node:http';
import { HOUR_MS } from '../../../config/units.ts';
import { listenOnFreePort } from '../listen.ts';
import { openTestApi, TEST_NOW } from '../test-api.ts';

/** What a measured server is asked for; it answers with the same `id`. */
export interface Asked {
  readonly id: number;
  /** `memory` and `cpu`: bytes in use, and microseconds spent; `change` writes records, and `frame` publishes them. */
  readonly what: 'memory' | 'cpu' | 'change' | 'frame';
  /** The frame that a bare server writes. */
  readonly bytes?: string;
}

/** A server that holds subscriptions: the api with a board of a hundred rows and more, or nothing but `node:http`. */
interface Served {
  readonly port: number;
  change(): Promise<void>;
  frame(bytes: string): Promise<void>;
}

async function serveApi(): Promise<Served> {
  const wide = { connectionsPerAddress: 10_000 };
  const test = await openTestApi({ settings: wide, server: wide });
  const first = await test.ranking.operators.import(
    Array.from({ length: 150 }, (_, index) => {
      const counts = { input: 100, output: 1_000 - index, cache_read: 1_000, cache_write: 0 };
      const usage = [{ asOf: TEST_NOW - HOUR_MS, ledger: 'ledger-1', platform: 'codex', epoch: 0, counts }];
      return { codename: `operator-${index}`, displayName: null, usage };
    }),
  );
  await test.ranking.rebuildBoard();
  await test.publish();
  let changes = 0;
  return {
    port: Number(new URL(test.origin).port),
    // As many rows as an operator passes who gains ten places.
    async change() {
      changes += 1;
      for (let row = 0; row < 11; row += 1) {
        await test.ranking.operators.amend(first + 20 + row, { displayName: `Change ${changes}` });
      }
    },
    frame: () => test.publish(),
  };
}

async function serveBare(): Promise<Served> {
  const subscribers = new Set<ServerResponse>();
  const server = createServer({ noDelay: true }, (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' }).flushHeaders();
    response.write('retry: 3000\n\n');
    subscribers.add(response);
    response.once('close', () => subscribers.delete(response));
  });
  return {
    port: await listenOnFreePort(server),
    change: async () => undefined,
    async frame(bytes) {
      const frame = Buffer.from(bytes);
      for (const response of subscribers) response.write(frame);
    },
  };
}

function bytesInUse(): Readonly<Record<'heap' | 'rss', number>> {
  for (let times = 0; times < 3; times += 1) globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, rss };
}

const served = await (process.argv[2] === 'api' ? serveApi() : serveBare());
async function answer({ id, what, bytes = '' }: Asked): Promise<void> {
  if (what === 'change') await served.change();
  if (what === 'frame') await served.frame(bytes);
  const { user, system } = process.cpuUsage();
  process.send?.({ id, cpu: user + system, ...(what === 'memory' ? bytesInUse() : {}) });
}
process.on('message', (asked: Asked) => void answer(asked));
process.send?.({ id: 0, port: served.port });
