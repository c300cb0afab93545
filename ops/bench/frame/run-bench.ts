import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchContext, Figure } from './bench.ts';
import { timed } from './statistics.ts';
import { figureCells, textTable } from './text-table.ts';
import { commitName, machineName, THIS_TREE } from './trees.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'disconnect'] as const;

/** The figures of one run of a bench, and where and when they were measured. */
export interface BenchRun {
  readonly figures: readonly Figure[];
  /** ISO 8601. */
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
}

/** How a bench runs. Without `trees`, only this tree is measured; unless `isQuiet`, tables are printed. */
export interface RunOptions extends Partial<Pick<BenchContext, 'trees'>>, Pick<BenchContext, 'size'> {
  readonly options?: ReadonlyMap<string, number>;
  readonly isQuiet?: boolean;
}

/** Runs one bench and prints its figures. Throws what the bench throws. */
export async function runBench(
  bench: Bench,
  { options = new Map(), ...how }: RunOptions,
): Promise<BenchRun & { readonly seconds: number }> {
  const date = new Date().toISOString();
  const { ms, value: figures } = await timed(() =>
    inContext(bench.name, how, (context) => bench.run(context, options)),
  );
  const [commit, machine] = [commitName(), machineName()];
  const rows = [['figure', 'value', 'ratio', 'limit', ''], ...figures.map(figureCells)];
  const other = how.trees?.[1] === undefined ? '' : ` against ${how.trees[1].name}`;
  const meaning = how.size === 'tiny' ? ' (tiny: the figures mean nothing)' : '';
  print(how, `\n${bench.name}${meaning}, at ${commit}${other}, on ${machine}\n${textTable(rows)}\n`);
  return { figures, date, seconds: Math.round(ms / 1_000), commit, machine };
}

function print({ isQuiet = false }: Pick<RunOptions, 'isQuiet'>, text: string): void {
  if (!isQuiet) process.stdout.write(text);
}

/** Runs work in a new context and closes it. Throws what the work throws. */
export async function inContext<T>(
  name: string,
  how: Omit<RunOptions, 'options'>,
  run: (context: BenchContext) => Promise<T>,
): Promise<T> {
  const { size, trees = [THIS_TREE] } = how;
  const dataDir = await mkdtemp(join(tmpdir(), 'upsilon-bench-'));
  const closers: (() => Promise<unknown> | void)[] = [() => rm(dataDir, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
      await Promise.resolve(close()).catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
    }
  };
  const interrupted = (): void => void stop().finally(() => process.exit(1));
  for (const signal of SIGNALS) process.on(signal, interrupted);
  try {
    return await run({
      size,
      trees,
      dataDir,
      onClose: (close) => void closers.push(close),
      progress: (text) => void process.stderr.write(`${name}: ${text}\n`),
      table: (title, rows) => print(how, `\n${title}\n${textTable(rows)}\n`),
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupted);
    await stop();
  }
}
