/** Up to this many elements a loop costs less than creating a view for one block copy (measured). */
const LOOPED_ELEMENTS = 32;

/** Copies the elements [start, end) of `source` into `target` at `to`. */
export function copyRange<Elements extends Float64Array | Uint32Array>(
  source: Elements,
  start: number,
  end: number,
  target: Elements,
  to: number,
): void {
  if (end - start > LOOPED_ELEMENTS) {
    target.set(source.subarray(start, end), to);
    return;
  }
  for (let at = start; at < end; at++) target[to + at - start] = source[at]!;
}
