import { createApp } from '../../../api/app.ts';
import type { ApiConfig } from '../../../api/context/api-context.ts';
import { closeHttpServer, createHttpServer } from '../../../api/http/http-server.ts';
import { listenOnFreePort } from '../../support/listen.ts';
import { openTestApi, type TestApi } from '../../support/test-api.ts';
import { overTheWire, requestText, withoutMoment } from '../../support/wire.ts';

/** The last request on a connection: Koa handles it in both apis, and the server closes the connection. */
const LAST = requestText('GET', '/health/live', ['Host', 'upsilon.test', 'Connection', 'close']);

/** One board served by two apis: one with the fast path, and one in which Koa handles every request. */
export interface TwoWays extends AsyncDisposable {
  readonly test: TestApi;
  /** Sends the same bytes to both. Returns the responses without what may differ, and how many the fast path served. */
  send(text: string): Promise<{ readonly fastPath: string; readonly koa: string; readonly served: number }>;
  /** Adds an operator by codename, the heavier the higher its Yield, and publishes a new board version. */
  publish(weights: Readonly<Record<string, number>>): Promise<void>;
}

/** Whether the server closes the connection after it; nothing may follow then. */
function closes(text: string): boolean {
  return /HTTP\/1\.0\r\n|^Connection: close\r\n/m.test(text);
}

/** Answers with the lines of each head sorted: their order says nothing. */
function inOneOrder(answers: string): string {
  return answers.replace(/(HTTP\/1\.1 \d{3} .*\r\n)((?:.+\r\n)*)\r\n/g, (_head, status: string, lines: string) => {
    const sorted = lines
      .split('\r\n')
      .filter((line) => line !== '')
      .toSorted();
    return `${status}${sorted.join('\r\n')}\r\n\r\n`;
  });
}

export async function openTwoWays(settings: Partial<ApiConfig> = {}): Promise<TwoWays> {
  const test = await openTestApi({ settings });
  // A prefix of its own: each counts requests alone, and the counts are compared.
  const config = { ...test.settings, redisPrefix: `${test.settings.redisPrefix}-koa` };
  const koa = createApp({ ...test.api.ctx, config });
  const supervised = createHttpServer((request, response) => void koa.handle(request, response), config);
  const { server } = supervised;
  const koaPort = await listenOnFreePort(server);
  const fastPathPort = Number(new URL(test.origin).port);
  const served = (): number => test.api.fastPath.served();
  return {
    test,
    async send(text) {
      const before = served();
      const [fastPath, long] = await Promise.all(
        [fastPathPort, koaPort].map(async (port) =>
          inOneOrder(withoutMoment(await overTheWire(port, closes(text) ? text : text + LAST))),
        ),
      );
      return { fastPath: fastPath ?? '', koa: long ?? '', served: served() - before };
    },
    async publish(weights) {
      const operators = Object.entries(weights).map(([codename, weight]) => {
        const counts = { input: 100, output: 50 + weight, cache_read: 1_000, cache_write: 10 };
        const usage = [{ asOf: test.now, ledger: 'ledger-1', platform: 'editor', epoch: 0, counts }];
        return { codename, displayName: `The ${codename}`, usage };
      });
      await test.ranking.operators.import(operators);
      if (!(await test.ranking.rebuildBoard())) throw new Error('the board could not be rebuilt');
      await test.publish();
    },
    async [Symbol.asyncDispose]() {
      await closeHttpServer(supervised, koa);
      await koa.close();
      await test[Symbol.asyncDispose]();
    },
  };
}
