import type { OperatorHistory, Profile } from '../../../engine/ranking/index.ts';
import type { Resolver } from '../render/addresses.ts';
import { type Html, html } from '../render/html.ts';
import { type Inline, m, text } from '../render/inline.ts';
import { movement, percentile, readable, readableOr } from '../render/numbers.ts';
import { heading, lede, type Part, prose, shownOnly, writtenOnly } from '../render/parts.ts';
import type { SitePage } from '../render/site-page.ts';
import { cell, table } from '../render/table.ts';
import { operatorLink } from './board-table.ts';
import { historyParts } from './history-parts.ts';
import { operatorName } from './operator.ts';

/** One side of a comparison. */
export interface Compared {
  readonly profile: Profile;
  readonly history: OperatorHistory;
}

/** What was asked for, as it was typed. */
export interface CompareAsked {
  readonly a: string;
  readonly b: string;
}

/** The form, with a note on who could not be found. */
export function compareFormPage(asked: CompareAsked, unknown: readonly string[]): SitePage {
  return {
    ...FRAME,
    canonical: 'site:/compare',
    title: 'Compare two operators',
    parts: [
      lede(m`Two operators side by side: scores, tiers, ranks, and how they moved.`),
      ...unknown.map((codename) => prose(m`There is no operator called **${codename}**.`)),
      shownOnly((to) => compareForm(asked, to)),
      writtenOnly(m`Ask for \`/compare?a=CODENAME&b=CODENAME\`.`),
    ],
  };
}

/** Two operators side by side. */
export function comparePage(a: Compared, b: Compared): SitePage {
  const [one, other] = [a.profile, b.profile];
  return {
    ...FRAME,
    canonical: `site:/compare?a=${one.codename}&b=${other.codename}`,
    title: `${one.codename} and ${other.codename}`,
    above: m`[Compare](site:/compare)`,
    parts: [
      lede(verdict(one, other)),
      comparison(one, other),
      heading(2, 'Over time'),
      ...historyParts([a.history, b.history]),
      heading(2, 'Compare others'),
      shownOnly((to) => compareForm({ a: one.codename, b: '' }, to)),
      writtenOnly(m`Ask for \`/compare?a=CODENAME&b=CODENAME\`.`),
    ],
  };
}

const FRAME = {
  surface: 'site',
  area: 'compare',
  width: 'tables',
  description: 'Two AI operators of the Upsilon leaderboard side by side.',
} as const;

function compareForm({ a, b }: CompareAsked, to: Resolver): Html {
  return html`<form action="${to.near('site:/compare')}" method="get">${field('One operator', 'a', a)}${field('Another', 'b', b)}<button>Compare</button></form>`;
}

function field(label: string, key: string, value: string): Html {
  return html`<label><span>${label}</span><input name="${key}" value="${value}" required minlength="3" maxlength="32" placeholder="codename" autocomplete="off" autocapitalize="none" spellcheck="false"></label>`;
}

function verdict(one: Profile, other: Profile): Inline {
  const [x, y] = [one.yield_, other.yield_];
  if (x === null || y === null) {
    const missing = x === null ? one : other;
    return m`${operatorName(missing)} has no score yet, so there is no telling who is ahead.`;
  }
  if (x === y) return m`${operatorName(one)} and ${operatorName(other)} have the same Yield.`;
  const [ahead, behind, more, less] = x > y ? [one, other, x, y] : [other, one, y, x];
  const times = less === 0 ? m`, whose Yield is 0` : m`: ${readable(more / less)} times the Yield`;
  return m`${operatorName(ahead)} is ahead of ${operatorName(behind)}${times}.`;
}

function comparison(one: Profile, other: Profile): Part {
  const both = (label: string, of: (profile: Profile) => Inline, by?: (profile: Profile) => number | null) => ({
    cells: [cell(label), cell(of(one)), cell(of(other)), cell(by === undefined ? '' : leader(one, other, by))],
  });
  return table({
    caption: `${one.codename} and ${other.codename} side by side`,
    columns: [
      { label: 'All time', is: ['row'] },
      { label: one.codename, is: ['number'] },
      { label: other.codename, is: ['number'] },
      { label: 'Ahead', is: ['roomy'] },
    ],
    rows: [
      both('Operator', ({ codename }) => operatorLink(codename)),
      both(
        'Rank',
        ({ rank }) => readableOr(rank, 'not ranked'),
        ({ rank }) => (rank === null ? null : -rank),
      ),
      both(
        'Yield',
        ({ yield_ }) => readableOr(yield_),
        ({ yield_ }) => yield_,
      ),
      both(
        'Leverage',
        ({ leverage }) => readableOr(leverage),
        ({ leverage }) => leverage,
      ),
      both(
        'Velocity',
        ({ velocity }) => readableOr(velocity),
        ({ velocity }) => velocity,
      ),
      both('Cascade', ({ cascade_str: cascade }) => (cascade === null ? readableOr(null) : text(cascade))),
      both('Tier', ({ class_tier: tier }) => (tier === null ? readableOr(null) : text(tier))),
      both(
        'Percentile',
        ({ percentile: share }) => percentile(share),
        ({ percentile: share }) => share,
      ),
      both(
        'Last 24 hours',
        ({ movement_24h }) => movement(movement_24h),
        ({ movement_24h }) => movement_24h,
      ),
      both(
        'Last 7 days',
        ({ movement_7d }) => movement(movement_7d),
        ({ movement_7d }) => movement_7d,
      ),
      both('Platform', ({ platform }) => text(platform)),
    ],
  });
}

function leader(one: Profile, other: Profile, by: (profile: Profile) => number | null): Inline {
  const [x, y] = [by(one), by(other)];
  if (x === null || y === null) return text('');
  if (x === y) return text('equal');
  return text(x > y ? one.codename : other.codename);
}
