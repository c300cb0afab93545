import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Stream } from '../../../../engine/ranking/core/operator-state/index.ts';
import { decodeStreams, encodeStreams } from '../../../../engine/ranking/storage/operator-codec.ts';

const count = fc.oneof(fc.maxSafeNat(), fc.double({ min: 0, max: Number.MAX_SAFE_INTEGER, noNaN: true }));
const stream: fc.Arbitrary<Stream> = fc
  .record({
    ledger: fc.oneof(fc.stringMatching(/^[A-Za-z0-9_-]{8,64}$/), fc.string({ maxLength: 40, unit: 'grapheme' })),
    platform: fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,31}$/),
    epoch: fc.nat(1_000),
    steps: fc.array(fc.tuple(fc.nat(0xffff_ffff), count, count, count, count), { maxLength: 5 }),
  })
  .filter(({ ledger }) => Buffer.byteLength(ledger) <= 255)
  .map(({ steps, ...names }) => ({
    ...names,
    series: {
      hours: Uint32Array.from(steps, ([hour]) => hour),
      counts: Float64Array.from(steps.flatMap(([, ...counts]) => counts)),
    },
  }));
const streams = fc.array(stream, { maxLength: 4 });

/** The bytes at an odd offset of a larger buffer, as in a reply of the database. */
function unaligned(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.of(0), bytes, Buffer.of(0)]).subarray(1, 1 + bytes.length);
}

describe('the stream codec', () => {
  it('round-trips streams', () => {
    fc.assert(
      fc.property(streams, (value) => {
        expect(decodeStreams(unaligned(encodeStreams(value)))).to.deep.equal(value);
      }),
    );
  });

  it('refuses truncated bytes, unless they end with a complete stream', () => {
    fc.assert(
      fc.property(streams, fc.nat(), (value, at) => {
        const bytes = encodeStreams(value);
        const cut = bytes.subarray(0, bytes.length === 0 ? 0 : at % bytes.length);
        const whole = value
          .map((_, index) => value.slice(0, index + 1))
          .find((some) => encodeStreams(some).length === cut.length);
        if (whole !== undefined || cut.length === 0) expect(decodeStreams(cut)).to.deep.equal(whole ?? []);
        else expect(() => decodeStreams(cut)).to.throw('damaged');
      }),
    );
  });

  it('refuses a name of more than 255 bytes', () => {
    const series = { hours: new Uint32Array(0), counts: new Float64Array(0) };
    const named = { ledger: 'l'.repeat(256), platform: 'sample', epoch: 0, series };
    expect(() => encodeStreams([named])).to.throw(RangeError);
  });
});
