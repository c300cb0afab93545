import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Steps } from './core/board/index.ts';

/**
 * Does work step by step, a turn of the event loop each: folds, which share the loop with it, wait for one step at most. How
 * long one is grows with the field, for steps go over a window, or a layer of an overlay, at once.
 */
export async function runCooperatively<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await yieldToOthers();
  }
}
