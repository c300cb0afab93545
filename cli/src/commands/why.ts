import { type Window, windowSentence } from '../../../engine/contract/windows.ts';
import { type Contribution, explainChange, type YieldChange } from '../coach/divisia.ts';
import { placeCounts } from '../coach/place-counts.ts';
import { comparisonOf, DIVISIONS, type Division, partsOf } from '../coach/spans.ts';
import type { Command, CommandContext } from '../command-context.ts';
import { columnsOf, fittingTable } from '../output/fitting-table.ts';
import { placeText } from '../output/place-text.ts';
import { compactCount, grouped, yieldText } from '../output/screen.ts';
import { shortModel } from '../views/prices.ts';
import { dayText, localDay, localTime } from '../views/time-zone.ts';
import { totalOf, yieldOf } from '../views/usage-rows.ts';
import { readQuery, readWindow, scanBuckets, usageError, type ViewOptions } from './usage-view.ts';
import { openOwnBoard, showBoardFault } from './what-if.ts';

interface WhyOptions extends ViewOptions {
  readonly window?: string;
}

/** Parts of each division that are shown where none is chosen. */
const SHOWN_PARTS = 5;

const TITLES: Readonly<Record<Division, string>> = {
  day: 'Day',
  session: 'Session',
  model: 'Model',
  project: 'Project',
  platform: 'Platform',
};

/** Shows which days, sessions and models moved the Yield of this machine's counts, and by how much. Sends no counts: the service gets the two Yields. */
export const whyCommand: Command<WhyOptions> = async (context) => {
  const { screen } = context;
  const { by, ...options } = context.options;
  const chosen = DIVISIONS.find((each) => each === by);
  if (by !== undefined && chosen === undefined) throw usageError(`--by takes ${DIVISIONS.join(', ')}`);
  const window = readWindow(options.window);
  if (window !== 'all_time' && options.since !== undefined) throw usageError('--since and --window cannot be combined');
  const { zone, platforms, since } = readQuery('daily', { ...context, options });
  const now = Math.floor(Date.now() / 1000);
  if (since !== null && since > dayText(localDay(now, zone))) throw usageError('--since is in the future');
  const buckets = await scanBuckets(context);
  const comparison = comparisonOf(window, since, zone, now);
  const divisions: readonly Division[] = chosen === undefined ? ['day', 'session', 'model'] : [chosen];
  const changes = divisions.map((division) => {
    return { division, change: explainChange(partsOf(buckets, { division, platforms, zone }, comparison)) };
  });
  const { change } = changes[0]!;
  const start = localTime(comparison.before.to, zone);
  if (change === null) {
    screen.printWrapped(
      `There is no Yield to compare before ${start} (${zone.name}) or since: it needs input, output and cache reads.`,
    );
  } else showSummary(change, { window, start, zone: zone.name }, context);
  const standings = change === null ? null : await placeChange(change, window, context);
  const isMoved = change !== null && movedIn(change).length > 0;
  if (change !== null && !isMoved) screen.printWrapped('There is no usage that could have moved it.');
  for (const each of changes)
    if (isMoved && each.change !== null) showParts(each.division, each.change, chosen === undefined, context);
  if (isMoved) {
    screen.printWrapped(
      '\nEffect: by how much the part alone changed the Yield. The other columns are parts of ln Yield, and each adds up to its ' +
        'sum. A part lowers the Yield when its input outweighs its cache reads and output; gone: it is only in the period before.',
    );
  }
  screen.result({
    window,
    start,
    timezone: zone.name,
    change: change && describeChange(change),
    standings,
    parts: Object.fromEntries(changes.map((each) => [each.division, each.change?.contributions ?? []])),
  });
  return change === null ? 'nothing' : 'ok';
};

function describeChange({ before, after, total, cache_read, output, input }: YieldChange): object {
  const parts = { ln_yield: total, cache_read, output, input };
  return { before: { ...before, yield_: yieldOf(before) }, after: { ...after, yield_: yieldOf(after) }, ...parts };
}

function showSummary(
  { before, after, total }: YieldChange,
  { window, start, zone }: { readonly window: Window; readonly start: string; readonly zone: string },
  { screen }: CommandContext,
): void {
  const [then, now] = [before, after].map((counts) => yieldText(yieldOf(counts) ?? 0));
  const effect = screen.paint.bold(effectText(total));
  screen.printWrapped(
    window === 'all_time'
      ? `The Yield of this machine's counts went from ${then} to ${now} since ${start} (${zone}): ${effect}.`
      : `The Yield of this machine's counts ${windowSentence(window)} is ${now}, after ${then} in the period before: ${effect}.`,
  );
  const counts = (['cache_read', 'output', 'input'] as const).map((field) => {
    return `${field.replace('_', ' ')} ${compactCount(before[field])} to ${compactCount(after[field])}`;
  });
  screen.printWrapped(`Yield = cache read × output / input²: ${counts.join(', ')}.`);
}

/** Shows which ranks the two Yields have on the present board. Returns their standings; null where it cannot be read. */
async function placeChange({ before, after }: YieldChange, window: Window, context: CommandContext) {
  const board = await openOwnBoard(context, window);
  const [then, now] = await Promise.all([placeCounts(before, board), placeCounts(after, board)]);
  if (now.reason === null) {
    const [from, to] = [then, now].map(({ standing }) =>
      standing === null ? 'no rank' : `tier ${standing.class_tier}, ${placeText(standing)}`,
    );
    context.screen.printWrapped(`On the present board, from ${from} to ${to}.`);
  } else showBoardFault(now.reason, context);
  return { before: then.standing, after: now.standing };
}

function movedIn({ contributions }: YieldChange): readonly Contribution[] {
  return contributions.filter(({ cache_read, output, input }) => cache_read !== 0 || output !== 0 || input !== 0);
}

/** A table of the parts that moved the Yield, most first: `isShort` leaves out all but the first, as one row. */
function showParts(division: Division, change: YieldChange, isShort: boolean, { screen }: CommandContext): void {
  const moved = movedIn(change).toSorted((one, other) => Math.abs(other.total) - Math.abs(one.total));
  const shown = isShort ? moved.slice(0, SHOWN_PARTS) : moved;
  const rest = moved.slice(shown.length);
  const others =
    rest.length === 0
      ? []
      : [{ name: rest.length === 1 ? '1 other' : `${grouped(rest.length)} others`, ...sumOf(rest) }];
  const nameOf = ({ key, before, after }: Contribution): string => {
    const isGone = totalOf(after) === 0 && totalOf(before) > 0;
    return `${division === 'model' ? shortModel(key) : key}${isGone ? ' (gone)' : ''}`;
  };
  const rows = [...shown.map((each) => ({ ...each, name: nameOf(each) })), ...others, { name: 'Sum', ...sumOf(moved) }];
  const column = columnsOf(rows, { align: 'right' });
  const names = rows.map(({ name }) => name);
  const table = [
    { title: TITLES[division], cells: names, cut: { atLeast: 18, keep: division === 'project' ? 'end' : 'start' } },
    column('Effect', ({ total }) => effectText(total)),
    column('ln Yield', ({ total }) => signed(total)),
    column('Cache read', (row) => signed(row.cache_read), { drop: 1 }),
    column('Output', (row) => signed(row.output), { drop: 1 }),
    column('Input', (row) => signed(row.input), { drop: 1 }),
  ] as const;
  screen.print('');
  screen.print(fittingTable(table, screen.columns, screen.paint, true));
}

type Parts = Pick<Contribution, 'total' | 'cache_read' | 'output' | 'input'>;

function sumOf(parts: readonly Parts[]): Parts {
  const sum = (field: keyof Parts) => parts.reduce((total, part) => total + part[field], 0);
  return { total: sum('total'), cache_read: sum('cache_read'), output: sum('output'), input: sum('input') };
}

/** `+12.3 %`, `x 4.5`: what a change of ln Yield does to the Yield. */
function effectText(change: number): string {
  const factor = Math.exp(change);
  if (factor >= 2 || factor <= 0.5) return `x ${grouped(Number(factor.toPrecision(3)))}`;
  const percent = (factor - 1) * 100;
  return `${percent < 0 ? '' : '+'}${percent.toFixed(1)} %`;
}

function signed(number: number): string {
  return `${number < 0 ? '' : '+'}${number.toFixed(4)}`;
}
