/** A command that cannot go on: what is wrong and what to do next, in words for people. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly next: string;

  constructor(problem: string, next: string, options?: ErrorOptions) {
    super(problem, options);
    this.next = next;
  }
}
