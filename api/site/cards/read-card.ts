import type { Platform } from '../../../engine/contract/platforms.ts';
import type { Window } from '../../../engine/contract/windows.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import type { SiteContext } from '../site-context.ts';
import type { CardBoard } from './board-card.ts';
import type { CardFacts } from './operator-card.ts';

interface Asked {
  readonly window: Window;
  readonly platform?: Platform | undefined;
}

const UNRANKED = {
  display_name: null,
  rank: null,
  yield_: null,
  class_tier: null,
  percentile: null,
  witnessed_days: null,
  provisional: false,
};

/** What an operator's card shows. @throws Problem operator_unknown */
export async function readCard({ board }: SiteContext, codename: string, asked: Asked): Promise<CardFacts> {
  const { window, platform = null } = asked;
  const unknown = new Problem('operator_unknown', { detail: 'No operator has this codename.' });
  if (platform === null) {
    const profile = await fromStorage(() => board.profile(codename));
    if (profile === null) throw unknown;
    const { codename: shown, display_name, windows } = profile;
    const total = board.view().totals[window];
    return { ...windows[window], codename: shown, display_name, total, window, platform };
  }
  const request = { window, limit: 1, start: { around: codename }, at: null, platform };
  const page = await fromStorage(() => board.page(request));
  if (page.kind === 'operator_unranked') {
    const { held, reason: unranked, missing } = page;
    return { ...UNRANKED, ...held, codename: page.codename, unranked, missing, total: 0, window, platform };
  }
  if (page.kind !== 'page' || page.rows[0] === undefined) throw unknown;
  const [row] = page.rows;
  const total = Math.max(page.total, row.rank);
  return { ...UNRANKED, ...row, unranked: null, missing: [], total, window, platform };
}

/** The Yields of an operator on the kept boards and the newest one; those of a tool's boards are not kept. */
export async function readPoints({ board }: SiteContext, { codename, window, platform }: CardFacts) {
  if (platform !== null) return [];
  return (await fromStorage(() => board.withBoardView((view) => view.points(codename, window)))) ?? [];
}

/** What the card of a board or a list shows, of which `limit` rows are enough. */
export async function readBoardCard(
  { board }: SiteContext,
  asked: Asked & { readonly operators?: readonly string[] | undefined },
  limit: number,
): Promise<CardBoard> {
  const { window, platform = null, operators } = asked;
  const start = operators === undefined ? { offset: 0 } : { operators };
  const page = await fromStorage(() => board.page({ window, limit, start, at: null, platform }));
  if (page.kind !== 'page') throw new Error(`a board has no page: ${page.kind}`);
  return { rows: page.rows, total: page.total, window, platform, isList: operators !== undefined };
}
