import type { CommandContext } from './command-context.ts';

/** Least time between two progress lines, and before the first. */
const INTERVAL_MS = 5_000;

/** Returns a function that prints progress to standard error, at most every `INTERVAL_MS`. */
export function logProgress({ printError }: Pick<CommandContext, 'printError'>): (text: string) => void {
  let printedAt = performance.now();
  return (text) => {
    const now = performance.now();
    if (now - printedAt < INTERVAL_MS) return;
    printedAt = now;
    printError(`${text}\n`);
  };
}
