import { windowLabel } from '../../../engine/contract/index.ts';
import type { Platform } from '../../../engine/contract/platforms.ts';
import { heldText, lackedOf, missingText, unrankedText } from '../../../engine/contract/unranked.ts';
import type { Window } from '../../../engine/contract/windows.ts';
import type { OperatorHistory, Profile, WindowScore } from '../../../engine/ranking/index.ts';
import { scaleOf } from '../../charts/axes.ts';
import { linePath } from '../../charts/line-chart.ts';
import type { ApiContext } from '../../context/api-context.ts';
import { type Html, html, NOTHING } from '../../html.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import type { Theme } from '../charts/theme.ts';
import { percentileText, readable } from '../render/numbers.ts';
import { card, LEFT, RIGHT, text, tier, tierWidth } from './card-parts.ts';
import { isDrawable, widthOf } from './font.ts';

/** What a card shows of an operator, on a board of `total` ranked ones. */
export interface CardFacts
  extends Pick<WindowScore, 'rank' | 'yield_' | 'class_tier' | 'percentile' | 'unranked' | 'missing'>,
    Partial<Pick<WindowScore, 'provisional' | 'witnessed_days'>>,
    Pick<Profile, 'codename' | 'display_name'> {
  readonly total: number;
  readonly window: Window;
  readonly platform: Platform | null;
}

type Reads = Pick<ApiContext, 'board'>;

const UNRANKED = { display_name: null, rank: null, yield_: null, class_tier: null, percentile: null, total: 0 };

/** Reads what a card shows of an operator. @throws Problem operator_unknown */
export async function readCard(
  { board }: Reads,
  codename: string,
  window: Window,
  tool?: Platform,
): Promise<CardFacts> {
  const platform = tool ?? null;
  const profile = platform === null ? await fromStorage(() => board.profile(codename)) : null;
  const asked = { window, platform };
  if (profile !== null) return { ...profile, ...profile.windows[window], total: board.view().totals[window], ...asked };
  const page = await fromStorage(() => board.page({ ...asked, limit: 1, start: { around: codename }, at: null }));
  if (page.kind === 'operator_unranked') return { ...UNRANKED, ...page.held, ...page, unranked: page.reason, ...asked };
  const row = page.kind === 'page' ? page.rows[0] : undefined;
  if (row === undefined) throw new Problem('operator_unknown', { detail: 'No operator has this codename.' });
  const total = Math.max(page.kind === 'page' ? page.total : 0, row.rank);
  return { ...UNRANKED, ...row, unranked: null, missing: [], total, ...asked };
}

/** The Yields for the line of a card: on the kept boards and the newest one. Those of tools are not kept. */
export async function readPoints({ board }: Reads, facts: CardFacts): Promise<OperatorHistory['points']> {
  const { codename, window, platform, rank } = facts;
  if (platform !== null || rank === null) return [];
  return (await fromStorage(() => board.history(codename, window)))?.points ?? [];
}

/** An operator's standing, with a line of its Yield. A display name that the font cannot draw is left out. */
export function operatorCard(facts: CardFacts, points: OperatorHistory['points'], theme: Theme): string {
  const { codename, display_name: displayName, window, platform, rank, total, class_tier } = facts;
  const topic = platform === null ? windowLabel(window) : `${windowLabel(window)} · ${platform}`;
  const place = rank === null ? 'not ranked' : `rank ${readable(rank)} of ${readable(total)}`;
  const within = RIGHT - LEFT - (class_tier === null ? 0 : tierWidth(class_tier) + 20);
  return card(theme, `${codename} on Upsilon: ${place}`, topic, [
    text(LEFT, 103, 38, codename, { bold: true, within }),
    class_tier === null ? NOTHING : tier(75, class_tier),
    displayName === null || !isDrawable(displayName)
      ? NOTHING
      : text(LEFT, 132, 20, displayName, { colour: 'soft', within: RIGHT - LEFT }),
    rank === null ? unrankedHtml(facts) : rankHtml(rank, facts, points),
    html`<path class="s-line" d="M${LEFT} 233.5H${RIGHT}"/>`,
    columnHtml(LEFT, 'Yield', facts.yield_, readable),
    columnHtml(226, 'Percentile', facts.percentile, percentileText),
    columnHtml(394, 'Witnessed', facts.witnessed_days, (days) => `${days} of 45 days`),
  ]);
}

function columnHtml(x: number, label: string, value: number | null | undefined, say: (n: number) => string): Html {
  const shown = typeof value === 'number' ? say(value) : '–';
  return html`${text(x, 261, 18, label, { colour: 'soft' })}${text(x, 291, 25, shown, { bold: true, within: 170 })}`;
}

function rankHtml(rank: number, { total, provisional }: CardFacts, points: OperatorHistory['points']): Html {
  const [words, size, of] = [`#${readable(rank)}`, rank < 10_000 ? 72 : 48, `of ${readable(total)}`];
  const after = LEFT + Math.round(widthOf(words, size, true)) + 14;
  const isNew = provisional ? text(after, 182, 20, 'provisional', { colour: 'ember', bold: true }) : NOTHING;
  const chartFrom = Math.max(348, after + Math.round(Math.max(widthOf(of, 20), provisional ? 108 : 0)) + 20);
  return html`${text(LEFT - 3, 210, size, words, { colour: 'sea', bold: true })}${text(after, 210, 20, of, { colour: 'soft' })}${isNew}${yieldLine(points, chartFrom, RIGHT - 6)}`;
}

/** A line with a mark at its end; nothing of fewer than two Yields. */
function yieldLine(points: OperatorHistory['points'], left: number, right: number): Html {
  const series = points.map(({ at, yield_: value }) => ({ at, value }));
  const ranked = series.flatMap(({ at, value }) => (value === null ? [] : [{ at, value }]));
  const [first, last] = [ranked[0], ranked.at(-1)];
  if (first === undefined || last === undefined || first.at >= last.at) return NOTHING;
  const values = ranked.map(({ value }) => value);
  const y = scaleOf(values, 208, 152);
  const x = (at: number): number => left + ((at - first.at) / (last.at - first.at)) * (right - left);
  return html`<path class="s-sea" fill="none" stroke-width="3" stroke-linejoin="round" stroke-linecap="round" d="${linePath(series, x, y)}"/><circle class="f-ember" cx="${right}" cy="${y.place(last.value).toFixed(1)}" r="6"/>`;
}

/** What stands in the place of a rank: why there is none, and what is missing. */
function unrankedHtml({ unranked, missing }: CardFacts): Html {
  const isHeld = unranked === 'held';
  const lacked = lackedOf(missing).map(missingText).join(', and ') || unrankedText(unranked);
  const lines = (isHeld ? heldText(null, missing) : lacked).match(/.{1,58}(?: |$)/g) ?? [];
  const title = text(LEFT, 172, 30, isHeld ? 'Not settled yet' : 'Not ranked', { colour: 'ember', bold: true });
  return html`${title}${lines.slice(0, 2).map((line, index) => text(LEFT, 198 + 22 * index, 18, line.trim(), { colour: 'soft' }))}`;
}
