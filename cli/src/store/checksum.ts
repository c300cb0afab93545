/**
 * A 32-bit checksum, one word at a time. Each step is invertible, so a change of a single word is always detected; other
 * changes are missed with probability 2^-32. (Node's CRC would load its compression library.) `before` is the checksum of
 * the preceding bytes, whose length is a multiple of four.
 */
export function checksumOf(bytes: Uint8Array, before = 0): number {
  // Signed: V8 stores them without allocating a heap number for each.
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.byteLength / 4));
  let sum = before;
  for (let index = 0; index < words.length; index += 1) {
    sum = Math.imul(sum ^ words[index]!, 0x9e3779b1);
    sum ^= sum >>> 15;
  }
  for (let index = words.length * 4; index < bytes.byteLength; index += 1) {
    sum = Math.imul(sum ^ bytes[index]!, 0x9e3779b1);
    sum ^= sum >>> 15;
  }
  return sum >>> 0;
}
