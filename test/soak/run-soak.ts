import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { MINUTE_MS, MS_PER_SECOND } from '../../config/units.ts';
import { commandLine, type Turn } from './plan-turns.ts';

const RESULT = z.strictObject({
  index: z.number(),
  /** The seed of the first turn; the seeds of all others derive from it. */
  firstSeed: z.number(),
  name: z.string(),
  /** What repeats the turn. */
  command: z.string(),
  startedAt: z.string(),
  seconds: z.number(),
  passed: z.boolean(),
});
type TurnResult = z.output<typeof RESULT>;

/** What a soak needs. */
export interface Soak {
  /** Keeps `turns.jsonl`, a line for each turn, and the output of each turn that failed. */
  readonly folder: string;
  readonly minutes: number;
  /** The first seed of a soak that does not continue another. */
  readonly newSeed: () => number;
  readonly plan: (index: number, firstSeed: number) => Turn;
  /** Runs a turn with its output in the file. Returns whether it passed. */
  readonly run: (turn: Turn, output: string) => Promise<boolean>;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly print: (line: string) => void;
}

/** Runs turns, after those that the folder records, until the time is up. Returns whether all of this run passed. */
export async function runSoak(soak: Soak): Promise<boolean> {
  const { folder, minutes, plan, run, now, print } = soak;
  mkdirSync(folder, { recursive: true });
  const record = join(folder, 'turns.jsonl');
  const last = readResults(record).at(-1);
  const firstSeed = last?.firstSeed ?? soak.newSeed();
  const until = now() + minutes * MINUTE_MS;
  const failed: TurnResult[] = [];
  let turns = 0;
  for (let index = (last?.index ?? -1) + 1; now() < until; index++) {
    const turn = plan(index, firstSeed);
    const command = commandLine(turn);
    print(`turn ${index}: ${command}`);
    const [started, startedAt] = [now(), new Date().toISOString()];
    const passed = await run(turn, join(folder, `turn-${index}.log`));
    const seconds = Math.round((now() - started) / MS_PER_SECOND);
    const result = { index, firstSeed, name: turn.name, command, startedAt, seconds, passed };
    // A line that a kill cut off ends here.
    appendFileSync(record, `\n${JSON.stringify(result)}`);
    turns++;
    print(`  ${passed ? 'passed' : 'FAILED'} (${seconds} s)`);
    if (!passed) failed.push(result);
  }
  print(`${turns} turns, ${failed.length} failed; ${record}`);
  for (const { index, command } of failed)
    print(`Repeat turn ${index}: ${command}\n  output: ${folder}/turn-${index}.log`);
  return failed.length === 0;
}

/** The turns that are recorded. A line that a kill cut off is left out: its turn runs again. */
export function readResults(record: string): TurnResult[] {
  if (!existsSync(record)) return [];
  return readFileSync(record, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [RESULT.parse(JSON.parse(line))];
      } catch {
        return [];
      }
    });
}
