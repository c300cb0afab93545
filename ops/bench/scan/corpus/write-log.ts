import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Four accumulated counts. */
export type Totals = Record<'input' | 'output' | 'cache_read' | 'cache_write', number>;

/** Counts and size of a written session. */
export interface SessionResult {
  readonly totals: Totals;
  readonly bytes: number;
  readonly files: number;
}

export function zeroTotals(): Totals {
  return { input: 0, output: 0, cache_read: 0, cache_write: 0 };
}

export function addTotals(target: Totals, more: Readonly<Totals>): void {
  target.input += more.input;
  target.output += more.output;
  target.cache_read += more.cache_read;
  target.cache_write += more.cache_write;
}

/** Writes a log of one JSON line per record. Returns its bytes. */
export async function writeLog(path: string, records: readonly object[]): Promise<number> {
  const text = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return text.length;
}
