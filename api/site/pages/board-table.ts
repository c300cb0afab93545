import { type Window, windowSentence } from '../../../engine/contract/index.ts';
import { UNSPECIFIED_PLATFORM } from '../../../engine/contract/signing/index.ts';
import { heldText } from '../../../engine/contract/unranked.ts';
import type { HeldRow, PageRow } from '../../../engine/ranking/index.ts';
import type { Tier } from '../../../engine/ranking/methodologies/index.ts';
import { html } from '../../html.ts';
import { operatorRef } from '../render/addresses.ts';
import { type Inline, link, m, name, text } from '../render/inline.ts';
import { movement, percentile, readable, readableScore, scoreOr, tierBadge } from '../render/numbers.ts';
import { type Cell, type Part, type TableData, table } from '../render/parts.ts';
import { flagMarks } from './reliance.ts';

const COLUMNS: TableData['columns'] = [
  { label: 'Rank', is: ['number'] },
  { label: '24 h', is: ['number'] },
  { label: '7 d', is: ['number', 'wide'] },
  { label: 'Operator', is: ['row'] },
  { label: 'Yield', is: ['number'] },
  { label: 'Leverage', is: ['number', 'wide'] },
  { label: 'Velocity', is: ['number', 'wide'] },
  { label: 'Percentile', is: ['number', 'wide'] },
];

/** The places of movements in `COLUMNS`. */
const [DAY, WEEK] = [1, 2];

/** Entries of a window's board, one operator a row, by tier. `current`: the codename whose row is highlighted; `moves`: whether the board has movements. */
export function boardTable(
  caption: string,
  entries: readonly PageRow[],
  tiers: readonly Tier[],
  window: Window,
  { current, moves = true }: { readonly current?: string; readonly moves?: boolean } = {},
): Part {
  // A league has none of seven days.
  const movesInWeek = moves && entries.every(({ movement_7d }) => movement_7d !== undefined);
  const isShown = (index: number) => (index === DAY ? moves : index === WEEK ? movesInWeek : true);
  const shown = <T>(cells: readonly T[]): T[] => cells.filter((_, index) => isShown(index));
  const begun = entries.flatMap(({ class_tier }, row) => {
    const at = entries[row - 1]?.class_tier === class_tier ? -1 : tiers.findIndex((tier) => tier.name === class_tier);
    return at < 0 ? [] : [[row, tierBand(tiers, at)] as const];
  });
  return table({
    caption,
    className: 'board',
    columns: shown(COLUMNS),
    rows: entries.map((entry) => shown(rowOf(entry, window))),
    current: entries.findIndex(({ codename }) => codename === current),
    anchors: entries.map(({ codename }) => rowAnchor(codename)),
    bands: new Map(begun),
  });
}

/** A tier with its bounds. */
function tierBand(tiers: readonly Tier[], at: number): Inline {
  const [{ name: label, from } = { name: '', from: 0 }, next] = tiers.slice(at, at + 2);
  const until = next === undefined ? '' : ` to ${readable(next.from)}`;
  const bounds = from === 0 ? ` Yield below ${readable(next?.from ?? 0)}` : ` Yield from ${readable(from)}${until}`;
  return m`${link(tierBadge(label), 'login:/methodology#tiers')}${bounds}`;
}

/** Operators that are not settled yet, by Yield. */
export function heldTable(rows: readonly HeldRow[], window: Window): Part {
  return table({
    caption: `Operators that are not settled yet ${windowSentence(window)}`,
    className: 'stacked',
    columns: [
      { label: 'Operator', is: ['row'] },
      { label: 'Yield', is: ['number'] },
      { label: 'Witnessed', is: ['number'] },
      { label: 'Needs' },
    ],
    rows: rows.map(({ codename, platform, yield_, witnessed_days, would_be, missing }) => [
      { ...link(codename, operatorRef(codename)), under: platformName(platform) },
      readableScore(yield_),
      `${witnessed_days} of 45 days`,
      heldText(would_be, missing),
    ]),
  });
}

/** The anchor of an operator's row. */
export function rowAnchor(codename: string): string {
  return `row-${codename}`;
}

/** The cells of an entry; dashes for what was not kept. In a list the rank among all is under that in it. */
function rowOf(entry: PageRow, window: Window): Cell[] {
  const { rank, global_rank, codename, platform, yield_, display_name: displayName } = entry;
  const shownName = displayName === null ? '' : m`${name(displayName)} · `;
  const { integrity, provisional } = entry;
  const isWhole = integrity !== undefined && provisional !== undefined;
  const marks = isWhole ? flagMarks({ integrity, provisional }, codename, window) : [];
  return [
    global_rank === undefined
      ? readable(rank)
      : { ...text(readable(rank)), under: m`of all: ${global_rank === null ? '–' : readable(global_rank)}` },
    movement(entry.movement_24h),
    movement(entry.movement_7d),
    {
      ...link(codename, operatorRef(codename)),
      under: m`${shownName}${platformName(platform)}${marks.map((one) => m` · ${one}`)}${entry.held === true ? m` · [not settled yet](login:/methodology#settled)` : ''}`,
    },
    readableScore(yield_),
    scoreOr(entry.leverage),
    scoreOr(entry.velocity),
    percentile(entry.percentile),
  ];
}

/** The platform that an operator used most, or `missing` when snapshots contain none. */
export function platformName(platform: string, missing = 'platform not specified'): Inline {
  return isUnspecified(platform)
    ? text(missing)
    : { ...text(platform), html: () => html`<span class="whole">${platform}</span>` };
}

export function isUnspecified(platform: string): boolean {
  return platform === UNSPECIFIED_PLATFORM || platform === '';
}
