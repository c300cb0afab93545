import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { HOUR_MS, MIB, MINUTE_MS } from '../../../config/units.ts';
import type { ApiContext } from '../../context/api-context.ts';
import { type Representation, represent } from '../../http/representation.ts';
import { FONT_FILES } from './font.ts';

const PROGRAM = new URL('draw-worker.mjs', import.meta.url);
const OPTIONS = { fitTo: { mode: 'width', value: 1_200 }, font: { fontFiles: FONT_FILES, loadSystemFonts: false } };

/** Pictures that are drawn or wait at once, and bytes of the kept ones: about 500. */
const MAX_WAITING = 16;
const KEPT_BYTES = 32 * MIB;

/** Time after which the thread is ended that draws no picture, and until another one is started: the library may be missing. */
const DRAWN_WITHIN_MS = 10_000;
const REST_MS = MINUTE_MS;

type MakeSvg = () => Promise<string>;

/** Draws cards as PNG, in one worker thread that the first one starts, and keeps each for an hour. */
export function createPictures(
  { clock, log }: Pick<ApiContext, 'clock' | 'log'>,
  program: URL = PROGRAM,
  drawnWithinMs = DRAWN_WITHIN_MS,
) {
  /** What waits for the thread, which draws in this order. */
  const waiting: ((png: Uint8Array | null) => void)[] = [];
  let open = 0;
  let worker: Worker | null = null;
  let restsUntil = 0;
  let late: NodeJS.Timeout | undefined;

  /** Gives the thread its time for the next picture; those behind it have not begun to wait for it. */
  function watch(): void {
    clearTimeout(late);
    if (waiting.length > 0) late = setTimeout(() => void worker?.terminate(), drawnWithinMs);
  }

  /** The thread gets no environment: secrets are there. */
  function start(): Worker {
    const started = new Worker(program, { workerData: OPTIONS, env: {}, execArgv: [] });
    started.unref();
    started.on('message', (png: Uint8Array | null) => {
      waiting.shift()?.(png);
      watch();
    });
    started.once('error', (err) => log.warn({ err }, 'cards cannot be drawn as PNG: the static picture is sent'));
    started.once('exit', () => {
      worker = null;
      restsUntil = clock() + REST_MS;
      for (const settle of waiting.splice(0)) settle(null);
      watch();
    });
    return started;
  }

  async function draw(makeSvg: MakeSvg): Promise<Representation | undefined> {
    if (open >= MAX_WAITING || clock() < restsUntil) return undefined;
    open += 1;
    try {
      const svg = await makeSvg();
      worker ??= start();
      worker.postMessage(svg);
      const drawn = new Promise<Uint8Array | null>((settle) => waiting.push(settle));
      if (waiting.length === 1) watch();
      const png = await drawn;
      return png === null ? undefined : represent(Buffer.from(png), 'image/png', false);
    } finally {
      open -= 1;
    }
  }

  const kept = new LRUCache<string, Representation, MakeSvg>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ identity }) => identity.length,
    ttl: HOUR_MS,
    perf: { now: clock },
    fetchMethod: (_key, _stale, { context }) => draw(context),
  });
  return {
    /**
     * The picture of what `key` says, its names among that: a new name is a new picture. Null when none can be had now: the queue is
     * full, or the library is missing.
     */
    of: async (key: readonly unknown[], makeSvg: MakeSvg): Promise<Representation | null> =>
      (await kept.fetch(JSON.stringify(key), { context: makeSvg })) ?? null,
    close: async () => void (await worker?.terminate()),
  };
}
