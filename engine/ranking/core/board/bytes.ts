/** Bytes of one stored Yield and of one stored sequence number or rank. */
export const FLOAT64_BYTES = Float64Array.BYTES_PER_ELEMENT;
export const UINT32_BYTES = Uint32Array.BYTES_PER_ELEMENT;

// Stored parts are little-endian and are copied to and from memory as they are, and sorting reads the low word of a
// double first. A host with the other byte order would corrupt boards silently; it is refused where this is loaded.
if (new Uint8Array(Uint16Array.of(1).buffer)[0] !== 1) throw new Error('boards need a little-endian host');

/** The bit patterns of doubles as two words each, the low word first. Shares the memory of `values`. */
export function wordsOf(values: Float64Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
}

/** One array after the other, little-endian, in bytes of their own. */
export function concatBytes(arrays: ReadonlyArray<Float64Array | Uint32Array>): Uint8Array {
  let length = 0;
  for (const array of arrays) length += array.byteLength;
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const array of arrays) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), offset);
    offset += array.byteLength;
  }
  return bytes;
}

/** `length` doubles from `bytes` at `offset`, copied to aligned memory: stored bytes may begin at any address. */
export function readFloat64s(bytes: Uint8Array, offset: number, length: number): Float64Array {
  const values = new Float64Array(length);
  new Uint8Array(values.buffer).set(bytes.subarray(offset, offset + length * FLOAT64_BYTES));
  return values;
}

/** `length` unsigned 32-bit integers from `bytes` at `offset`, copied to aligned memory. */
export function readUint32s(bytes: Uint8Array, offset: number, length: number): Uint32Array {
  const values = new Uint32Array(length);
  new Uint8Array(values.buffer).set(bytes.subarray(offset, offset + length * UINT32_BYTES));
  return values;
}
