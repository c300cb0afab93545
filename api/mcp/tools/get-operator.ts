import * as z from 'zod';
import { OperatorProfile, WINDOWS } from '../../../engine/contract/index.ts';
import type { Profile } from '../../../engine/ranking/index.ts';
import { windowSentence } from '../../window-words.ts';
import { joinLines, showScores } from '../text/lines.ts';
import { showMovement, showNumber } from '../text/numbers.ts';
import { defineTool } from '../tool.ts';
import { codenameField } from './fields.ts';
import { rankedStanding, requireOperator } from './require-operator.ts';

export const getOperator = defineTool({
  name: 'get_operator',
  title: 'Operator',
  summary: "An operator's scores, rank and movement in every window.",
  description:
    "An operator's standing on the current board: Yield, Leverage, Velocity, class tier, rank, percentile and movement, of all " +
    'time and of every window. Scores are null where an operator has no input tokens and so no rank. Token counts themselves ' +
    'are not public.',
  input: z.strictObject({ codename: codenameField }),
  output: OperatorProfile.omit({ display_name: true }).extend({ generated_at: z.iso.datetime() }),
  run: ({ codename }, board) =>
    board.ask(async (asked) => {
      const profile = await requireOperator(asked, codename);
      const generated_at = new Date(asked.view.generatedAt).toISOString();
      return { structured: { ...profile, generated_at }, text: showProfile(profile) };
    }),
});

function showProfile(profile: Profile): string {
  const { codename, platform, cascade_str } = profile;
  return joinLines(
    `${codename}, mostly on ${platform}${cascade_str === null ? '' : `, cascade ${cascade_str} (cache:input:output)`}`,
    ...WINDOWS.map((window) => {
      const standing = rankedStanding(profile.windows[window]);
      if (standing === null) return `- ${windowSentence(window)}: not ranked`;
      const { movement_24h, movement_7d } = profile.windows[window];
      const { rank, percentile, class_tier } = standing;
      const movement = `24 h ${showMovement(movement_24h)}, 7 d ${showMovement(movement_7d)}`;
      return `- ${windowSentence(window)}: #${rank} (percentile ${showNumber(percentile)}), ${showScores(standing)}, ${class_tier}; ${movement}`;
    }),
  );
}
