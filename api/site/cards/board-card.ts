import { windowLabel } from '../../../engine/contract/index.ts';
import type { Window } from '../../../engine/contract/windows.ts';
import type { BoardPage } from '../../../engine/ranking/index.ts';
import { readable, readableScore } from '../render/numbers.ts';
import { card, LEFT, RIGHT, text, tier, tierWidth } from './card-parts.ts';

/** Rows of a board's card. */
export const CARD_ROWS = 4;

/** The first rows of a board, of a tool's, of a list, or of a league with its name. */
export function boardCard({ rows, total, offset }: BoardPage, window: Window, platform: string | null, name = '') {
  const isList = offset === null;
  const title = name || (isList ? 'Ranked among themselves' : `Who gets the most out of ${platform ?? 'a token'}?`);
  const those = isList ? `${rows.length} operators` : `${readable(total)} ranked operators`;
  const shown = rows.slice(0, CARD_ROWS);
  const pill = Math.max(...shown.map(({ class_tier }) => tierWidth(class_tier)));
  return card('dark', `Upsilon: ${title}`, `${windowLabel(window)} · ${those}`, [
    text(LEFT, 103, 32, title, { bold: true, within: RIGHT - LEFT }),
    ...shown.flatMap(({ rank, codename, yield_, class_tier }, index) => {
      const y = 156 + 41 * index;
      return [
        text(LEFT, y, 24, readable(rank), { colour: 'sea', bold: true, within: 36 }),
        text(LEFT + 44, y, 24, codename, { within: 245 }),
        text(RIGHT - pill - 20, y, 24, readableScore(yield_), { anchor: 'end', bold: true, within: 120 }),
        ...(class_tier ? [tier(y - 24, class_tier, pill)] : []),
      ];
    }),
  ]);
}
