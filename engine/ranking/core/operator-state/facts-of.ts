import type { OperatorState, UsageFact } from './operator-state.ts';

/** The marks of a standing as facts: folding these gives these marks again. */
export function factsOf({ streams }: OperatorState): UsageFact[] {
  return streams.flatMap(({ ledger, platform, epoch, series: { hours, counts } }) => {
    // A stream that has used nothing has no mark, but its epoch counts.
    const steps = hours.length === 0 ? [0] : [...hours];
    return steps.map((hour, step): UsageFact => {
      const [input = 0, output = 0, cache_read = 0, cache_write = 0] = counts.subarray(step * 4, step * 4 + 4);
      return { ledger, platform, epoch, hour, counts: { input, output, cache_read, cache_write } };
    });
  });
}
