import type { BoardKeys } from './keys.ts';

/** Collects keys in the order given, at most `capacity`. */
export function keyCollector(capacity: number) {
  const yields = new Float64Array(capacity);
  const operators = new Uint32Array(capacity);
  let length = 0;
  return {
    add(y: number, operator: number): void {
      yields[length] = y;
      operators[length] = operator;
      length++;
    },
    /** What was added, in memory that the collector does not use any more. */
    keys: (): BoardKeys => ({ yields: yields.subarray(0, length), operators: operators.subarray(0, length) }),
  };
}
