import { createInterface } from 'node:readline/promises';
import type { Screen } from './screen.ts';

/** Asks at the terminal; false without one, so that a script never blocks. */
export async function isAgreed(question: string, screen: Screen): Promise<boolean> {
  if (screen.json || !process.stdin.isTTY || !process.stdout.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } catch {
    // End of input counts as no.
    return false;
  } finally {
    terminal.close();
  }
}
