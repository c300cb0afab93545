/** Work that can be left and taken up again between its steps; ends with its result. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Does all steps that are left, at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
