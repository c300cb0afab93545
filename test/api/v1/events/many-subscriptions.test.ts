import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { z } from 'zod';
import { childProgram } from '../../../support/child-programs.ts';
import type { Asked } from '../../../support/children/subscriptions-child.ts';
import { eventually } from '../../../support/eventually.ts';
import { runsOf } from '../../../support/long-run.ts';
import { requestText } from '../../../support/wire.ts';

/** As many as one process takes; few in `npm test`, where no figure is compared. */
const SUBSCRIPTIONS = runsOf(100, 5_000, 'EVENT_SUBSCRIPTIONS');
const IS_MEASURED = SUBSCRIPTIONS >= 5_000;
const FRAMES = IS_MEASURED ? 9 : 2;
const READS = IS_MEASURED ? 500 : 20;
const READ_EVERY_MS = 10;
const FRAME_MS = 1_000;
const BOARD = requestText('GET', '/api/v1/leaderboard?limit=10', ['Host', 'upsilon.test']);

const Answer = z.object({
  id: z.number(),
  port: z.number().optional(),
  cpu: z.number().optional(),
  heap: z.number().optional(),
  rss: z.number().optional(),
});

/** A server in a process of its own. */
async function serve(kind: 'api' | 'bare') {
  const child: ChildProcess = fork(await childProgram('subscriptions'), [kind], { execArgv: ['--expose-gc'] });
  const waiting = new Map<number, (answer: z.output<typeof Answer>) => void>();
  let asked = 0;
  const ready = new Promise<z.output<typeof Answer>>((resolve) => waiting.set(0, resolve));
  child.on('message', (message) => {
    const answer = Answer.parse(message);
    waiting.get(answer.id)?.(answer);
  });
  const { port = 0 } = await ready;
  const ask = (what: Asked['what'], bytes?: string): Promise<z.output<typeof Answer>> => {
    asked += 1;
    const answered = new Promise<z.output<typeof Answer>>((resolve) => waiting.set(asked, resolve));
    child.send({ id: asked, what, bytes });
    return answered;
  };
  return {
    port,
    ask,
    async close(): Promise<void> {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

type Served = Awaited<ReturnType<typeof serve>>;

/** Subscribers, each from another address of this machine, that count what they receive. */
async function subscribeAll(port: number, count: number) {
  const sockets: Socket[] = [];
  let [received, last] = [0, ''];
  for (let from = 0; from < count; from += 250) {
    const opened = Array.from({ length: Math.min(250, count - from) }, async (_, index) => {
      const number = from + index + 2;
      const localAddress = `127.${1 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      sockets.push(socket);
      socket.write(requestText('GET', '/api/v1/events', ['Host', 'upsilon.test']));
      await once(socket, 'data');
      socket.on('data', (bytes) => {
        received += bytes.length;
        if (socket === sockets[0]) last += bytes.toString('utf8');
      });
    });
    await Promise.all(opened);
  }
  return {
    received: () => received,
    /** What one of them received since it was last asked for. */
    taken(): string {
      const text = last;
      last = '';
      return text;
    },
    close: () => sockets.forEach((socket) => socket.destroy()),
  };
}

/** Looks at 20 ms between them after which nothing more is expected to arrive. */
const QUIET_LOOKS = 20;

/** Waits until nothing more arrives. */
async function settled(received: () => number): Promise<void> {
  let [before, quiet] = [-1, 0];
  await eventually('quiet', () => {
    quiet = received() === before ? quiet + 1 : 0;
    before = received();
    return quiet >= QUIET_LOOKS;
  });
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Has a server write frames; returns the median of the processor time of one, in microseconds. */
async function timeFrames(served: Served, frame: string, received: (() => number) | null): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < FRAMES; index += 1) {
    await served.ask('change');
    const { cpu: before = 0 } = await served.ask('cpu');
    const sofar = received?.();
    await served.ask('frame', frame);
    if (received !== null) {
      await eventually('the frame', () => received() !== sofar);
      await settled(received);
    }
    const { cpu: after = 0 } = await served.ask('cpu');
    times.push(after - before);
  }
  return median(times);
}

/** Memory of a subscription in bytes, and the processor time of a frame beyond that of its version, in microseconds. */
async function measure(served: Served, frame: string, readsBoard: boolean) {
  const alone = await timeFrames(served, frame, null);
  const before = await served.ask('memory');
  const all = await subscribeAll(served.port, SUBSCRIPTIONS);
  try {
    await settled(all.received);
    const held = await served.ask('memory');
    all.taken();
    const started = all.received();
    const cpu = (await timeFrames(served, frame, all.received)) - alone;
    const bytes = (all.received() - started) / SUBSCRIPTIONS;
    const text = all.taken();
    expect(bytes, 'bytes for each').to.be.closeTo(Buffer.byteLength(text), FRAMES * 16);
    const per = (kind: 'heap' | 'rss'): number => Math.round((held[kind]! - before[kind]!) / SUBSCRIPTIONS);
    const p99 = readsBoard ? await slowest(served) : null;
    return { figures: { heap: per('heap'), rss: per('rss'), cpu, p99 }, text };
  } finally {
    all.close();
  }
}

/** The 99th percentile of the time of a read of the board, in milliseconds, while there is a version a second. */
async function slowest({ port, ask }: Served): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  const times: number[] = [];
  const done = new AbortController();
  const busy = (async () => {
    while (!done.signal.aborted) {
      await ask('change');
      await ask('frame');
      await pause(FRAME_MS);
    }
  })();
  for (let read = 0; read < READS; read += 1) {
    const started = performance.now();
    socket.write(BOARD);
    await once(socket, 'data');
    times.push(performance.now() - started);
    await pause(READ_EVERY_MS);
  }
  done.abort();
  await busy;
  socket.destroy();
  return Math.round(times.toSorted((a, b) => a - b)[Math.floor(READS * 0.99)]! * 100) / 100;
}

describe('many subscriptions', () => {
  it(`of ${SUBSCRIPTIONS} addresses get each frame, and take little more memory than with node:http`, async () => {
    const [api, bare] = [await serve('api'), await serve('bare')];
    try {
      const p99 = await slowest(api);
      const { figures: ours, text } = await measure(api, '', true);
      const frame = /id: [^]*?\n\n/.exec(text)?.[0] ?? '';
      expect(frame).to.include('event: change');
      const { figures: theirs } = await measure(bare, frame, false);
      const ratios = { heap: ours.heap / theirs.heap, rss: ours.rss / theirs.rss, cpu: ours.cpu / theirs.cpu };
      const shown = JSON.stringify({ frame: frame.length, ours, theirs, ratios, p99: [p99, ours.p99] });
      process.stdout.write(`\n  ${SUBSCRIPTIONS} subscriptions: ${shown}\n`);
      if (!IS_MEASURED) return;
      // The others are printed only: Koa's context and the headers stay on the heap, and times depend on what else the machine does.
      expect(ratios.rss).to.be.at.most(1.5);
    } finally {
      await api.close();
      await bare.close();
    }
  });
});
