import { COUNT_FIELDS } from '../../contract/signing/index.ts';
import { WINDOWS } from '../../contract/windows.ts';
import { methodologyOf } from '../context.ts';
import { emptyDelta, NO_KEYS, orderRunOf } from '../core/board/index.ts';
import { entriesOf } from '../core/entry.ts';
import { platformRecords } from '../core/platform-record.ts';
import { percentileOf } from '../core/score.ts';
import type { OperatorSummary } from '../storage/operators.ts';
import type { PlatformStanding } from '../types.ts';
import { rankOfYield } from './board-ranks.ts';
import { type BoardState, rankedIn } from './board-state.ts';
import type { ViewParts } from './view-parts.ts';

const ALL_TIME = WINDOWS.indexOf('all_time');

const WITHOUT_ROWS: BoardState['base'] = {
  id: '',
  version: 0,
  lastSegment: '',
  hour: 0,
  methodology: 0,
  slots: 0,
  directories: orderRunOf(WINDOWS.map(() => NO_KEYS)).directories,
};

/**
 * The newest board of a platform, without rows before the first run. It has order pages alone, which `platforms.pages` reads: an
 * operator's place follows from the Yield that its record has now.
 */
export async function platformBoard(
  { platforms }: Pick<ViewParts, 'platforms'>,
  { manifest: newest }: BoardState,
  platform: string,
): Promise<BoardState> {
  const { bases = {}, methodology = newest.methodology, board_at = newest.generated_at } = newest.platforms ?? {};
  const manifest = { ...newest, methodology, generated_at: board_at };
  const base = bases[platform];
  if (base === undefined) return { manifest, base: WITHOUT_ROWS, delta: emptyDelta };
  return { ...(await platforms.states.of(newest, { methodology, base, segments: [] })), manifest };
}

/** An operator by its counts of a platform alone; null without any. */
export function onPlatform(summary: OperatorSummary, platform: string): OperatorSummary | null {
  return toolsOf(summary).find((tool) => tool.platforms[ALL_TIME] === platform) ?? null;
}

/** An operator by its counts of each of its tools that have a board. */
function toolsOf(summary: OperatorSummary): (OperatorSummary & { readonly platform: string })[] {
  return platformRecords(summary).map((record) => {
    return { ...summary, ...record, platforms: WINDOWS.map(() => record.platform) };
  });
}

/** An operator's all-time places on the boards of its tools, the one with most tokens first. */
export async function platformStandings(
  parts: ViewParts,
  newest: BoardState,
  summary: OperatorSummary,
): Promise<PlatformStanding[]> {
  const tools = toolsOf(summary).toSorted((a, b) => tokensOf(b) - tokensOf(a));
  return Promise.all(
    tools.map(async (tool): Promise<PlatformStanding> => {
      const state = await platformBoard(parts, newest, tool.platform);
      const { entry, held } = entriesOf(tool, methodologyOf(parts.context, state.manifest))[ALL_TIME]!;
      const yield_ = (entry ?? held)?.yield_ ?? null;
      const key = { operator: tool.operator, window: ALL_TIME, yield_: entry?.yield_ ?? Number.NaN };
      const isPlaced = entry !== null && newest.manifest.platforms !== undefined;
      const rank = isPlaced ? await rankOfYield(parts.platforms.pages, state, key) : null;
      const total = Math.max(rank ?? 0, rankedIn(state, ALL_TIME));
      const percentile = rank && percentileOf(rank, total);
      return { platform: tool.platform, rank, yield_, total_operators: total, percentile };
    }),
  );
}

function tokensOf({ totals }: OperatorSummary): number {
  return COUNT_FIELDS.reduce((sum, _, field) => sum + totals[field]!, 0);
}
