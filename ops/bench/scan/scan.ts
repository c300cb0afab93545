import { join } from 'node:path';
import { MIB } from '../../../config/units.ts';
import { againstCommit } from '../frame/against.ts';
import { type BenchContext, defineBench, type Figure, figure } from '../frame/bench.ts';
import { alternate, median, medianRatio } from '../frame/statistics.ts';
import { type Corpus, writeCorpus } from './corpus/write-corpus.ts';
import type { Totals } from './corpus/write-log.ts';
import { measureProcess, type ProcessRun } from './measure-process.ts';
import { buildTool, type CountingTool, ccusage, installCcusage, upsilon } from './tools.ts';

const SEED = 7;
/** Starts of each quick command in a round: one takes some tens of milliseconds. */
const STARTS = 5;

/** First and second scan of a generated corpus, alternating with ccusage over the same files. */
export const scan = defineBench({
  name: 'scan',
  summary: "the tool's first and second scan of generated logs against ccusage, and the start of its quick commands",
  method:
    'Generated logs of Claude Code and Codex, 1.9 GB. A first scan has an empty store; a second one finds nothing new. Each run is a ' +
    'process from its start to its end, alternating with ccusage, which stores nothing, over the same files. All counts are compared ' +
    'with the true ones.',
  options: { mebibytes: [1_908, 4], rounds: [5, 1] },
  async run(context, { mebibytes, rounds }) {
    const home = join(context.dataDir, 'home');
    context.progress(`writing ${mebibytes} MiB of logs`);
    const corpus = await writeCorpus(home, mebibytes * MIB, SEED, Date.now());
    const programs: string[] = [];
    for (const tree of context.trees) programs.push(await buildTool(tree, join(context.dataDir, `tool-${tree.name}`)));
    const peer = await installPeer(context);
    const done = new Map<string, number>();
    // A first and a second scan of each tree's tool, and one of ccusage.
    const taken = await alternate([...programs, ...(peer === null ? [] : [peer])], rounds, async (program) => {
      context.progress(program === peer ? 'ccusage' : 'upsilon');
      if (program === peer) return [await measureScan(ccusage(program, home), corpus)];
      const round = done.get(program) ?? 0;
      done.set(program, round + 1);
      const tool = upsilon(program, home, settingsOf(program, round));
      return [await measureScan(tool, corpus), await measureScan(tool, corpus)];
    });
    const env = { HOME: home, USERPROFILE: home };
    const quick = [
      ['-e', '0'],
      ...programs.map((program) => [program, '--help']),
      ...programs.map((program) => [program, 'statusline', '--config-dir', settingsOf(program, 0)]),
    ];
    const starts = await alternate(quick, STARTS * rounds, async (args) => {
      return (await measureProcess(process.execPath, args, env)).seconds;
    });
    showTable(context, corpus, taken);
    return figuresOf(context, taken, starts);
  },
});

/** Installs ccusage; null without it. Tiny runs use no network. */
async function installPeer(context: BenchContext): Promise<string | null> {
  if (context.size === 'tiny') return null;
  context.progress('installing ccusage');
  return installCcusage(join(context.dataDir, 'peer')).catch((error: unknown) => {
    context.progress(`no ccusage: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  });
}

/** A folder of settings, and so of a store, for each round. */
const settingsOf = (program: string, round: number): string => join(program, '..', `settings-${round}`);

const textOf = ({ input, output, cache_read, cache_write }: Totals): string =>
  [input, output, cache_read, cache_write].join(', ');

/** Scans once. @throws when a count is not the true one. */
async function measureScan({ command, args, env, totals }: CountingTool, corpus: Corpus): Promise<ProcessRun> {
  const ran = await measureProcess(command, args, env);
  const { claude, codex } = totals(ran.stdout);
  const [own, expected] = [
    [claude, codex],
    [corpus.claude, corpus.codex],
  ].map((both) => both.map(textOf).join('; '));
  if (own !== expected) throw new Error(`${command} counts ${String(own)}, not ${String(expected)}`);
  return ran;
}

/** By tool and round: its runs. */
type Taken = readonly (readonly (readonly ProcessRun[])[])[];

/** Seconds of the n-th scans of one tool. */
const secondsOf = (rounds: readonly (readonly ProcessRun[])[], scanned: number): number[] =>
  rounds.map((runs) => runs[scanned]!.seconds);

const peakOf = (runs: readonly ProcessRun[]): number => Math.max(...runs.map(({ peakBytes }) => peakBytes)) / MIB;

function showTable(context: BenchContext, corpus: Corpus, taken: Taken): void {
  const rows = taken.flatMap((rounds, tool) =>
    rounds[0]!.map((_, scanned) => {
      const runs = rounds.map((round) => round[scanned]!);
      const seconds = median(runs.map((one) => one.seconds));
      const cpu = median(runs.map((one) => one.cpu));
      const tree = context.trees[tool];
      const name = tree === undefined ? 'ccusage' : `upsilon, ${tree.name}, ${scanned === 0 ? 'first' : 'second'}`;
      const rate = corpus.bytes / MIB / seconds;
      return [name, seconds.toFixed(2), cpu.toFixed(2), rate.toFixed(0), peakOf(runs).toFixed(0)];
    }),
  );
  const header = ['tool', 's', 'CPU s', 'MiB/s', 'peak MiB'];
  context.table(`${corpus.files} files, ${Math.round(corpus.bytes / MIB)} MiB`, [header, ...rows]);
}

/** `starts`: of Node alone, and for each tree of `--help` and of `statusline`. */
function figuresOf(context: BenchContext, taken: Taken, starts: readonly (readonly number[])[]): readonly Figure[] {
  const count = context.trees.length;
  const [own, peer, trees] = [taken[0]!, taken[count], taken.slice(0, count)];
  const [node = [], ...quick] = starts;
  const [help, statusline] = [quick.slice(0, count), quick.slice(count)];
  const scanned = (name: string, scans: number, atLeast: number): Figure => {
    const seconds = secondsOf(own, scans);
    if (peer === undefined) return figure(name, median(seconds), 's');
    const compared = { ratio: medianRatio(secondsOf(peer, 0), seconds), peer: 'times as fast as ccusage', atLeast };
    return figure(name, median(seconds), 's', compared);
  };
  const helpRatio = { ratio: medianRatio(help[0]!, node), peer: 'of node -e 0', atMost: 2.5 };
  const scansOf = (scans: number): number[][] => trees.map((rounds) => secondsOf(rounds, scans));
  return [
    scanned('first scan', 0, 1.2),
    scanned('second scan', 1, 5),
    figure('peak memory', peakOf(own.flat()), 'MiB', { atMost: 150 }),
    figure('--help', median(help[0]!), 's', helpRatio),
    ...againstCommit(context, 'first scan', 's', scansOf(0)),
    ...againstCommit(context, 'second scan', 's', scansOf(1)),
    ...againstCommit(context, '--help', 's', help, { atMost: 1.1 }),
    ...againstCommit(context, 'statusline', 's', statusline, { atMost: 1.5 }),
  ];
}
