/** A command failed: the message is the problem, `next` the remedy, both for people. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly next: string;

  constructor(problem: string, next: string, options?: ErrorOptions) {
    super(problem, options);
    this.next = next;
  }
}
