import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** How long a step may go unnoticed, in milliseconds. */
const LOOK_EVERY_MS = 20;

/** The system's clock and so many milliseconds, as a file says them; the file is looked at again and again. */
export function followSteps(file: string): () => number {
  const read = (): number => Number(readFileSync(file, 'utf8'));
  let offsetMs = read();
  setInterval(() => {
    offsetMs = read();
  }, LOOK_EVERY_MS).unref();
  return () => Date.now() + offsetMs;
}

/** Says by how much the clocks that follow a file are off, in milliseconds; readers see the old file whole or the new one. */
export function stepTo(file: string, offsetMs: number): void {
  const draft = `${file}.draft`;
  writeFileSync(draft, String(offsetMs));
  renameSync(draft, file);
}
