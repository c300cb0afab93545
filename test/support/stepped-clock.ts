import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Time until a step takes effect, in milliseconds. */
const LOOK_EVERY_MS = 20;

/** The system's clock plus the offset in a file, in milliseconds; the file is polled. */
export function followSteps(file: string): () => number {
  const read = (): number => Number(readFileSync(file, 'utf8'));
  let offsetMs = read();
  setInterval(() => {
    offsetMs = read();
  }, LOOK_EVERY_MS).unref();
  return () => Date.now() + offsetMs;
}

/** Writes the offset of the clocks that follow a file, in milliseconds, atomically. */
export function stepTo(file: string, offsetMs: number): void {
  const draft = `${file}.draft`;
  writeFileSync(draft, String(offsetMs));
  renameSync(draft, file);
}
