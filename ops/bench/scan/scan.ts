import { join } from 'node:path';
import { MIB } from '../../../config/units.ts';
import { type Bench, type BenchContext, type BenchResult, type Figure, figure } from '../frame/bench.ts';
import { median, threeDigits } from '../frame/statistics.ts';
import { type Corpus, writeCorpus } from './corpus/write-corpus.ts';
import { measureProcess, type ProcessRun } from './measure-process.ts';
import { measureViews } from './measure-views.ts';
import { buildOurs, type CountingTool, folderBytes, installPeers, ours, peers } from './tools.ts';

const SEED = 7;

/** Required speedup of a second run over an unchanged corpus, including the start of Node. */
const MIN_SPEEDUP = 10;

/** Memory limit of a scan of 2 GB of logs, the bench's default, in MiB. */
const MAX_MEMORY_MIB = 150;

/** Limit of the time of `--help`, as a multiple of `node -e 0`. */
const MAX_HELP_RATIO = 2.5;

/** Required speed of a first and of a second scan against ccusage, which stores nothing. */
const MIN_SPEED = { first: 1.2, second: 8 };

/** The runs of one tool in one state. */
interface Measured {
  readonly name: string;
  readonly runs: ProcessRun[];
  /** Of the last run. */
  differences: readonly string[];
}

/** First and second scan of a generated corpus, alternating with the peers over the same files. */
export const scan: Bench = {
  name: 'scan',
  summary: "the tool's first and second scan of generated logs, and its views, against ccusage and tokscale",
  run: runScan,
};

async function runScan(context: BenchContext): Promise<BenchResult> {
  const { mebibytes, rounds } = context.options({ mebibytes: [1908, 4], rounds: [5, 1] });
  const home = join(context.dataDir, 'home');
  context.progress(`writing ${Math.round(mebibytes)} MiB of logs`);
  const corpus = await writeCorpus(home, mebibytes * MIB, SEED, Date.now());
  const program = await buildOurs(join(context.dataDir, 'build'));
  const peerFolder = await openPeers(context);
  const peersOf = (settings: string): readonly CountingTool[] =>
    peerFolder === null ? [] : peers(peerFolder, home, settings);
  const names = ['upsilon, first', 'upsilon, second', ...peersOf('').map(({ name }) => name)];
  const measured: Measured[] = names.map((name) => ({ name, runs: [], differences: [] }));
  for (let round = 0; round < rounds; round += 1) {
    const settings = join(context.dataDir, `settings-${round}`);
    const own = ours(program, home, settings);
    const tools = [own, own, ...peersOf(join(settings, 'peers'))];
    for (const [index, tool] of tools.entries()) {
      context.progress(`round ${round + 1} of ${rounds}: ${measured[index]!.name}`);
      const ran = await measureProcess(tool.command, tool.args, tool.env);
      const differences = differencesOf(tool, ran, corpus);
      if (tool === own && differences.length > 0) throw new Error(`counted wrong: ${differences.join(', ')}`);
      measured[index]!.runs.push(ran);
      measured[index]!.differences = differences;
    }
  }
  const settings = join(context.dataDir, `settings-${rounds - 1}`);
  const views = await measureViews(context, corpus, { program, home, settings, peerFolder }, rounds);
  const starts = await measureStarts(program, 9 * rounds);
  const installed = await folderBytes(join(program, '..'));
  showTable(context, corpus, measured);
  return toResult(corpus, measured, starts, installed, views);
}

/** Installs the peers; null without them. Tiny runs use no network and no peers. */
async function openPeers(context: BenchContext): Promise<string | null> {
  if (context.size === 'tiny') return null;
  const folder = join(context.dataDir, 'peers');
  try {
    context.progress('installing the peers');
    await installPeers(folder);
    return folder;
  } catch (error) {
    context.progress(`no peers: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

/** The counts in which a tool differs from the corpus's true counts. */
function differencesOf(tool: CountingTool, { stdout }: ProcessRun, corpus: Corpus): readonly string[] {
  const counted = tool.totals(stdout);
  return (['claude', 'codex'] as const).flatMap((source) =>
    (['input', 'output', 'cache_read', 'cache_write'] as const)
      .filter((field) => counted[source][field] !== corpus[source][field])
      .map((field) => `${source} ${field} x ${threeDigits(counted[source][field] / corpus[source][field])}`),
  );
}

/** Medians, in seconds: of the start of Node without a program, and of `--help`. */
async function measureStarts(program: string, runs: number) {
  const help: number[] = [];
  const bare: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    help.push((await measureProcess(process.execPath, [program, '--help'], {})).seconds);
    bare.push((await measureProcess(process.execPath, ['-e', '0'], {})).seconds);
  }
  return { bare: median(bare), help: median(help) };
}

const secondsOf = ({ runs }: Measured): number => median(runs.map((run) => run.seconds));
const cpuOf = ({ runs }: Measured): number => median(runs.map((run) => run.cpu));
const peakOf = ({ runs }: Measured): number => Math.max(...runs.map((run) => run.peakBytes)) / MIB;

function showTable(context: BenchContext, corpus: Corpus, measured: readonly Measured[]): void {
  const rows = measured.map((each) => [
    each.name,
    secondsOf(each).toFixed(2),
    cpuOf(each).toFixed(2),
    Math.round(corpus.files / secondsOf(each)).toString(),
    Math.round(corpus.bytes / MIB / secondsOf(each)).toString(),
    Math.round(peakOf(each)).toString(),
    each.differences.length === 0 ? 'exact' : each.differences.join('; '),
  ]);
  const header = ['tool', 's', 'CPU s', 'files/s', 'MiB/s', 'peak MiB', 'counts'];
  context.table(`${corpus.files} files, ${Math.round(corpus.bytes / MIB)} MiB`, [header, ...rows]);
}

function toResult(
  corpus: Corpus,
  measured: readonly Measured[],
  starts: Awaited<ReturnType<typeof measureStarts>>,
  installed: number,
  views: readonly Figure[],
): BenchResult {
  const [first, second] = [measured[0]!, measured[1]!];
  const speedup = (secondsOf(first) - starts.bare) / (secondsOf(second) - starts.bare);
  const whole = secondsOf(first) / secondsOf(second);
  const help = starts.help / starts.bare;
  const figures: Figure[] = [
    figure('second run of the tool', whole, 'times', whole, 'first run, Node included', { atLeast: MIN_SPEEDUP }),
    figure('speedup of the second scan', speedup, 'times', speedup, 'first scan, both beyond Node'),
    figure('peak memory', Math.max(peakOf(first), peakOf(second)), 'MiB', null, 'a limit for 2 GB', {
      atMost: MAX_MEMORY_MIB,
    }),
    figure('--help', help, 'times node -e 0', null, 'a limit', { atMost: MAX_HELP_RATIO }),
    figure('installed size without the keychain', installed / MIB, 'MiB', null, 'nothing'),
    ...measured.slice(2).flatMap((peer) => againstPeer(first, second, peer)),
    ...views,
  ];
  const rate = corpus.bytes / MIB / secondsOf(first);
  const main = figure('first scan', rate, 'MiB/s', null, 'nothing');
  return { ...main, figures, details: { files: corpus.files, bytes: corpus.bytes, cpu: measured.map(cpuOf) } };
}

/**
 * Speed relative to a peer in wall-clock time: the median of the rounds, because the speed of a machine differs more from round to
 * round than within one. First scans are compared with first scans, second with second.
 */
function againstPeer(first: Measured, second: Measured, peer: Measured): readonly Figure[] {
  const kind = /, (first|second)$/.exec(peer.name)?.[0] ?? '';
  const rivals = [first, second].filter(({ name }) => name.endsWith(kind));
  return rivals.map((own) => {
    const ratio = median(own.runs.map(({ seconds }, round) => peer.runs[round]!.seconds / seconds));
    const target = own === first ? MIN_SPEED.first : MIN_SPEED.second;
    const bounds = peer.name === 'ccusage' ? { atLeast: target } : undefined;
    return figure(`${own.name}, speed against ${peer.name}`, ratio, 'times', ratio, peer.name, bounds);
  });
}
