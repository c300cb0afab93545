import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { View } from '../../../cli/src/views/usage-rows.ts';
import { sum } from '../frame/statistics.ts';
import { addTotals, type Totals, zeroTotals } from './corpus/totals.ts';

const run = promisify(execFile);

/** Versions of the peers: the newest with programs for this system in the registry. */
const PEERS = { ccusage: '20.0.24', tokscale: '4.17.0' };

type ToolTotals = Record<'claude' | 'codex', Totals>;

/** The command of a tool that counts the logs of a home folder. */
export interface CountingTool {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Extracts the totals of Claude Code and Codex from its output. */
  readonly totals: (stdout: string) => ToolTotals;
}

/** Builds this project's tool as it is published. Returns the path of its program. */
export async function buildOurs(folder: string): Promise<string> {
  const build = fileURLToPath(new URL('../../../cli/build.mjs', import.meta.url));
  await run(process.execPath, [build, join(folder, 'dist')]);
  return join(folder, 'dist', 'main.js');
}

/** This project's tool over a home folder, with a separate settings folder: an empty one makes it a first scan. */
export function ours(program: string, home: string, settings: string): CountingTool {
  return {
    name: 'upsilon',
    command: process.execPath,
    args: [program, 'sources', '--json', '--config-dir', settings],
    env: { HOME: home, USERPROFILE: home },
    totals: (stdout) => {
      const { sources }: { readonly sources: readonly { readonly platform: string; readonly totals: Totals }[] } =
        JSON.parse(stdout);
      const of = (platform: string): Totals => sources.find((source) => source.platform === platform)!.totals;
      return { claude: of('claude-code'), codex: of('codex') };
    },
  };
}

/** Installs the peers into a folder. @throws when the registry does not have them. */
export async function installPeers(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const system = `${process.platform}-${process.arch}`;
  const packages = [
    `ccusage@${PEERS.ccusage}`,
    `@ccusage/ccusage-${system}@${PEERS.ccusage}`,
    `${tokscalePackage()}@${PEERS.tokscale}`,
  ];
  await run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', ...packages]);
  // It is published without the executable permission, which its launcher sets.
  await chmod(ccusageProgram(folder), 0o755);
}

function ccusageProgram(folder: string): string {
  return join(folder, 'node_modules', '@ccusage', `ccusage-${process.platform}-${process.arch}`, 'bin', 'ccusage');
}

/** The package of tokscale's program for this system. */
function tokscalePackage(): string {
  return `@tokscale/cli-${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`;
}

/**
 * The peers over a home folder. ccusage stores nothing between runs; tokscale stores a cache in `settings`, so that it has a
 * first and a second scan. Both would fetch prices: an option of ccusage prevents it, tokscale continues when it fails.
 */
export function peers(folder: string, home: string, settings: string): readonly CountingTool[] {
  const tokscale = {
    command: join(folder, 'node_modules', ...tokscalePackage().split('/'), 'bin', 'tokscale'),
    args: ['models', '--json', '--no-spinner', '--client', 'claude,codex', '--home', home],
    env: { HOME: settings, USERPROFILE: settings },
    totals: tokscaleTotals,
  };
  return [
    {
      name: 'ccusage',
      command: ccusageProgram(folder),
      args: ['daily', '--json', '--offline', '--by-agent'],
      env: { HOME: home, USERPROFILE: home },
      totals: ccusageTotals,
    },
    { ...tokscale, name: 'tokscale, first' },
    { ...tokscale, name: 'tokscale, second' },
  ];
}

type Counts<Field extends string> = Readonly<Record<Field, number>>;

type TokscaleEntry = { readonly client: string } & Counts<
  'input' | 'output' | 'reasoning' | 'cacheRead' | 'cacheWrite'
>;

function tokscaleTotals(stdout: string): ToolTotals {
  const { entries }: { readonly entries: readonly TokscaleEntry[] } = JSON.parse(stdout);
  return sumByTool(
    entries,
    ({ client }) => client,
    // Its output excludes reasoning tokens.
    ({ input, output, reasoning, cacheRead, cacheWrite }) => ({
      input,
      output: output + reasoning,
      cache_read: cacheRead,
      cache_write: cacheWrite,
    }),
  );
}

type CcusageCounts = { readonly agent: string } & Counts<
  'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheCreationTokens'
>;

function ccusageTotals(stdout: string): ToolTotals {
  const { daily }: { readonly daily: readonly { readonly agents: readonly CcusageCounts[] }[] } = JSON.parse(stdout);
  return sumByTool(
    daily.flatMap(({ agents }) => agents),
    ({ agent }) => agent,
    ({ inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens }) => ({
      input: inputTokens,
      output: outputTokens,
      cache_read: cacheReadTokens,
      cache_write: cacheCreationTokens,
    }),
  );
}

/** The command of a tool that prints a view. */
export interface ViewTool extends Omit<CountingTool, 'name' | 'totals'> {
  /** Extracts the counts by period: a day, week, month, session, or the start of a block. */
  readonly rows: (stdout: string) => ReadonlyMap<string, Totals>;
}

/** A view of this project's tool, over the store in `settings`: blocks of Claude Code only, as ccusage has them. */
export function viewOfOurs(program: string, home: string, settings: string, view: View): ViewTool {
  const platform = view === 'blocks' ? ['--platform', 'claude-code'] : [];
  return {
    command: process.execPath,
    args: [program, view, '--json', '--config-dir', settings, ...platform],
    env: { HOME: home, USERPROFILE: home },
    rows: (stdout) => {
      const { rows }: { readonly rows: readonly (Totals & Partial<Record<string, string>>)[] } = JSON.parse(stdout);
      return sumByPeriod(rows.map((row) => [row['period'] ?? row['session'] ?? row['starts_at']!, row]));
    },
  };
}

type CcusageRow = Omit<CcusageCounts, 'agent'> & Partial<Record<'period' | 'id', string>>;
type CcusageBlock = CcusageRow & {
  readonly tokenCounts?: Counts<'inputTokens' | 'outputTokens' | 'cacheReadInputTokens' | 'cacheCreationInputTokens'>;
};

export function viewOfCcusage(folder: string, home: string, view: View): ViewTool {
  return {
    command: ccusageProgram(folder),
    args: [view, '--json', '--offline'],
    env: { HOME: home, USERPROFILE: home },
    rows: (stdout) => {
      const report: Readonly<Record<string, readonly CcusageBlock[]>> = JSON.parse(stdout);
      const used = report[view]!.filter(
        ({ tokenCounts }) => tokenCounts === undefined || sum(Object.values(tokenCounts)) > 0,
      );
      return sumByPeriod(
        used.map(({ period, id, tokenCounts, ...row }) => {
          const { inputTokens, outputTokens } = tokenCounts ?? row;
          const cache_read = tokenCounts?.cacheReadInputTokens ?? row.cacheReadTokens;
          const cache_write = tokenCounts?.cacheCreationInputTokens ?? row.cacheCreationTokens;
          // Sessions of Codex are named by the path of their log, which ends in the session's id.
          return [
            (period ?? id!).replace(/^.*[/]rollout-.{20}/, ''),
            { input: inputTokens, output: outputTokens, cache_read, cache_write },
          ];
        }),
      );
    },
  };
}

function sumByPeriod(rows: readonly (readonly [period: string, counts: Totals])[]): ReadonlyMap<string, Totals> {
  const sums = new Map<string, Totals>();
  for (const [period, counts] of rows) {
    const known = sums.get(period) ?? zeroTotals();
    addTotals(known, counts);
    sums.set(period, known);
  }
  return sums;
}

function sumByTool<Row>(
  rows: readonly Row[],
  toolOf: (row: Row) => string,
  countsOf: (row: Row) => Totals,
): ToolTotals {
  const totals: ToolTotals = { claude: zeroTotals(), codex: zeroTotals() };
  for (const row of rows) {
    const tool = toolOf(row);
    if (tool === 'claude' || tool === 'codex') addTotals(totals[tool], countsOf(row));
  }
  return totals;
}

/** The bytes of a folder's files. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return sum(await Promise.all(files.map(async (file) => (await stat(file)).size)));
}
