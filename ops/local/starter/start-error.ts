/** Nothing was started. The message is for people. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
