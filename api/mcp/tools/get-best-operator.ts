import * as z from 'zod';
import { windowSentence } from '../../../engine/contract/index.ts';
import { joinLines, showRow } from '../text.ts';
import { Entry, pageFields, pageHead, platformField, tierField, toolInput, windowField } from './fields.ts';
import { requirePage, requireTier } from './require-operator.ts';
import { defineTool } from './tool.ts';

/** Rows read for one: those of operators that left the board since are left out. */
const READ = 10;

export const getBestOperator = defineTool({
  name: 'get_best_operator',
  title: 'Best operator',
  summary:
    'The operator with the highest Yield in a window, optionally by the counts of a platform or of a class tier.',
  description:
    'The ranked operator with the highest Yield in a window, on the board of all or on that of one AI tool (`platform`); with class_tier, ' +
    'the best of that tier. operator null: there is none.',
  input: toolInput({ window: windowField, platform: platformField, class_tier: tierField.optional() }),
  output: z.object({
    ...pageFields,
    class_tier: z.string().nullable(),
    operator: Entry.nullable().describe('Null when no operator matches.'),
    candidates: z.int().min(0).describe('Ranked operators of the window, or of the tier in it.'),
  }),
  run: ({ window, platform = null, class_tier = null }, board) =>
    board.withBoardView(async (view) => {
      const tier = class_tier === null ? null : requireTier(await view.tierRanges(window, platform), class_tier);
      const start = { offset: tier?.start ?? 0 };
      const page = await requirePage(view, { window, limit: READ, start, at: null, platform });
      const candidates = tier === null ? page.total : tier.end - tier.start;
      // Where all of the tier left since, the next rows are of another.
      const operator = page.rows.find((row) => class_tier === null || row.class_tier === class_tier) ?? null;
      const of = class_tier === null ? '' : `${class_tier} `;
      const where = `${windowSentence(window)}${platform === null ? '' : ` by the counts of ${platform} alone`}`;
      const text =
        operator === null
          ? `No ${of}operator is ranked ${where}.`
          : joinLines(`Best ${of}operator ${where}, of ${candidates}:`, showRow(operator, platform === null));
      return { structured: { ...pageHead(view, page, window, platform), class_tier, operator, candidates }, text };
    }),
});
