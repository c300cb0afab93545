/**
 * A call that cannot be answered as it was made. The text is for the model that made it: what is wrong, and what to call
 * instead. Nothing in it was written by anybody but this service, except codenames and platforms, which are plain words.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
