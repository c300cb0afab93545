import { expect } from 'chai';
import * as fc from 'fast-check';
import { WINDOWS } from '../../../../../engine/contract/windows.ts';
import {
  decodeDirectories,
  decodeOperatorPage,
  decodeOrderPage,
  decodeRerankPart,
  decodeSegment,
  decodeTopEntries,
  encodeDirectories,
  encodeOperatorPage,
  encodeOrderPage,
  encodeRerankPart,
  encodeSegment,
  encodeTopEntriesHeader,
  ORDER_PAGE_ENTRIES,
  type OrderPage,
  WINDOW_COUNT,
} from '../../../../../engine/ranking/core/board/index.ts';
import { aYield } from './arbitraries.ts';

const anyNumber = fc.oneof(aYield, fc.constant(Number.NaN));
const anyUint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });

const float64s = (length: number) =>
  fc.array(anyNumber, { minLength: length, maxLength: length }).map((values) => Float64Array.from(values));
const uint32s = (length: number) =>
  fc.array(anyUint32, { minLength: length, maxLength: length }).map((values) => Uint32Array.from(values));

const orderPage = fc
  .integer({ min: 1, max: 9 })
  .chain((length) => fc.record({ yields: float64s(length), operators: uint32s(length) }));
const operatorPage = fc
  .integer({ min: 1, max: 9 })
  .chain((slots) => fc.record({ yields: float64s(slots * WINDOW_COUNT), ranks: uint32s(slots * WINDOW_COUNT) }));
const segments = fc.integer({ min: 0, max: 9 }).chain((length) =>
  fc.record({
    operators: uint32s(length),
    before: float64s(length * WINDOW_COUNT),
    after: float64s(length * WINDOW_COUNT),
  }),
);
const directory = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 30 }))
  .chain(([entries, count]) => {
    const pages = Math.ceil(count / entries);
    return fc.record({
      pageEntries: fc.constant(count === 0 ? ORDER_PAGE_ENTRIES : entries),
      count: fc.constant(count),
      firstYields: float64s(pages),
      firstOperators: uint32s(pages),
      lastYields: float64s(pages),
    });
  });
const directories = fc.array(directory, { minLength: WINDOW_COUNT, maxLength: WINDOW_COUNT });
const rerankPart = fc.integer({ min: 0, max: 9 }).chain((operators) => float64s(operators * WINDOW_COUNT));
const BOARD_KEY = `all:${WINDOWS.join(',')}`;
/** Of a part of all windows. */
const HEADER_BYTES = 13 + BOARD_KEY.length;

interface Codec<Part> {
  readonly name: string;
  readonly parts: fc.Arbitrary<Part>;
  readonly encode: (part: Part) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => Part;
}

/** The part under another board key. */
function withKey(part: Uint8Array, key: string): Uint8Array {
  return Buffer.concat([part.subarray(0, 12), Buffer.of(key.length), Buffer.from(key), part.subarray(HEADER_BYTES)]);
}

function describeCodec<Part>({ name, parts, encode, decode }: Codec<Part>): void {
  describe(`the stored ${name}`, () => {
    it('decodes to the encoded part, from bytes at any address', () => {
      fc.assert(
        fc.property(parts, fc.integer({ min: 0, max: 7 }), (part, shift) => {
          const bytes = encode(part);
          const shifted = new Uint8Array(bytes.length + shift).subarray(shift);
          shifted.set(bytes);
          const decoded = decode(shifted);
          expect(decoded).to.deep.equal(part);
          shifted.fill(0);
          expect(decoded).to.deep.equal(part);
        }),
      );
    });

    it('rejects truncated and over-long bytes, with the kind of part in the error', () => {
      fc.assert(
        fc.property(parts, fc.integer({ min: 1, max: 11 }), (part, bytes) => {
          const stored = encode(part);
          if (stored.length >= bytes) expect(() => decode(stored.subarray(0, -bytes))).to.throw(name);
          expect(() => decode(Uint8Array.from([...stored, ...new Uint8Array(bytes)]))).to.throw(name);
        }),
      );
    });
  });
}

describeCodec<OrderPage>({
  name: 'order page',
  parts: orderPage,
  encode: (page) => encodeOrderPage(page, 1),
  decode: (bytes) => decodeOrderPage(bytes, 1),
});
describeCodec({ name: 'operator page', parts: operatorPage, encode: encodeOperatorPage, decode: decodeOperatorPage });
describeCodec({ name: 'directory', parts: directories, encode: encodeDirectories, decode: decodeDirectories });
describeCodec({ name: 'segment', parts: segments, encode: encodeSegment, decode: decodeSegment });
describeCodec({ name: 'rerank part', parts: rerankPart, encode: encodeRerankPart, decode: decodeRerankPart });

describe('stored parts', () => {
  it('are little-endian, Yields before operators', () => {
    const page: OrderPage = { yields: Float64Array.of(1), operators: Uint32Array.of(0x01020304) };
    const header = [...Buffer.from('UPSB'), 1, 0, 1, 0, 1, 0, 0, 0, 6, ...Buffer.from('all:7d')];
    expect([...encodeOrderPage(page, 1)]).to.deep.equal([...header, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 4, 3, 2, 1]);
  });

  it('encode pages that share memory with a larger array', () => {
    const yields = Float64Array.of(9, 8, 7).subarray(1, 2);
    const operators = Uint32Array.of(1, 2, 3).subarray(1, 2);
    expect(decodeOrderPage(encodeOrderPage({ yields, operators }, 0), 0)).to.deep.equal({
      yields: Float64Array.of(8),
      operators: Uint32Array.of(2),
    });
  });

  it('are rejected when empty', () => {
    expect(() => decodeOrderPage(new Uint8Array(0), 0)).to.throw('order page');
    expect(() => decodeOperatorPage(new Uint8Array(0))).to.throw('operator page');
    expect(() => decodeDirectories(new Uint8Array(0))).to.throw('directory');
  });

  it('are rejected when a directory has a count that its pages cannot hold', () => {
    const empty = {
      firstYields: new Float64Array(0),
      firstOperators: new Uint32Array(0),
      lastYields: new Float64Array(0),
    };
    for (const [pageEntries, count] of [
      [2, 1],
      [0, 1],
      [0, 0],
      [Number.NaN, 0],
    ] as const) {
      const bytes = encodeDirectories(WINDOWS.map(() => ({ ...empty, pageEntries: 1, count: 1 })));
      bytes.set(new Uint8Array(Float64Array.of(pageEntries, count).buffer), HEADER_BYTES);
      expect(() => decodeDirectories(bytes), `${count} of ${pageEntries}`).to.throw('directory');
    }
  });

  it('cost nothing for a window without numbers', () => {
    const before = new Float64Array(2 * WINDOW_COUNT).fill(Number.NaN);
    const after = before.slice();
    after[WINDOW_COUNT + 2] = 7;
    const segment = { operators: Uint32Array.of(3, 9), before, after };
    const stored = encodeSegment(segment);
    expect(stored.length).to.equal(HEADER_BYTES + 2 * (4 + 2 * 8));
    expect(decodeSegment(stored)).to.deep.equal(segment);
    const ranks = new Uint32Array(9 * WINDOW_COUNT);
    const unranked = { yields: new Float64Array(9 * WINDOW_COUNT).fill(Number.NaN), ranks };
    expect(encodeOperatorPage(unranked).length).to.equal(HEADER_BYTES);
    expect(decodeOperatorPage(encodeOperatorPage(unranked))).to.deep.equal(unranked);
    const none = Array.from({ length: WINDOW_COUNT - 2 }, () => []);
    const windows = [['first'], ...none, ['second', 'third']];
    expect(decodeTopEntries(encodeTopEntriesHeader(windows), [['first'], ['second', 'third']])).to.deep.equal(windows);
  });

  it('are refused, by name, when they belong to another board, window, kind or format', () => {
    const page = encodeOrderPage({ yields: Float64Array.of(1), operators: Uint32Array.of(1) }, 1);
    expect(() => decodeOrderPage(page, 2)).to.throw('order page: stored for the board all:7d, not all:30d');
    expect(() => decodeSegment(page)).to.throw('segment: stored as order page');
    const segment = encodeSegment({
      operators: Uint32Array.of(1),
      before: new Float64Array(WINDOW_COUNT),
      after: new Float64Array(WINDOW_COUNT),
    });
    expect(() => decodeSegment(withKey(segment, `${BOARD_KEY},180d`))).to.throw(
      `segment: stored for the board ${BOARD_KEY},180d, not ${BOARD_KEY}`,
    );
    expect(() => decodeSegment(withKey(segment, BOARD_KEY.replace('all:', 'codex:')))).to.throw(
      'stored for the board codex:',
    );
    expect(() => decodeSegment(segment.with(4, 2))).to.throw('segment: stored in format 2, not 1');
    expect(() => decodeSegment(segment.with(6, 2 ** (WINDOW_COUNT + 1) - 1))).to.throw('segment: has windows that');
    expect(() =>
      decodeTopEntries(encodeTopEntriesHeader(WINDOWS.map((_, window) => (window === 0 ? [1] : []))), []),
    ).to.throw('top entries: has 0');
  });

  it('are refused without a header, whatever the number of their elements', () => {
    for (let count = 0; count <= 84; count++) {
      expect(() => decodeSegment(new Uint8Array(count * 68))).to.throw('have no header of a board part');
    }
  });
});
