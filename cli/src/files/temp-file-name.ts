/**
 * A name for a file that is there for a moment: no other run uses it at the same time. It guards nothing, for files are
 * made exclusively; so it need not come from the system's random numbers, which take a while to load.
 */
export function tempFileName(): string {
  return `${process.pid.toString(36)}${Date.now().toString(36)}${Math.random().toString(36).slice(2)}`;
}
