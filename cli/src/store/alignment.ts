/** Sections of the file start at multiples of this, so that typed arrays can view them without a copy. In bytes. */
export const ALIGNMENT = 8;

/** The number of bytes to the next multiple. */
export function paddingAfter(size: number): number {
  return (ALIGNMENT - (size % ALIGNMENT)) % ALIGNMENT;
}

/** The bytes, padded with zeros to the next multiple. */
export function padded(part: Buffer): Buffer {
  const padding = paddingAfter(part.length);
  return padding === 0 ? part : Buffer.concat([part, Buffer.alloc(padding)]);
}
