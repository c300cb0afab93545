import * as z from 'zod';
import type { Window } from '../../../engine/contract/index.ts';
import type { BoardEntry, BoardView } from '../../../engine/ranking/index.ts';
import { windowSentence } from '../../window-words.ts';
import { joinLines, showEntry } from '../text/lines.ts';
import { count } from '../text/numbers.ts';
import { defineTool } from '../tool.ts';
import { boardOf } from './board-of.ts';
import { boardFields, Entry, platformField, tierField, windowField } from './fields.ts';
import { SEARCHED, searchFrom } from './scan.ts';
import { readTierRanges, requireTier } from './tiers.ts';

interface Wanted {
  readonly window: Window;
  readonly platform?: string | undefined;
  readonly class_tier?: string | undefined;
}

interface Searched {
  readonly operator: BoardEntry | null;
  readonly searched: number;
  readonly candidates: number;
  readonly platforms_seen: readonly string[];
}

export const getBestOperator = defineTool({
  name: 'get_best_operator',
  title: 'Best operator',
  summary: 'The operator with the highest Yield in a window, optionally of a platform or a class tier.',
  description:
    'The ranked operator with the highest Yield in a window; with platform, the best of those who used it most there; with ' +
    `class_tier, the best of that tier. A platform is searched for among the first ${SEARCHED} entries of the window or tier: ` +
    'searched is the number of candidates read, so operator null proves that none exists only when searched equals candidates.',
  input: z.strictObject({
    window: windowField,
    platform: platformField.optional(),
    class_tier: tierField.optional(),
  }),
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
  run: (wanted, board) =>
    board.ask(async (asked) => {
      const found = await search(asked, wanted);
      const { window, platform = null, class_tier = null } = wanted;
      const structured = { ...boardOf(asked.view, window), platform, class_tier, ...found };
      return { structured: { ...structured, platforms_seen: [...found.platforms_seen] }, text: show(wanted, found) };
    }),
});

async function search(board: BoardView, { window, platform, class_tier }: Wanted): Promise<Searched> {
  const range =
    class_tier === undefined
      ? { start: 0, end: board.view.totals[window] }
      : requireTier(await readTierRanges(board, window), class_tier);
  const candidates = range.end - range.start;
  const wanted = (line: { readonly platform: string }): boolean => platform === undefined || line.platform === platform;
  const { found, searched, seen } = await searchFrom(board, window, range, wanted);
  const platforms_seen = found === null ? [...new Set(seen.map((line) => line.platform))].toSorted() : [];
  const operator = found === null ? null : await finished(board, window, range.start + searched - 1, found.codename);
  return { operator, searched, candidates, platforms_seen };
}

/** The whole entry of a line that was found at about this position: lines of operators that just left are not counted. */
async function finished(board: BoardView, window: Window, position: number, codename: string) {
  const exact = (await board.position(codename, window)) ?? position;
  return (await board.entries(window, exact, 1)).find((entry) => entry.codename === codename) ?? null;
}

function show({ window, platform, class_tier }: Wanted, found: Searched): string {
  const whose = `${class_tier === undefined ? '' : `${class_tier} `}${platform === undefined ? '' : `on ${platform} `}`;
  const { operator, searched, candidates, platforms_seen } = found;
  if (operator !== null) return joinLines(`Best ${whose}${windowSentence(window)}:`, showEntry(operator));
  if (candidates === 0) return `No operator ${whose}is ranked by the counts ${windowSentence(window)}.`;
  return joinLines(
    `No operator ${whose}was found among the first ${searched} of ${count(candidates, 'operator')} ${windowSentence(window)}.`,
    `Platforms seen: ${platforms_seen.join(', ')}.`,
  );
}
