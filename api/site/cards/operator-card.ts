import { windowLabel } from '../../../engine/contract/index.ts';
import type { Platform } from '../../../engine/contract/platforms.ts';
import { heldUntilText, lackedOf, missingText, unrankedText } from '../../../engine/contract/unranked.ts';
import type { Window } from '../../../engine/contract/windows.ts';
import type { HistoryPoint, WindowScore } from '../../../engine/ranking/index.ts';
import { scaleOf } from '../../charts/axes.ts';
import { linePath } from '../../charts/line-chart.ts';
import { type Html, html, NOTHING } from '../../html.ts';
import type { Theme } from '../charts/theme.ts';
import { percentileText, readable } from '../render/numbers.ts';
import { card, LEFT, RIGHT, text, tier, tierWidth } from './card-parts.ts';
import { isDrawable, linesOf, widthOf } from './font.ts';

type Shown = 'rank' | 'yield_' | 'class_tier' | 'percentile' | 'unranked' | 'missing' | 'provisional';

/** What a card shows of an operator. `witnessed_days` is null where the operator is not on the board that was asked for. */
export interface CardFacts extends Pick<WindowScore, Shown> {
  readonly codename: string;
  readonly display_name: string | null;
  readonly witnessed_days: number | null;
  /** Ranked operators of the board. */
  readonly total: number;
  readonly window: Window;
  readonly platform: Platform | null;
}

/** Days of which the witnessed ones are counted. */
const DAYS = 45;

/** An operator's standing, with a line of its Yield. A display name that the font cannot draw is left out. */
export function operatorCard(facts: CardFacts, points: readonly HistoryPoint[], theme: Theme): string {
  const { codename, display_name: displayName, window, platform, rank, total, class_tier, yield_, percentile } = facts;
  const topic = [windowLabel(window), ...(platform === null ? [] : [platform])].join(' · ');
  const place = rank === null ? 'not ranked' : `rank ${readable(rank)} of ${readable(total)}`;
  const pill = tierWidth(class_tier);
  const columns = [
    ['Yield', yield_ === null ? '–' : readable(yield_)],
    ['Percentile', percentile === null ? '–' : percentileText(percentile)],
    ['Witnessed', facts.witnessed_days === null ? '–' : `${facts.witnessed_days} of ${DAYS} days`],
  ] as const;
  return card(
    theme,
    `${codename} on Upsilon: ${place}`,
    topic,
    text(LEFT, 103, 38, codename, { bold: true, within: RIGHT - LEFT - pill - (pill === 0 ? 0 : 20) }),
    class_tier === null ? NOTHING : tier(RIGHT, 75, class_tier),
    displayName === null || !isDrawable(displayName)
      ? NOTHING
      : text(LEFT, 132, 20, displayName, { face: 'soft', within: RIGHT - LEFT }),
    rank === null ? unrankedHtml(facts) : rankHtml(rank, facts, points),
    html`<path class="s-line" d="M${LEFT} 233.5H${RIGHT}"/>`,
    ...columns.flatMap(([label, value], index) => [
      text(COLUMNS[index]!, 261, 18, label, { face: 'soft' }),
      text(COLUMNS[index]!, 291, 25, value, { bold: true, within: 170 }),
    ]),
  );
}

/** The left ends of the columns below the line. */
const COLUMNS = [LEFT, 226, 394] as const;

/** Where the line of the Yield is. */
const CHART = { left: 348, right: RIGHT - 6, top: 152, bottom: 208 } as const;

function rankHtml(rank: number, { total, provisional }: CardFacts, points: readonly HistoryPoint[]): Html {
  const [words, size] = [`#${readable(rank)}`, rank < 10_000 ? 72 : 48];
  const after = LEFT + Math.round(widthOf(words, size)) + 14;
  return html`${text(LEFT - 3, 210, size, words, { face: 'sea', bold: true })}${text(after, 210, 20, `of ${readable(total)}`, { face: 'soft' })}${provisional ? text(after, 182, 20, 'provisional', { face: 'ember', bold: true }) : NOTHING}${yieldLine(points)}`;
}

/** A line with a mark at its end; nothing of fewer than two Yields. */
function yieldLine(points: readonly HistoryPoint[]): Html {
  const ranked = points.flatMap(({ at, yield_ }) => (yield_ === null ? [] : [{ at, value: yield_ }]));
  const [first, last] = [ranked[0]?.at ?? 0, ranked.at(-1)?.at ?? 0];
  if (first === last) return NOTHING;
  const { left, right, top, bottom } = CHART;
  const x = (at: number): number => left + ((at - first) / (last - first)) * (right - left);
  const values = ranked.map(({ value }) => value);
  const y = scaleOf(values, bottom, top);
  const series = points.map(({ at, yield_ }) => ({ at, value: yield_ }));
  return html`<path class="s-sea" fill="none" stroke-width="3" stroke-linejoin="round" stroke-linecap="round" d="${linePath(series, x, y)}"/><circle class="f-ember" cx="${right}" cy="${y.place(values.at(-1)!).toFixed(1)}" r="6"/>`;
}

/** What stands in the place of a rank: why there is none, and what is missing. */
function unrankedHtml({ unranked, missing }: CardFacts): Html {
  const isHeld = unranked === 'held';
  const lacked = lackedOf(missing).map(missingText);
  const why = lacked.length === 0 ? unrankedText(unranked) : lacked.join(', and ');
  const lines = linesOf(isHeld ? heldUntilText(missing) : why, 19, RIGHT - LEFT).slice(0, 2);
  return html`${text(LEFT, 172, 32, isHeld ? 'Not settled yet' : 'Not ranked', { face: 'ember', bold: true })}${lines.map((line, index) => text(LEFT, 197 + 24 * index, 19, line, { face: 'soft' }))}`;
}
