import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { listenOnFreePort } from './listen.ts';

/** A network fault between two processes. */
export type Weather =
  | { readonly kind: 'clear' }
  /** Each chunk arrives this much later, in milliseconds, in order. */
  | { readonly kind: 'slow'; readonly delayMs: number }
  /** Requests arrive, responses wait until then. */
  | { readonly kind: 'late'; readonly until: Promise<void> }
  /** Connections are accepted and kept open, but no data arrives in either direction. */
  | { readonly kind: 'black hole' }
  /** Requests arrive, responses do not. */
  | { readonly kind: 'half open' }
  /** Existing and new connections are cut. */
  | { readonly kind: 'cut' };

const CLEAR: Weather = { kind: 'clear' };

/** A TCP proxy on the loopback interface that injects network faults. */
export interface FaultProxy {
  readonly port: number;
  /**
   * Sets the fault. Connections that lost bytes are cut when it ends: a stream with a gap would be a
   * fault that TCP does not have.
   */
  set(weather: Weather): void;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  lost: boolean;
}

/** Opens a proxy to a port of the loopback interface. */
export async function openFaultProxy(target: number): Promise<FaultProxy> {
  const pairs = new Set<Pair>();
  let weather: Weather = CLEAR;

  const cut = (pair: Pair): void => {
    pair.client.resetAndDestroy();
    pair.server.resetAndDestroy();
    pairs.delete(pair);
  };

  function relay(pair: Pair, from: Socket, to: Socket, direction: 'asked' | 'answered'): void {
    let earlier = Promise.resolve();
    from.on('data', (bytes) => {
      const { kind } = weather;
      if (kind === 'black hole' || (kind === 'half open' && direction === 'answered')) {
        pair.lost = true;
        return;
      }
      earlier = afterBoth(earlier, arrivalOf(weather, direction), () => void (to.destroyed || to.write(bytes)));
    });
    from.on('error', () => cut(pair));
    from.on('close', () => void earlier.then(() => to.end()).finally(() => pairs.delete(pair)));
  }

  const server = createServer((client) => {
    if (weather.kind === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const pair: Pair = { client, server: connect({ port: target, host: '127.0.0.1' }), lost: false };
    pairs.add(pair);
    relay(pair, client, pair.server, 'asked');
    relay(pair, pair.server, client, 'answered');
  });
  const port = await listenOnFreePort(server);
  return {
    port,
    set(next) {
      weather = next;
      for (const pair of pairs) if (next.kind === 'cut' || pair.lost) cut(pair);
    },
    async close() {
      for (const pair of pairs) cut(pair);
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function arrivalOf(weather: Weather, direction: 'asked' | 'answered'): Promise<void> {
  if (weather.kind === 'slow') await pause(weather.delayMs);
  if (weather.kind === 'late' && direction === 'answered') await weather.until;
}

async function afterBoth(one: Promise<void>, other: Promise<void>, act: () => void): Promise<void> {
  await Promise.all([one, other]);
  act();
}
