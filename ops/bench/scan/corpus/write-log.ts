import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a log of one JSON line per record. Returns its bytes. */
export async function writeLog(path: string, records: readonly object[]): Promise<number> {
  const text = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return text.length;
}
