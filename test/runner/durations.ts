import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const STORED = join(ROOT, '.data/test-durations.json');
const DURATIONS = z.record(z.string(), z.number());

/** Milliseconds of each test file's last run on this machine, by path relative to the project's folder. */
export function readDurations(): ReadonlyMap<string, number> {
  try {
    return new Map(Object.entries(DURATIONS.parse(JSON.parse(readFileSync(STORED, 'utf8')))));
  } catch {
    return new Map();
  }
}

/** Stores the durations of a run, by absolute path. They affect only the order and the selection of tests. */
export function addDurations(measured: ReadonlyMap<string, number>): void {
  const durations = new Map(readDurations());
  for (const [file, ms] of measured) durations.set(relative(ROOT, file), ms);
  mkdirSync(dirname(STORED), { recursive: true });
  writeFileSync(STORED, JSON.stringify(Object.fromEntries(durations), null, 1));
}
