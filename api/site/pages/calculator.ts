import * as z from 'zod';
import { type Counts, MAX_COUNT } from '../../../engine/contract/signing/index.ts';
import { unrankedText } from '../../../engine/contract/unranked.ts';
import type { BoardOverview, Standing } from '../../../engine/ranking/index.ts';
import { cascadeString, scoreOf, unrankedReason } from '../../../engine/ranking/index.ts';
import { type Html, html, NOTHING } from '../../html.ts';
import { fromStorage } from '../../http/problem.ts';
import { BOARD_PAGE_CACHE, definePage, methodologyOf } from '../page.ts';
import type { Resolver } from '../render/addresses.ts';
import { m, text } from '../render/inline.ts';
import { percentile, readable, readableScore, tierBadge } from '../render/numbers.ts';
import { facts, lede, type Part, prose, section, shownOnly, writtenOnly } from '../render/parts.ts';
import { EXAMPLE } from './example.ts';
import { waysTo } from './goals.ts';

/** The counts that scores use. */
const FIELDS = ['input', 'output', 'cache_read'] as const;

const LABELS = { input: 'Input', output: 'Output', cache_read: 'Cache read' } as const;

/** Numbers with optional thousands separators, up to 6 decimals, and k, M or B. */
const NUMBER = /^(\d{1,3}(?:[ ,_']?\d{3})*(?:\.\d{1,6})?|\d{1,16}(?:\.\d{1,6})?) ?([kmb]?)$/i;

const TIMES: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, b: 1e9 };

/** Maximum characters of a typed number. */
const Typed = z.string().max(40).optional();

type Asked = { readonly [Field in (typeof FIELDS)[number]]?: string | undefined };

/** Scores counts, with their place on the board and what the next tier takes. Works without a script. */
export const calculator = definePage({
  surface: 'site',
  path: '/calculator',
  operationId: 'getCalculatorPage',
  summary: 'The calculator',
  listed: {
    title: 'Calculator',
    about: 'Yield, tier and rank of any counts: add input, output and cache_read, such as 1.5M.',
  },
  query: z.object({ input: Typed, output: Typed, cache_read: Typed }),
  problems: ['validation_failed'],
  cache: BOARD_PAGE_CACHE,
  async content({ query }, { board }) {
    const view = board.view();
    const counts = countsOf(query);
    const score = counts && scoreOf(counts, methodologyOf(view));
    const asked = score && ({ window: 'all_time', yield_: score.yield_, without: null } as const);
    const standing = asked && (await fromStorage(() => board.standing(asked)));
    return {
      make: () => ({
        surface: 'site',
        canonical: 'site:/calculator',
        title: 'Calculator',
        description: 'The Yield, tier and rank of any counts of tokens, and what the next tier takes.',
        parts: [
          lede(m`What would your tokens be worth on the board? Take the counts of a day, a week or a year.`),
          shownOnly((to) => formHtml(query, to)),
          ...resultParts(query, counts, standing, view),
          prose(
            m`With the tool, \`upsilon what-if\` starts from your own counts. [How a Yield is measured](login:/methodology)`,
          ),
          writtenOnly(m`To score other counts, request \`/calculator?input=2580&output=53970&cache_read=430500\`.`),
        ],
      }),
    };
  },
});

function resultParts(asked: Asked, counts: Counts | null, standing: Standing | null, view: BoardOverview): Part[] {
  if (FIELDS.every((field) => asked[field] === undefined)) return [];
  if (counts === null)
    return [section('note', prose(m`Enter three numbers from 0 to ${readable(MAX_COUNT)}, such as 1.5M.`))];
  const methodology = methodologyOf(view);
  const score = scoreOf(counts, methodology);
  if (score === null || standing === null) {
    const reason = unrankedText(unrankedReason(counts, methodology));
    return [section('note', prose(m`With these counts you would not be ranked, because ${reason}.`))];
  }
  const { rank, total_operators: total, class_tier, needs, next_tier: next } = standing;
  const ways = next === null ? '' : waysTo(counts, next.yield_);
  return [
    facts(
      [
        ['Yield', text(readableScore(score.yield_))],
        ['Tier', tierBadge(class_tier)],
        ['Rank', m`${readable(rank)} of ${readable(total)}`],
        ['Percentile', percentile(standing.percentile)],
        ['Leverage', text(readableScore(score.leverage))],
        ['Velocity', text(readableScore(score.velocity))],
      ],
      'headline',
    ),
    prose(
      m`Cascade: \`${cascadeString(score) ?? ''}\`, over all time.${needs.days > 0 ? m` To be numbered with this Yield takes ${needs.days} days on which it is seen to grow${needs.acceptance ? ', and a moderator' : ''}.` : ''}`,
      next === null
        ? m`This is the highest tier.`
        : m`**Next tier: ${next.class_tier}**, from a Yield of ${readableScore(next.yield_)}${ways === '' ? '' : `: ${ways}`}. That would be rank ${readable(next.rank)}.`,
    ),
  ];
}

function formHtml(asked: Asked, to: Resolver): Html {
  const isTyped = FIELDS.some((field) => asked[field] !== undefined);
  const fields = FIELDS.map((field) => {
    const value = asked[field] ?? (isTyped ? '' : EXAMPLE[field].toLocaleString('en-US'));
    const wrong = isTyped && numberOf(value) === null;
    return html`<label><span>${LABELS[field]}${wrong ? html` <strong class="wrong" id="wrong-${field}">Enter a number.</strong>` : NOTHING}</span><input name="${field}" value="${value}" autocomplete="off" maxlength="24" required${wrong ? html` aria-invalid="true" aria-describedby="wrong-${field}"` : NOTHING}></label>`;
  });
  return html`<form class="calculator" action="${to.near('site:/calculator')}" method="get">${fields}<button>Calculate</button></form>`;
}

/** The typed counts; null when one is missing or not a number. */
function countsOf(asked: Asked): Counts | null {
  const [input, output, cache_read] = FIELDS.map((field) => numberOf(asked[field]));
  if (typeof input !== 'number' || typeof output !== 'number' || typeof cache_read !== 'number') return null;
  return { input, output, cache_read, cache_write: 0 };
}

function numberOf(typed: string | undefined): number | null {
  const [, digits, suffix = ''] = NUMBER.exec((typed ?? '').trim()) ?? [];
  if (digits === undefined) return null;
  const value = Number(digits.replaceAll(/[ ,_']/g, '')) * (TIMES[suffix.toLowerCase()] ?? 1);
  return value <= MAX_COUNT ? value : null;
}
