const MESSAGE = '"message":';
const USER_MESSAGE = `${MESSAGE}{"role":"user"`;

/** The message begins within so many bytes; otherwise the caller searches the whole line. */
const HEAD_BYTES = 512;

/**
 * Whether a line is a message of a user or a tool, by its beginning. Such lines contain no usage and are most of a log:
 * recognizing them early avoids searching them.
 */
export function isUserLine(line: Buffer): boolean {
  if (line.length <= HEAD_BYTES) return false;
  const head = line.toString('latin1', 0, HEAD_BYTES);
  // The first nested object of the line: text or another object cannot be mistaken for it.
  const message = head.indexOf('{', 1) - MESSAGE.length;
  return message > 0 && head.startsWith(USER_MESSAGE, message);
}
