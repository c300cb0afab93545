import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Tree } from '../frame/trees.ts';
import { addTotals, type Totals, zeroTotals } from './corpus/write-log.ts';

const run = promisify(execFile);

/** Version of the peer: the newest with programs for this system in the registry. */
const CCUSAGE = '20.0.24';

type ToolTotals = Record<'claude' | 'codex', Totals>;

/** A command that counts the logs of a home folder. */
export interface CountingTool {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Extracts the totals of Claude Code and Codex from its output. */
  readonly totals: (stdout: string) => ToolTotals;
}

/** Builds a tree's tool as it is published. Returns the path of its program. */
export async function buildTool({ root }: Tree, folder: string): Promise<string> {
  await run(process.execPath, [join(root, 'cli/build.mjs'), join(folder, 'dist')]);
  return join(folder, 'dist', 'main.js');
}

/** The tool over a home folder, with a separate settings folder: an empty one makes it a first scan. */
export function upsilon(program: string, home: string, settings: string): CountingTool {
  return {
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

/** Installs ccusage into a folder. Returns its program. @throws when the registry does not have it. */
export async function installCcusage(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const native = `@ccusage/ccusage-${process.platform}-${process.arch}`;
  const packages = [`ccusage@${CCUSAGE}`, `${native}@${CCUSAGE}`];
  await run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', ...packages]);
  const program = join(folder, 'node_modules', ...native.split('/'), 'bin', 'ccusage');
  // It is published without the executable permission, which its launcher sets.
  await chmod(program, 0o755);
  return program;
}

interface CcusageCounts
  extends Readonly<Record<'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheCreationTokens', number>> {
  readonly agent: string;
}

/** ccusage over a home folder. It stores nothing between runs; without `--offline` it would fetch prices. */
export function ccusage(program: string, home: string): CountingTool {
  return {
    command: program,
    args: ['daily', '--json', '--offline', '--by-agent'],
    env: { HOME: home, USERPROFILE: home },
    totals: (stdout) => {
      const { daily }: { readonly daily: readonly { readonly agents: readonly CcusageCounts[] }[] } =
        JSON.parse(stdout);
      const totals: ToolTotals = { claude: zeroTotals(), codex: zeroTotals() };
      for (const { agent, inputTokens, outputTokens, ...cached } of daily.flatMap(({ agents }) => agents)) {
        if (agent !== 'claude' && agent !== 'codex') continue;
        const { cacheReadTokens: cache_read, cacheCreationTokens: cache_write } = cached;
        addTotals(totals[agent], { input: inputTokens, output: outputTokens, cache_read, cache_write });
      }
      return totals;
    },
  };
}
