import { expect } from 'chai';
import * as fc from 'fast-check';
import { applySamples, emptyState, type Stream } from '../../../../engine/ranking/core/operator-state/index.ts';
import { NO_RECEIPTS } from '../../../../engine/ranking/core/operator-state/receipts.ts';
import { doublesOf, toBinary } from '../../../../engine/ranking/storage/binary.ts';
import {
  decodeState,
  decodeStreams,
  encodeState,
  encodeStreams,
  fieldsToWrite,
  type StoredState,
} from '../../../../engine/ranking/storage/operator-codec.ts';

const count = fc.oneof(fc.maxSafeNat(), fc.double({ min: 0, max: Number.MAX_SAFE_INTEGER, noNaN: true }));
const stream: fc.Arbitrary<Stream> = fc
  .record({
    ledger: fc.oneof(fc.stringMatching(/^[A-Za-z0-9_-]{8,64}$/), fc.string({ maxLength: 40, unit: 'grapheme' })),
    platform: fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,31}$/),
    epoch: fc.nat(1_000),
    steps: fc.array(fc.tuple(fc.nat(0xffff_ffff), count, count, count, count), { maxLength: 5 }),
    received: fc.array(fc.tuple(fc.nat(0xffff_ffff), fc.nat(1_000), count, count, count, count), { maxLength: 5 }),
  })
  .filter(({ ledger }) => Buffer.byteLength(ledger) <= 255)
  .map(({ steps, received, ...names }) => ({
    ...names,
    provenance: null,
    series: {
      hours: Uint32Array.from(steps, ([hour]) => hour),
      counts: Float64Array.from(steps.flatMap(([, ...counts]) => counts)),
    },
    receipts: {
      keys: Uint32Array.from(received, ([key]) => key),
      epochs: Uint16Array.from(received, ([, epoch]) => epoch),
      counts: Float64Array.from(received.flatMap(([, , ...counts]) => counts)),
    },
  }));
const streams = fc.array(stream, { maxLength: 4 });

/** The bytes at an odd offset of a larger buffer, as in a reply of the database. */
function unaligned(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.of(0), bytes, Buffer.of(0)]).subarray(1, 1 + bytes.length);
}

function pick(from: StoredState, fields: readonly (keyof StoredState)[]): Partial<StoredState> {
  return Object.fromEntries(fields.map((field) => [field, from[field]]));
}

describe('the state codec', () => {
  const names = { ledger: 'ledger-one', epoch: 0, hour: 500_000 };
  const counts = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
  const provenance = {
    counting: 'derived',
    version: 100_020_003,
  } as const;
  const { operatorState } = applySamples(
    emptyState(500_000),
    [
      { ...names, platform: 'codex', counts },
      { ...names, platform: 'claude-code', counts, provenance },
    ],
    500_000,
  );

  it('round-trips a state whose streams have a provenance or none', () => {
    expect(operatorState.streams.map((one) => one.provenance)).to.deep.equal([provenance, null]);
    expect(decodeState(encodeState(operatorState))).to.deep.equal(operatorState);
  });

  it('refuses totals of other windows', () => {
    const stored = encodeState(operatorState);
    const shorter = { ...stored, totals: toBinary(doublesOf(stored.totals).slice(4)) };
    expect(() => decodeState(shorter)).to.throw('not those of the windows');
    const split = { ...stored, platform_totals: toBinary(doublesOf(stored.platform_totals).slice(4)) };
    expect(() => decodeState(split)).to.throw('not those of the windows');
  });

  const ALWAYS = ['totals', 'streams'];
  const SPLIT = 'platform_totals';
  const receipt = 41_667;
  const more = { input: 5, output: 6, cache_read: 7, cache_write: 8 };
  for (const [what, sample, hour, fields] of [
    ['a sample', { ...names, platform: 'claude-code', counts: more }, 500_000, [SPLIT]],
    ['a later sample', { ...names, hour: 500_001, platform: 'claude-code', counts: more }, 500_001, ['hour', SPLIT]],
    [
      'a week',
      { ...names, hour: 500_169, platform: 'claude-code', counts: more },
      500_169,
      ['hour', 'next_due', SPLIT],
    ],
    ['another platform', { ...names, platform: 'codex', counts: more }, 500_000, ['platforms', SPLIT]],
    ['a provenance', { ...names, platform: 'codex', counts, provenance }, 500_000, ['provenance']],
    ['a witnessed day', { ...names, platform: 'codex', counts, receipt }, 500_000, ['witnessed']],
  ] as const) {
    it(`writes what ${what} changes, and what is packed`, () => {
      const { operatorState: changed } = applySamples(operatorState, [sample], hour);
      const next = encodeState(changed);
      const written = fieldsToWrite([{ held: operatorState, next }]);
      expect(written).to.have.members([...ALWAYS, ...fields]);
      expect({ ...encodeState(operatorState), ...pick(next, written) }).to.deep.equal(next);
    });
  }

  it('writes what one of several records changes, and all of a state that is not known', () => {
    const next = encodeState(operatorState);
    const unchanged = { held: operatorState, next };
    expect(fieldsToWrite([unchanged])).to.have.members(ALWAYS);
    expect(fieldsToWrite([unchanged, { held: { ...operatorState, hour: 1 }, next }])).to.have.members([
      ...ALWAYS,
      'hour',
    ]);
    expect(fieldsToWrite([unchanged, { held: null, next }])).to.have.members(Object.keys(next));
  });
});

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
    const named = {
      ledger: 'l'.repeat(256),
      platform: 'sample',
      epoch: 0,
      series,
      provenance: null,
      receipts: NO_RECEIPTS,
    };
    expect(() => encodeStreams([named])).to.throw(RangeError);
  });
});
