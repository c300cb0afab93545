import { windowLabel } from '../../../engine/contract/index.ts';
import type { Platform } from '../../../engine/contract/platforms.ts';
import type { Window } from '../../../engine/contract/windows.ts';
import type { BoardPage } from '../../../engine/ranking/index.ts';
import type { Theme } from '../charts/theme.ts';
import { readable } from '../render/numbers.ts';
import { card, LEFT, RIGHT, text, tier } from './card-parts.ts';

/** Rows of a board's card. */
export const CARD_ROWS = 4;

export interface CardBoard extends Pick<BoardPage, 'rows' | 'total'> {
  readonly window: Window;
  readonly platform: Platform | null;
  /** Whether the rows are ranked among themselves. */
  readonly isList: boolean;
}

/** The first rows of a board, of a tool's, or of a list. */
export function boardCard({ rows, total, window, platform, isList }: CardBoard, theme: Theme): string {
  const question = `Who gets the most out of ${platform ?? 'a token'}?`;
  const title = isList ? 'Ranked among themselves' : question;
  const those = isList ? `${rows.length} operators` : `${readable(total)} ranked operators`;
  return card(
    theme,
    `Upsilon: ${title}`,
    `${windowLabel(window)} · ${those}`,
    text(LEFT, 103, 32, title, { bold: true, within: RIGHT - LEFT }),
    ...rows.slice(0, CARD_ROWS).flatMap(({ rank, codename, yield_, class_tier }, index) => {
      const y = 156 + 41 * index;
      return [
        text(LEFT + 20, y, 24, readable(rank), { face: 'sea', bold: true, anchor: 'middle', within: 44 }),
        text(LEFT + 58, y, 24, codename, { within: 250 }),
        text(RIGHT - 108, y, 24, readable(yield_), { anchor: 'end', bold: true, within: 130 }),
        ...(class_tier ? [tier(RIGHT, y - 24, class_tier)] : []),
      ];
    }),
  );
}
