import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Totals } from './corpus/totals.ts';

const run = promisify(execFile);

/** The peers, as the registry has them: the newest versions whose programs for this system are there. */
const PEERS = { ccusage: '20.0.24', tokscale: '1.4.3' };

/** tokscale's parser, a package of its own. */
const TOKSCALE = '@tokscale/core';

/** A tool that counts a home's logs, as it is run. */
export interface CountingTool {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The totals of Claude Code and Codex in what it printed. */
  readonly totals: (stdout: string) => { readonly claude: Totals; readonly codex: Totals };
}

/** Builds our tool as it is published; answers its program. */
export async function buildOurs(folder: string): Promise<string> {
  const build = fileURLToPath(new URL('../../../cli/build.mjs', import.meta.url));
  await run(process.execPath, [build, join(folder, 'dist')]);
  return join(folder, 'dist', 'main.js');
}

/** Our tool over a home, with settings of its own: a fresh folder makes it a first scan. */
export function ours(program: string, home: string, settings: string): CountingTool {
  return {
    name: 'upsilon',
    command: process.execPath,
    args: [program, 'sources', '--json', '--config-dir', settings],
    env: { HOME: home, USERPROFILE: home },
    totals: (stdout) => {
      const { sources }: { readonly sources: ReadonlyArray<{ readonly platform: string; readonly totals: Totals }> } =
        JSON.parse(stdout);
      const of = (platform: string): Totals => sources.find((source) => source.platform === platform)!.totals;
      return { claude: of('claude-code'), codex: of('codex') };
    },
  };
}

/** Installs the peers into a folder of the bench's own; throws when the registry does not have them. */
export async function installPeers(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const system = `${process.platform}-${process.arch}`;
  const packages = [
    `ccusage@${PEERS.ccusage}`,
    `@ccusage/ccusage-${system}@${PEERS.ccusage}`,
    `${TOKSCALE}@${PEERS.tokscale}`,
  ];
  await run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', ...packages]);
  // It is published without the right to be run; its own launcher gives it that right.
  await chmod(ccusageProgram(folder), 0o755);
}

function ccusageProgram(folder: string): string {
  return join(folder, 'node_modules', '@ccusage', `ccusage-${process.platform}-${process.arch}`, 'bin', 'ccusage');
}

/** The peers over a home. tokscale's own program needs another runtime and the network: its parser is called as it calls it. */
export function peers(folder: string, home: string): readonly CountingTool[] {
  const require = createRequire(join(folder, 'package.json'));
  const env = { HOME: home, USERPROFILE: home };
  const script =
    `const { messages } = require(${JSON.stringify(require.resolve(TOKSCALE))})` +
    `.parseLocalSources({ homeDir: ${JSON.stringify(home)}, sources: ['claude', 'codex'] });` +
    'const totals = {}; for (const each of messages) { const sum = (totals[each.source] ??= [0, 0, 0, 0]);' +
    '[each.input, each.output, each.cacheRead, each.cacheWrite].forEach((count, at) => { sum[at] += count; }); }' +
    'console.log(JSON.stringify(totals));';
  return [
    {
      name: 'ccusage',
      command: ccusageProgram(folder),
      args: ['daily', '--json', '--offline', '--by-agent'],
      env,
      totals: ccusageTotals,
    },
    {
      name: 'tokscale',
      command: process.execPath,
      args: ['-e', script],
      env,
      totals: (stdout) => {
        const { claude, codex }: Record<'claude' | 'codex', readonly number[]> = JSON.parse(stdout);
        return { claude: toTotals(claude), codex: toTotals(codex) };
      },
    },
  ];
}

function toTotals([input = 0, output = 0, cache_read = 0, cache_write = 0]: readonly number[]): Totals {
  return { input, output, cache_read, cache_write };
}

interface CcusageCounts {
  readonly agent: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheCreationTokens: number;
}

function ccusageTotals(stdout: string): { readonly claude: Totals; readonly codex: Totals } {
  const { daily }: { readonly daily: ReadonlyArray<{ readonly agents: readonly CcusageCounts[] }> } =
    JSON.parse(stdout);
  const of = (agent: string): Totals => {
    const own = daily.flatMap((day) => day.agents).filter((each) => each.agent === agent);
    const sum = (field: 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheCreationTokens'): number =>
      own.reduce((total, each) => total + each[field], 0);
    return {
      input: sum('inputTokens'),
      output: sum('outputTokens'),
      cache_read: sum('cacheReadTokens'),
      cache_write: sum('cacheCreationTokens'),
    };
  };
  return { claude: of('claude'), codex: of('codex') };
}

/** The bytes of a folder's files. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
