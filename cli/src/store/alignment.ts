/** Sections of a file start at multiples of this, so that they can be read as typed arrays where they lie. */
export const ALIGNMENT = 8;

/** The bytes to the next multiple. */
export function paddingAfter(size: number): number {
  return (ALIGNMENT - (size % ALIGNMENT)) % ALIGNMENT;
}

/** Bytes up to the next multiple, zeros at their end. */
export function padded(part: Buffer): Buffer {
  const padding = paddingAfter(part.length);
  return padding === 0 ? part : Buffer.concat([part, Buffer.alloc(padding)]);
}
