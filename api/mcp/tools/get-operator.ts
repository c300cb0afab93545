import * as z from 'zod';
import { OperatorProfile, unrankedText, WINDOWS, windowSentence } from '../../../engine/contract/index.ts';
import type { Profile } from '../../../engine/ranking/index.ts';
import { joinLines, showMissing, showMovements, showNumber, showReliance, showScores } from '../text.ts';
import { codenameField, INTEGRITY_TEXT, toolInput } from './fields.ts';
import { rankedStanding, requireOperator } from './require-operator.ts';
import { defineQuery } from './tool.ts';

export const getOperator = defineQuery({
  name: 'get_operator',
  title: 'Operator',
  summary: "An operator's scores, rank and movement in every window.",
  description:
    "An operator's standing on the current board: Yield, Leverage, Velocity, class tier, rank, percentile and movement, of all " +
    'time and of every window. Scores are null where an operator is not ranked, and `unranked` says why, and `missing` what ' +
    `it lacks. Token counts of ranked rows are not public. ${INTEGRITY_TEXT}`,
  input: toolInput({ codename: codenameField }),
  output: OperatorProfile.omit({ display_name: true }).extend({
    generated_at: z.iso.datetime(),
    board_at: z.iso.datetime(),
  }),
  async find({ codename }, board) {
    const profile = await requireOperator(board, codename);
    return [profile, showProfile(profile)];
  },
});

function showProfile(profile: Profile): string {
  const { codename, platform, cascade_str } = profile;
  return joinLines(
    `${codename}, mostly on ${platform}${cascade_str === null ? '' : `, cascade ${cascade_str} (cache:input:output)`}`,
    ...WINDOWS.map((window) => {
      const standing = rankedStanding(profile.windows[window]);
      if (standing === null)
        return `- ${windowSentence(window)}: not ranked, because ${unrankedText(profile.windows[window].unranked)}${showMissing(profile.windows[window])}`;
      const { rank, percentile, class_tier } = standing;
      return `- ${windowSentence(window)}: #${rank} (percentile ${showNumber(percentile)}), ${showScores(standing)}, ${class_tier}; ${showMovements(profile.windows[window])}${showReliance(profile.windows[window])}`;
    }),
  );
}
