/**
 * A 32-bit checksum over bytes, a word at a time: each step can be undone, so that a change of any one word always shows,
 * and any other change but for one in four thousand million. (The system's own CRC would load its compression library.)
 * `before` is the checksum of what came before, whose length is a multiple of four bytes.
 */
export function checksumOf(bytes: Uint8Array, before = 0): number {
  // Signed, as the engine keeps such numbers without making an object of each.
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
