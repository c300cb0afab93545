import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchContext } from './bench.ts';
import { type BenchEngines, startBenchEngines } from './engines.ts';
import { timed } from './statistics.ts';
import { textTable } from './text-table.ts';

/** Runs one bench. Returns its result with machine, date and duration. Throws what the bench throws. */
export async function runBench(bench: Bench, size: BenchContext['size'], options: ReadonlyMap<string, number>) {
  const { ms, value: result } = await timed(() =>
    inContext(bench.name, size, options, (context) => bench.run(context)),
  );
  const machine = { cpu: cpus()[0]?.model ?? '', cores: cpus().length, node: process.version };
  const seconds = Math.round(ms / 100) / 10;
  return { ...result, size, date: new Date().toISOString(), machine, seconds };
}

/** Runs work in a new context and closes it. Throws what the work throws. */
export async function inContext<T>(
  name: string,
  size: BenchContext['size'],
  options: ReadonlyMap<string, number>,
  run: (context: BenchContext) => Promise<T>,
): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'upsilon-bench-'));
  const closers: (() => Promise<unknown> | void)[] = [() => rm(dataDir, { recursive: true, force: true })];
  const onClose = (close: () => Promise<unknown> | void): void => void closers.push(close);
  const stop = async (): Promise<void> => {
    for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
      await Promise.resolve(close()).catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
    }
  };
  const interrupted = (): void => void stop().finally(() => process.exit(1));
  for (const signal of SIGNALS) process.on(signal, interrupted);
  try {
    return await run(createContext(name, size, options, dataDir, onClose));
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupted);
    await stop();
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'disconnect'] as const;

function createContext(
  name: string,
  size: BenchContext['size'],
  given: ReadonlyMap<string, number>,
  dataDir: string,
  onClose: BenchContext['onClose'],
): BenchContext {
  let engines: Promise<BenchEngines> | null = null;
  return {
    size,
    dataDir,
    onClose,
    options(defaults) {
      const values = Object.entries<readonly [number, number]>(defaults).map(([option, [full, tiny]]) => [
        option,
        given.get(option) ?? (size === 'full' ? full : tiny),
      ]);
      return Object.fromEntries(values);
    },
    progress: (text) => void process.stderr.write(`${name}: ${text}\n`),
    table: (title, rows) => void process.stdout.write(`\n${title}\n${textTable(rows)}\n`),
    engines() {
      engines ??= startBenchEngines(dataDir, onClose);
      return engines;
    },
  };
}
