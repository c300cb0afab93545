import { type Window, windowSentence } from '../../../engine/contract/index.ts';
import { UNSPECIFIED_PLATFORM } from '../../../engine/contract/signing/index.ts';
import { heldText } from '../../../engine/contract/unranked.ts';
import type { HeldRow, PageRow } from '../../../engine/ranking/index.ts';
import type { Tier } from '../../../engine/ranking/methodologies/index.ts';
import { type Html, html } from '../../html.ts';
import { operatorRef } from '../render/addresses.ts';
import { type Inline, link, m, name, narrow, text } from '../render/inline.ts';
import { movement, percentile, readable, readableScore, scoreOr, tierBadge } from '../render/numbers.ts';
import { type Cell, type Part, section, shownOnly, type TableData, table } from '../render/parts.ts';
import { flagMarks } from './reliance.ts';

/** The last column is only in HTML: Markdown has no drawings. */
const COLUMNS: TableData['columns'] = [
  { label: 'Rank', is: ['number'] },
  { label: '24 h', is: ['number'] },
  { label: '7 d', is: ['number', 'wide'] },
  { label: 'Operator', is: ['row'] },
  { label: 'Tier', is: ['roomy'] },
  { label: 'Yield', is: ['number'] },
  { label: 'Leverage', is: ['number', 'wide'] },
  { label: 'Velocity', is: ['number', 'wide'] },
  { label: 'Percentile', is: ['number', 'wide'] },
  { label: 'Tiers passed (log scale)', is: ['wide'] },
];

/** The places of movements in `COLUMNS`. */
const [DAY, WEEK] = [1, 2];

/** Entries of a window's board, one operator a row. `current`: the codename whose row is highlighted; `moves`: whether the board has movements. */
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
  const { scale, strip } = createYieldStrip(tiers, Math.max(0, ...entries.map(({ yield_ }) => yield_)));
  const rows = entries.map((entry) => shown(rowOf(entry, window)));
  const drawn = table({
    caption,
    className: 'board',
    columns: shown(COLUMNS),
    rows: rows.map((cells, index) => [...cells, { ...text(''), drawing: strip(entries[index]!.yield_) }]),
    current: entries.findIndex(({ codename }) => codename === current),
    anchors: entries.map(({ codename }) => rowAnchor(codename)),
  });
  const words = table({ caption, columns: shown(COLUMNS).slice(0, -1), rows });
  return section(
    'board',
    shownOnly(() => scale),
    { ...drawn, markdown: words.markdown },
  );
}

/** Rows that are not settled yet, by Yield. */
export function heldTable(rows: readonly HeldRow[], window: Window): Part {
  return table({
    caption: `Rows that are not settled yet ${windowSentence(window)}`,
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

/** The cells of an entry in all columns but the last; dashes for what was not kept. In a list the rank among all is under that in it. */
function rowOf(entry: PageRow, window: Window): Cell[] {
  const { rank, global_rank, codename, platform, class_tier = null, yield_, display_name: displayName } = entry;
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
      under: m`${narrow(`${class_tier} · `)}${shownName}${platformName(platform)}${marks.map((one) => m` · ${one}`)}${entry.held === true ? m` · [not settled yet](login:/methodology#settled)` : ''}`,
    },
    tierBadge(class_tier),
    readableScore(yield_),
    scoreOr(entry.leverage),
    scoreOr(entry.velocity),
    percentile(entry.percentile),
  ];
}

/** The platform that an operator used most, or `missing` when snapshots contain none. */
export function platformName(platform: string, missing = 'platform not specified'): Inline {
  return text(isUnspecified(platform) ? missing : platform);
}

export function isUnspecified(platform: string): boolean {
  return platform === UNSPECIFIED_PLATFORM || platform === '';
}

const WIDTH = 144;
const MIDDLE = 9;
const PADDING = 4;

/** Powers of ten that a strip shows below the first threshold, and above the last one or the largest Yield. */
const MARGIN_POWERS = 1;

/** Draws the strips of one board: a logarithmic scale with a tick at each tier's threshold, and a dot at the Yield. */
function createYieldStrip(tiers: readonly Tier[], largest: number) {
  const powers = tiers.filter(({ from }) => from > 0).map(({ from }) => Math.log10(from));
  const low = Math.min(...powers, 0) - MARGIN_POWERS;
  const high = Math.max(...powers, largest > 0 ? Math.log10(largest) : 0) + MARGIN_POWERS;
  const place = (power: number): number => {
    const share = Math.min(1, Math.max(0, (power - low) / (high - low)));
    return Math.round((PADDING + share * (WIDTH - 2 * PADDING)) * 10) / 10;
  };
  const ticks = powers.map((power) => `M${place(power)} 5V13`).join('');
  return {
    // The scale is drawn once; every row references it.
    scale: html`<svg width="0" height="0" aria-hidden="true" class="said"><symbol id="tiers" viewBox="0 0 ${WIDTH} 18"><path class="axis" d="M0 ${MIDDLE}H${WIDTH}${ticks}" fill="none"/></symbol></svg>`,
    strip: (yield_: number): Html => {
      const at = place(yield_ > 0 ? Math.log10(yield_) : low);
      return html`<svg class="strip" viewBox="0 0 ${WIDTH} 18" aria-hidden="true"><use href="#tiers"/><path class="reach" d="M${PADDING} ${MIDDLE}H${at}"/><circle class="at" cx="${at}" cy="${MIDDLE}" r="4"/></svg>`;
    },
  };
}
