/** Work that yields between steps of a few milliseconds, so that its caller can release the event loop; returns its result. */
export type Cooperative<Result> = Generator<undefined, Result, undefined>;

/** Runs the remaining steps without a pause. */
export function runToCompletion<Result>(work: Cooperative<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
