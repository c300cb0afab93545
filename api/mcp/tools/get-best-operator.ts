import * as z from 'zod';
import { windowSentence } from '../../../engine/contract/index.ts';
import type { BoardLine, BoardView } from '../../../engine/ranking/index.ts';
import { count, joinLines, showRow } from '../text.ts';
import { boardFields, Entry, platformField, tierField, toolInput, windowField } from './fields.ts';
import { requireTier } from './require-operator.ts';
import { defineQuery } from './tool.ts';

/** Entries read in a search for a platform's best operator, and how many at a time. */
const SEARCHED = 1_000;
const SEARCHED_AT_A_TIME = 250;

const Input = toolInput({
  window: windowField,
  platform: platformField.optional(),
  class_tier: tierField.optional(),
});

type Wanted = z.output<typeof Input>;

export const getBestOperator = defineQuery({
  name: 'get_best_operator',
  title: 'Best operator',
  summary: 'The operator with the highest Yield in a window, optionally of a platform or a class tier.',
  description:
    'The ranked operator with the highest Yield in a window; with platform, the best of those who used it most there; with ' +
    `class_tier, the best of that tier. A platform is searched for among the first ${SEARCHED} entries of the window or tier: ` +
    'searched is the number of candidates read, so operator null proves that none exists only when searched equals candidates.',
  input: Input,
  output: z.object({
    ...boardFields,
    platform: z.string().nullable(),
    class_tier: z.string().nullable(),
    operator: Entry.nullable().describe('Null when no operator matches.'),
    candidates: z.int().min(0).describe('Ranked operators of the window, or of the tier in it.'),
    searched: z.int().min(0).describe('How many of them were read, best first.'),
    platforms_seen: z
      .array(z.string())
      .describe('Platforms of the entries read when no operator was found; else empty.'),
  }),
  async find(wanted, board) {
    const { platform = null, class_tier = null } = wanted;
    const found = await search(board, wanted);
    return [{ platform, class_tier, ...found }, show(wanted, found)];
  },
});

/** The best of those wanted: at most the first `SEARCHED` of the window or tier are read. */
async function search(board: BoardView, { window, platform, class_tier }: Wanted) {
  const { start, end } =
    class_tier === undefined
      ? { start: 0, end: board.view.totals[window] }
      : requireTier(await board.tierRanges(window), class_tier);
  const seen: BoardLine[] = [];
  const last = Math.min(end, start + SEARCHED);
  for (let offset = start; offset < last; offset += SEARCHED_AT_A_TIME) {
    const lines = await board.rows(window, offset, Math.min(SEARCHED_AT_A_TIME, last - offset));
    const at = lines.findIndex((line) => platform === undefined || line.platform === platform);
    if (at >= 0) {
      const { codename } = lines[at]!;
      const page = await board.page({ window, limit: 1, start: { around: codename }, at: null });
      const operator = page.kind === 'page' ? (page.rows[0] ?? null) : null;
      return { operator, searched: seen.length + at + 1, candidates: end - start, platforms_seen: [] };
    }
    seen.push(...lines);
  }
  const platforms_seen = [...new Set(seen.map((line) => line.platform))].toSorted();
  return { operator: null, searched: last - start, candidates: end - start, platforms_seen };
}

function show({ window, platform, class_tier }: Wanted, found: Awaited<ReturnType<typeof search>>): string {
  const whose = `${class_tier === undefined ? '' : `${class_tier} `}${platform === undefined ? '' : `on ${platform} `}`;
  const { operator, searched, candidates, platforms_seen } = found;
  if (operator !== null) return joinLines(`Best ${whose}${windowSentence(window)}:`, showRow(operator, true));
  if (candidates === 0) return `No operator ${whose}is ranked ${windowSentence(window)}.`;
  return joinLines(
    `No operator ${whose}was found among the first ${searched} of ${count(candidates, 'operator')} ${windowSentence(window)}.`,
    `Platforms seen: ${platforms_seen.join(', ')}.`,
  );
}
