import * as z from 'zod';
import { DEFAULT_LEADERBOARD_LIMIT, MAX_LEADERBOARD_LIMIT, windowSentence } from '../../../engine/contract/index.ts';
import { count, joinLines, showEntry } from '../text.ts';
import { boardFields, Entry, INTEGRITY_TEXT, windowField } from './fields.ts';
import { boardOf, defineTool } from './tool.ts';

export const getLeaderboard = defineTool({
  name: 'get_leaderboard',
  title: 'Leaderboard',
  summary: 'The first operators of a window, ranked by Yield.',
  description:
    'The first operators of a window, best first, ranked by Yield = cache_read x output / input^2. Equal Yields share a rank. ' +
    'Every operator on the board submitted signed counts; nothing is estimated, and a board without operators is empty. ' +
    INTEGRITY_TEXT,
  input: z.strictObject({
    window: windowField,
    limit: z
      .int()
      .min(1)
      .max(MAX_LEADERBOARD_LIMIT)
      .default(DEFAULT_LEADERBOARD_LIMIT)
      .describe('Maximum number of entries to return.'),
  }),
  output: z.object({ ...boardFields, entries: z.array(Entry).max(MAX_LEADERBOARD_LIMIT) }),
  async run({ window, limit }, board) {
    const entries = board.view().topEntries[window].slice(0, limit);
    const head = await board.withBoardView(async ({ view }) => boardOf(view, window));
    const total = head.total_operators;
    const text =
      total === 0
        ? `No operator is on the board ${windowSentence(window)} yet.`
        : joinLines(
            `The top ${entries.length} of ${count(total, 'operator')} ${windowSentence(window)}:`,
            ...entries.map(showEntry),
          );
    return { structured: { ...head, entries }, text };
  },
});
