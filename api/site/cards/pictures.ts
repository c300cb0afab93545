import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { HOUR_MS, MIB, MINUTE_MS } from '../../../config/units.ts';
import type { ApiContext } from '../../context/api-context.ts';
import { type Representation, represent } from '../../http/representation.ts';
import { FONT_FILES } from './font.ts';

const PROGRAM = new URL('draw-worker.mjs', import.meta.url);

/** Pixels; cards are 1.91 times as wide as high. */
const PICTURE_WIDTH = 1_200;

/** Pictures that are drawn or wait at once. */
const MAX_WAITING = 16;

/** A picture is not drawn again for so long, in milliseconds. */
const KEPT_MS = HOUR_MS;

/** Bytes of all kept pictures: about a thousand. */
const KEPT_BYTES = 32 * MIB;

/** Time within which a picture is drawn, in milliseconds; then the worker thread is ended. */
const DRAWN_WITHIN_MS = 10_000;

/** No worker thread is started for so long after one ended, in milliseconds: the library may be missing. */
const REST_MS = MINUTE_MS;

type Context = Pick<ApiContext, 'clock' | 'log'>;

/**
 * Draws cards as PNG, in one worker thread that the first one starts, and keeps them. `key` says what a picture shows, its names among
 * that: a new name is a new picture. Null when none can be had now: the queue is full, or the library is missing.
 */
export function createPictures(context: Context, program: URL = PROGRAM) {
  const drawer = createDrawer(context, program);
  const kept = new LRUCache<string, Representation, () => Promise<string>>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ identity }) => identity.length,
    ttl: KEPT_MS,
    perf: { now: context.clock },
    async fetchMethod(_key, _stale, { context: makeSvg }) {
      const png = drawer.isReady() ? await drawer.draw(await makeSvg()) : null;
      return png === null ? undefined : represent(Buffer.from(png), 'image/png', false);
    },
  });
  return {
    of: async (key: string, makeSvg: () => Promise<string>): Promise<Representation | null> =>
      (await kept.fetch(key, { context: makeSvg })) ?? null,
    close: drawer.close,
  };
}

function createDrawer({ clock, log }: Context, program: URL) {
  const waiting = new Map<number, (png: Uint8Array | null) => void>();
  let worker: Worker | null = null;
  let restsUntil = 0;
  let lastId = 0;

  const isReady = (): boolean => waiting.size < MAX_WAITING && clock() >= restsUntil;

  function settle(id: number, png: Uint8Array | null): void {
    waiting.get(id)?.(png);
    waiting.delete(id);
  }

  /** The thread gets no environment: secrets are there. */
  function start(): Worker {
    const workerData = { fontFiles: FONT_FILES, width: PICTURE_WIDTH };
    const started = new Worker(program, { workerData, env: {}, execArgv: [] });
    started.unref();
    started.on('message', ({ id, png }) => settle(id, png));
    started.once('error', (err) => log.warn({ err }, 'cards cannot be drawn as PNG: the static picture is sent'));
    started.once('exit', () => {
      worker = null;
      restsUntil = clock() + REST_MS;
      for (const id of waiting.keys()) settle(id, null);
    });
    return started;
  }

  return {
    /** Whether `draw` would draw now. */
    isReady,
    async draw(svg: string): Promise<Uint8Array | null> {
      if (!isReady()) return null;
      worker ??= start();
      lastId += 1;
      const id = lastId;
      const drawn = new Promise<Uint8Array | null>((resolve) => waiting.set(id, resolve));
      worker.postMessage({ id, svg });
      const late = setTimeout(() => void worker?.terminate(), DRAWN_WITHIN_MS);
      return drawn.finally(() => clearTimeout(late));
    },
    async close(): Promise<void> {
      await worker?.terminate();
    },
  };
}
