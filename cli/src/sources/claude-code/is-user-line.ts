const MESSAGE = '"message":';
const USER_MESSAGE = `${MESSAGE}{"role":"user"`;

/** The message begins within so many bytes; where it does not, the line is looked at whole. */
const HEAD_BYTES = 512;

/**
 * Whether a line holds what a user or a tool said, by how it begins. That tells of no usage, and makes up most of a log:
 * knowing it early spares looking through it.
 */
export function isUserLine(line: Buffer): boolean {
  if (line.length <= HEAD_BYTES) return false;
  const head = line.toString('latin1', 0, HEAD_BYTES);
  // The first object within the line's own: no text and no other object can look like it.
  const message = head.indexOf('{', 1) - MESSAGE.length;
  return message > 0 && head.startsWith(USER_MESSAGE, message);
}
