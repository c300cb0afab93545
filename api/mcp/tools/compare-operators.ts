import * as z from 'zod';
import { type Window, windowSentence } from '../../../engine/contract/index.ts';
import { MAIN_CAUSES, separate } from '../analysis/separation.ts';
import { count, joinLines, showNumber, showRatios, showScores } from '../text.ts';
import { boardFields, codenameField, Line, ratio, toolInput, windowField } from './fields.ts';
import { type RankedStanding, rankedStanding, requireOperators } from './require-operator.ts';
import { defineQuery, ToolError } from './tool.ts';

const MIN_OPERATORS = 2;
const MAX_OPERATORS = 100;

const Gap = z.object({
  ahead: z.string(),
  behind: z.string(),
  ranks: z.int().min(0).describe('Ranks between them.'),
  yield_ratio: ratio.describe('Yield of the one ahead over that of the one behind.'),
  leverage_ratio: ratio,
  velocity_ratio: ratio,
  leverage_share: ratio.describe('Share of the gap in Yield due to Leverage.'),
  velocity_share: ratio.describe('Share of the gap in Yield due to Velocity.'),
  main: z.enum(MAIN_CAUSES).describe('The ratio that causes at least two thirds of the gap.'),
});

type Gap = z.infer<typeof Gap>;

type Compared = Readonly<{ codename: string; standing: RankedStanding | null }>;

export const compareOperators = defineQuery({
  name: 'compare_operators',
  title: 'Compare operators',
  summary: 'Two to a hundred operators side by side: all scores, their ratios, and the cause of each gap.',
  description:
    'Two to a hundred operators in one window, best first: scores, rank, percentile, tier; then, for each and the next one behind it, ' +
    'the ratios of Yield, Leverage and Velocity and the main cause of the gap. Since Yield is Leverage times Velocity, the shares are ' +
    'the parts of the gap (in logarithms) due to each; they add up to 1, and one is negative when it acts in the opposite direction. Ratios ' +
    'to a 0 are null. Operators not ranked in the window come last with nulls.',
  input: toolInput({
    codenames: z
      .array(codenameField)
      .min(MIN_OPERATORS)
      .max(MAX_OPERATORS)
      .describe('Two to a hundred different codenames.'),
    window: windowField,
  }),
  output: z.object({
    ...boardFields,
    operators: z.array(
      Line.omit({ platform: true })
        .extend({ percentile: z.number() })
        .partial()
        .extend({ codename: z.string(), ranked: z.boolean() }),
    ),
    gaps: z.array(Gap),
  }),
  async find({ codenames, window }, board) {
    const keys = codenames.map((codename) => codename.toLowerCase());
    const repeated = keys.find((key, index) => keys.indexOf(key) !== index);
    if (repeated !== undefined) {
      throw new ToolError(`The codename ${JSON.stringify(repeated)} appears twice. Give each once.`);
    }
    const compared = (await requireOperators(board, codenames))
      .map(({ codename, windows }) => ({ codename, standing: rankedStanding(windows[window]) }))
      .toSorted((a, b) => (b.standing?.yield_ ?? -1) - (a.standing?.yield_ ?? -1));
    const gaps = gapsOf(compared);
    const operators = compared.map(({ codename, standing }) => ({ codename, ranked: standing !== null, ...standing }));
    return [{ operators, gaps }, show(window, compared, gaps)];
  },
});

/** The gap between each ranked operator and the next one behind it. */
function gapsOf(compared: readonly Compared[]): Gap[] {
  return compared.slice(1).flatMap((behind, index) => {
    const ahead = compared[index]!;
    if (ahead.standing === null || behind.standing === null) return [];
    const yield_ratio = ahead.standing.yield_ / behind.standing.yield_;
    return {
      ahead: ahead.codename,
      behind: behind.codename,
      ranks: behind.standing.rank - ahead.standing.rank,
      yield_ratio: behind.standing.yield_ > 0 && Number.isFinite(yield_ratio) ? yield_ratio : null,
      ...separate(ahead.standing, behind.standing),
    };
  });
}

function show(window: Window, compared: readonly Compared[], gaps: readonly Gap[]): string {
  return joinLines(
    `Side by side, by usage ${windowSentence(window)}:`,
    ...compared.map(({ codename, standing }) =>
      standing === null
        ? `- ${codename}: not ranked`
        : `- #${standing.rank} ${codename} (percentile ${showNumber(standing.percentile)}): ${showScores(standing)}, ${standing.class_tier}`,
    ),
    ...gaps.map(
      (gap) =>
        `${gap.ahead} over ${gap.behind}, ${count(gap.ranks, 'rank')} apart: ${showRatios(gap)}. What separates them: ${MAIN_WORDS[gap.main]}.`,
    ),
  );
}

const MAIN_WORDS: Readonly<Record<Gap['main'], string>> = {
  leverage: 'mainly Leverage',
  velocity: 'mainly Velocity',
  both: 'both Leverage and Velocity',
  neither: 'nothing',
};
