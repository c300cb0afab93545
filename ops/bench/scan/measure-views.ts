import { VIEWS, type View } from '../../../cli/src/views/usage-rows.ts';
import { type BenchContext, type Figure, figure } from '../frame/bench.ts';
import { median } from '../frame/statistics.ts';
import { addTotals, type Totals, zeroTotals } from './corpus/totals.ts';
import type { Corpus } from './corpus/write-corpus.ts';
import { measureProcess, type ProcessRun } from './measure-process.ts';
import { type ViewTool, viewOfCcusage, viewOfOurs } from './tools.ts';

/** Required speed of a view of unchanged logs against ccusage, including the start of Node. */
const MIN_VIEW_SPEED = 8;

/**
 * Measures every view over unchanged logs, alternating with ccusage over the same files. `settings` has the store of a scan.
 * `peerFolder` null: without ccusage. @throws when the rows of a view do not add up to the corpus's true counts.
 */
export async function measureViews(
  context: BenchContext,
  corpus: Corpus,
  folders: {
    readonly program: string;
    readonly home: string;
    readonly settings: string;
    readonly peerFolder: string | null;
  },
  rounds: number,
): Promise<readonly Figure[]> {
  const { program, home, settings, peerFolder } = folders;
  const figures: Figure[] = [];
  const rows: string[][] = [];
  for (const view of VIEWS) {
    context.progress(`view: ${view}`);
    const tools = [viewOfOurs(program, home, settings, view)];
    if (peerFolder !== null) tools.push(viewOfCcusage(peerFolder, home, view));
    const runs = tools.map((): ProcessRun[] => []);
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, { command, args, env }] of tools.entries()) {
        runs[index]!.push(await measureProcess(command, args, env));
      }
    }
    const [own, peer] = tools.map(({ rows: of }, index) => of(runs[index]!.at(-1)!.stdout));
    requireTrue(view, own!, corpus);
    const [seconds, peerSeconds = Number.NaN] = runs.map((each) => median(each.map((run) => run.seconds)));
    const cpu = runs.map((each) => median(each.map((run) => run.cpu)).toFixed(2));
    const times = peerSeconds / seconds!;
    rows.push([view, seconds!.toFixed(2), peerSeconds.toFixed(2), times.toFixed(1), ...cpu, differences(own!, peer)]);
    if (peer !== undefined)
      figures.push(
        figure(`${view}, speed against ccusage`, times, 'times', times, 'ccusage', { atLeast: MIN_VIEW_SPEED }),
      );
  }
  const header = ['view', 's', 'ccusage s', 'times', 'CPU s', 'ccusage CPU s', 'rows that differ'];
  context.table('Views of unchanged logs', [header, ...rows]);
  return figures;
}

type Rows = ReturnType<ViewTool['rows']>;

/** ccusage has blocks of Claude Code only. */
function requireTrue(view: View, own: Rows, { claude, codex }: Corpus): void {
  const expected = { ...claude };
  if (view !== 'blocks') addTotals(expected, codex);
  const sums = sumOf(own);
  if (textOf(sums) !== textOf(expected)) throw new Error(`${view} adds up to ${textOf(sums)}, not ${textOf(expected)}`);
}

/** How many periods differ from those of ccusage, and whether the sums do. */
function differences(own: Rows, peer: Rows | undefined): string {
  if (peer === undefined) return '';
  const periods = new Set([...own.keys(), ...peer.keys()]);
  const differing = [...periods].filter((period) => textOf(own.get(period)) !== textOf(peer.get(period)));
  const sums = textOf(sumOf(own)) === textOf(sumOf(peer)) ? 'sums equal' : `${textOf(sumOf(peer))} in ccusage`;
  return `${differing.length} of ${periods.size}; ${sums}`;
}

function sumOf(rows: Rows): Totals {
  const sums = zeroTotals();
  for (const row of rows.values()) addTotals(sums, row);
  return sums;
}

function textOf(totals: Totals | undefined): string {
  return totals === undefined ? '' : `${totals.input}, ${totals.output}, ${totals.cache_read}, ${totals.cache_write}`;
}
