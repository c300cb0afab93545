import { UNSPECIFIED_PLATFORM } from '../../../engine/contract/signing/index.ts';
import type { BoardEntry } from '../../../engine/ranking/index.ts';
import type { Tier } from '../../../engine/ranking/methodologies/index.ts';
import { createYieldStrip } from '../charts/yield-strip.ts';
import { type Inline, link, m, name, text } from '../render/inline.ts';
import { movement, percentile, readable, readableScore, tierBadge } from '../render/numbers.ts';
import { type Part, section, shownOnly } from '../render/parts.ts';
import { type Cell, cell, type TableData, table } from '../render/table.ts';

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
  { label: 'Tiers passed', is: ['wide'] },
];

/** Index of the first column that only HTML has: Markdown has no drawings. */
const DRAWN = COLUMNS.length - 1;

/** Entries of a board, one operator a row. `current` is the codename whose row is highlighted. */
export function boardTable(
  caption: string,
  entries: readonly BoardEntry[],
  tiers: readonly Tier[],
  current?: string,
): Part {
  const { scale, strip } = createYieldStrip(tiers, Math.max(0, ...entries.map(({ yield_ }) => yield_)));
  const rows = entries.map((entry) => ({
    cells: [...cellsOf(entry), cell('', { drawing: strip(entry.yield_) })],
    current: entry.codename === current,
  }));
  const drawn = table({ caption, className: 'board', columns: COLUMNS, rows });
  const words = table({
    caption,
    columns: COLUMNS.slice(0, DRAWN),
    rows: rows.map(({ cells }) => ({ cells: cells.slice(0, DRAWN) })),
  });
  return section(
    'board',
    shownOnly(() => scale),
    { html: (to) => drawn.html(to), markdown: (to) => words.markdown(to) },
  );
}

function cellsOf(entry: BoardEntry): Cell[] {
  const { rank, codename, platform, class_tier, yield_, leverage, velocity } = entry;
  return [
    cell(readable(rank)),
    cell(movement(entry.movement_24h)),
    cell(movement(entry.movement_7d)),
    cell(operatorLink(codename), {
      under: [
        { kind: 'narrow', text: `${class_tier} · ` },
        ...displayed(entry.display_name),
        ...platformName(platform),
      ],
    }),
    cell(tierBadge(class_tier)),
    cell(readableScore(yield_)),
    cell(readableScore(leverage)),
    cell(readableScore(velocity)),
    cell(percentile(entry.percentile)),
  ];
}

function displayed(displayName: string | null): Inline {
  return displayName === null ? [] : m`${name(displayName)} · `;
}

/** The platform that an operator used most, or `missing` when snapshots contain none. */
export function platformName(platform: string, missing = 'platform not specified'): Inline {
  return text(platform === UNSPECIFIED_PLATFORM || platform === '' ? missing : platform);
}

/** A codename as a link to its page. Codenames are letters, digits and hyphens; other characters would be percent-encoded. */
export function operatorLink(codename: string): Inline {
  return link(codename, `site:/operators/${encodeURIComponent(codename)}`);
}
