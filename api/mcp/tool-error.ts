/**
 * A call with invalid arguments. The text is for the calling model: the error, and what to call instead. It contains no
 * text from users except codenames and platforms, whose characters are restricted.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
