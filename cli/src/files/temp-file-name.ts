/**
 * A name for a temporary file that no concurrent run uses. Not a secret: files are created exclusively, so it does not need
 * `node:crypto`, which is slow to load.
 */
export function tempFileName(): string {
  return `${process.pid.toString(36)}${Date.now().toString(36)}${Math.random().toString(36).slice(2)}`;
}
