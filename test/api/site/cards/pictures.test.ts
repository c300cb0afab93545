import { expect } from 'chai';
import { createPictures } from '../../../../api/site/cards/pictures.ts';
import { HOUR_MS, MINUTE_MS } from '../../../../config/units.ts';
import { createLogger } from '../../../../ops/runtime/telemetry/index.ts';
import { pixelsOf } from '../../../support/read-png.ts';

const log = createLogger({ name: 'pictures-test', logLevel: 'silent' });

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="315"><rect width="600" height="315" fill="#075f74"/></svg>';

/** A program of the thread, from its source. */
const program = (source: string): URL => new URL(`data:text/javascript,${encodeURIComponent(source)}`);
const LISTENS = 'import { parentPort } from "node:worker_threads"; parentPort.on("message", ';

describe('pictures of cards', () => {
  let now = 0;
  let drawn = 0;
  const open = (of?: URL, withinMs?: number) => createPictures({ clock: () => now, log }, of, withinMs);
  const draw = (svg = SVG) => {
    return async (): Promise<string> => {
      drawn += 1;
      return svg;
    };
  };

  beforeEach(() => {
    now = Date.UTC(2026, 4, 4);
    drawn = 0;
  });

  it('are PNGs of 1200 by 630 pixels', async () => {
    const pictures = open();
    const { identity, mediaType } = (await pictures.of(['a'], draw()))!;
    expect(mediaType).to.equal('image/png');
    const { width, height, pixels } = pixelsOf(identity);
    expect([width, height]).to.deep.equal([1_200, 630]);
    expect([...pixels.subarray(0, 4)]).to.deep.equal([0x07, 0x5f, 0x74, 0xff]);
    await pictures.close();
  });

  it('are drawn once an hour for what they show, however many ask at once', async () => {
    const pictures = open();
    const all = await Promise.all(Array.from({ length: 40 }, () => pictures.of(['a'], draw())));
    expect(new Set(all).size).to.equal(1);
    now += HOUR_MS - 1;
    await pictures.of(['a'], draw());
    expect(drawn).to.equal(1);
    await pictures.of(['a', 'new name'], draw());
    expect(drawn).to.equal(2);
    now += 2;
    await pictures.of(['a'], draw());
    expect(drawn).to.equal(3);
    await pictures.close();
  });

  it('are not made while sixteen wait', async () => {
    const pictures = open(program(`${LISTENS}() => undefined)`));
    const waiting = Array.from({ length: 16 }, (_, index) => pictures.of([index], draw()));
    expect(await pictures.of(['one more'], draw())).to.equal(null);
    expect(drawn).to.equal(16);
    await pictures.close();
    expect(await Promise.all(waiting)).to.deep.equal(Array.from({ length: 16 }, () => null));
  });

  it('have their time each, however many wait before them', async () => {
    // Longer than a thread takes to start on a busy machine.
    const withinMs = 4_000;
    const rest = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${withinMs / 4})`;
    const pictures = open(
      program(`${LISTENS}() => { ${rest}; parentPort.postMessage(Buffer.from("png")); })`),
      withinMs,
    );
    const all = Array.from({ length: 5 }, (_, index) => pictures.of([index], draw()));
    expect((await Promise.all(all)).map((each) => each?.mediaType)).to.deep.equal(all.map(() => 'image/png'));
    await pictures.close();
  });

  it('are given up when the thread draws none in its time', async () => {
    const pictures = open(program(`${LISTENS}() => undefined)`), 50);
    expect(await Promise.all([pictures.of(['a'], draw()), pictures.of(['b'], draw())])).to.deep.equal([null, null]);
    await pictures.close();
  });

  it('are not made without the library, which is looked for again after a minute', async () => {
    const pictures = open(program('import "no-such-library"'));
    expect(await pictures.of(['a'], draw())).to.equal(null);
    now += MINUTE_MS - 1;
    expect(await pictures.of(['a'], draw())).to.equal(null);
    expect(drawn, 'while the thread rests').to.equal(1);
    now += 1;
    expect(await pictures.of(['a'], draw())).to.equal(null);
    expect(drawn).to.equal(2);
    await pictures.close();
  });

  it('that cannot be drawn spoil no other', async () => {
    const pictures = open();
    const [broken, whole] = await Promise.all([pictures.of(['a'], draw('<svg')), pictures.of(['b'], draw())]);
    expect(broken).to.equal(null);
    expect(whole).to.not.equal(null);
    await pictures.close();
  });

  it('that fail while they are read are tried again', async () => {
    const pictures = open();
    // More than wait at once: each gives its place back.
    for (let tries = 0; tries < 20; tries += 1) {
      const failing = pictures.of(['a'], () => Promise.reject(new Error('the store is away')));
      const outcome = await failing.then(
        () => 'drawn',
        (error: Error) => error.message,
      );
      expect(outcome).to.equal('the store is away');
    }
    expect(await pictures.of(['a'], draw())).to.not.equal(null);
    await pictures.close();
  });

  it('are drawn in a thread without the settings of the process', async () => {
    const pictures = open(program(`${LISTENS}() => parentPort.postMessage(Buffer.from(JSON.stringify(process.env))))`));
    expect((await pictures.of(['a'], draw()))?.identity.toString('utf8')).to.equal('{}');
    await pictures.close();
  });
});
