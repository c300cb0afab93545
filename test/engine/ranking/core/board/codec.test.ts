import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  decodeDirectory,
  decodeOperatorPage,
  decodeOrderPage,
  decodeSegment,
  encodeDirectory,
  encodeOperatorPage,
  encodeOrderPage,
  encodeSegment,
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
const segment = fc.integer({ min: 0, max: 9 }).chain((length) =>
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
      pageEntries: fc.constant(entries),
      count: fc.constant(count),
      firstYields: float64s(pages),
      firstOperators: uint32s(pages),
      lastYields: float64s(pages),
    });
  });

interface Codec<Part> {
  readonly name: string;
  readonly parts: fc.Arbitrary<Part>;
  readonly encode: (part: Part) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => Part;
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

describeCodec({ name: 'order page', parts: orderPage, encode: encodeOrderPage, decode: decodeOrderPage });
describeCodec({ name: 'operator page', parts: operatorPage, encode: encodeOperatorPage, decode: decodeOperatorPage });
describeCodec({ name: 'directory', parts: directory, encode: encodeDirectory, decode: decodeDirectory });
describeCodec({ name: 'segment', parts: segment, encode: encodeSegment, decode: decodeSegment });

describe('stored parts', () => {
  it('are little-endian, Yields before operators', () => {
    const page: OrderPage = { yields: Float64Array.of(1), operators: Uint32Array.of(0x01020304) };
    expect([...encodeOrderPage(page)]).to.deep.equal([0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 4, 3, 2, 1]);
  });

  it('encode pages that share memory with a larger array', () => {
    const yields = Float64Array.of(9, 8, 7).subarray(1, 2);
    const operators = Uint32Array.of(1, 2, 3).subarray(1, 2);
    expect(decodeOrderPage(encodeOrderPage({ yields, operators }))).to.deep.equal({
      yields: Float64Array.of(8),
      operators: Uint32Array.of(2),
    });
  });

  it('are rejected when empty', () => {
    expect(() => decodeOrderPage(new Uint8Array(0))).to.throw('order page');
    expect(() => decodeOperatorPage(new Uint8Array(0))).to.throw('operator page');
    expect(() => decodeDirectory(new Uint8Array(0))).to.throw('directory');
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
      const bytes = encodeDirectory({ ...empty, pageEntries, count });
      expect(() => decodeDirectory(bytes), `${count} of ${pageEntries}`).to.throw('directory');
    }
  });
});
