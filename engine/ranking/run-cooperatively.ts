import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Cooperative } from './core/board/index.ts';

/**
 * Runs a generator with one turn of the event loop per step, so that batches in the same process wait for at most one step.
 * The length of a step grows with the population: a step covers a whole window, or a whole level of a delta.
 */
export async function runCooperatively<Result>(steps: Cooperative<Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await yieldToOthers();
  }
}
