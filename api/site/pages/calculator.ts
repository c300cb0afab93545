import { type Counts, MAX_COUNT } from '../../../engine/contract/signing/index.ts';
import { unrankedText } from '../../../engine/contract/unranked.ts';
import type { BoardOverview } from '../../../engine/ranking/index.ts';
import { cascadeString, scoreOf, tierOf, unrankedReason } from '../../../engine/ranking/index.ts';
import type { Methodology } from '../../../engine/ranking/methodologies/index.ts';
import { type Html, html, NOTHING } from '../../html.ts';
import type { Resolver } from '../render/addresses.ts';
import { m, text } from '../render/inline.ts';
import { readable, readableOr, tierBadge } from '../render/numbers.ts';
import { facts, heading, type Part, prose, section, shownOnly, writtenOnly } from '../render/parts.ts';

/** The fields of the form: the counts that scores use. */
const CALCULATOR_FIELDS = ['input', 'output', 'cache_read'] as const;

const LABELS = { input: 'Input', output: 'Output', cache_read: 'Cache read' } as const;

/** Numbers with optional thousands separators and up to 6 decimals. */
const NUMBER = /^\d{1,3}(?:[ ,_']?\d{3})*(?:\.\d{1,6})?$|^\d{1,16}(?:\.\d{1,6})?$/;

/** Input of the calculator. `rank`: the rank that these counts would have on the board; null when unknown. */
export interface Calculation {
  readonly typed: { readonly [Field in (typeof CALCULATOR_FIELDS)[number]]?: string | undefined };
  readonly rank: number | null;
}

/** Whether a field of the form was sent. */
export function isTyped(typed: Calculation['typed']): boolean {
  return CALCULATOR_FIELDS.some((field) => typed[field] !== undefined);
}

/** The typed counts; null when one is missing or not a number. */
export function countsTyped(typed: Calculation['typed']): Counts | null {
  const [input, output, cache_read] = CALCULATOR_FIELDS.map((field) => numberOf(typed[field]));
  if (typeof input !== 'number' || typeof output !== 'number' || typeof cache_read !== 'number') return null;
  return { input, output, cache_read, cache_write: 0 };
}

/** A form that works without scripts, and its result. */
export function calculatorParts(calculation: Calculation, methodology: Methodology, view: BoardOverview): Part[] {
  return [
    heading(2, 'Calculator', 'calculator'),
    shownOnly((to) => formHtml(calculation.typed, to)),
    ...resultParts(calculation, methodology, view),
    writtenOnly(m`To score other counts, request \`/methodology?input=2580&output=53970&cache_read=430500\`.`),
  ];
}

function resultParts({ typed, rank }: Calculation, methodology: Methodology, view: BoardOverview): Part[] {
  if (!isTyped(typed)) return [];
  const counts = countsTyped(typed);
  if (counts === null) return [section('note', prose(m`Enter three numbers from 0 to ${readable(MAX_COUNT)}.`))];
  const score = scoreOf(counts, methodology);
  if (score === null) {
    const reason = unrankedText(unrankedReason(counts, methodology));
    return [section('note', prose(m`An operator with these counts is not ranked, because ${reason}.`))];
  }
  return [
    section(
      'note',
      facts([
        ['Yield', readableOr(score.yield_)],
        ['Leverage', readableOr(score.leverage)],
        ['Velocity', readableOr(score.velocity)],
        ['Cascade', text(cascadeString(score) ?? '')],
        ['Tier', tierBadge(tierOf(score.yield_, methodology))],
        [
          'On the current board',
          rank === null
            ? readableOr(null, 'unknown')
            : m`rank ${readable(rank)} among ${readable(view.totals.all_time)} operators over all time`,
        ],
      ]),
    ),
  ];
}

function formHtml(typed: Calculation['typed'], to: Resolver): Html {
  const fields = CALCULATOR_FIELDS.map((field) => {
    const value = typed[field] ?? '';
    const wrong = isTyped(typed) && numberOf(value) === null;
    return html`<label><span>${LABELS[field]}${wrong ? html` <strong class="wrong" id="wrong-${field}">Enter a number.</strong>` : NOTHING}</span><input name="${field}" value="${value}" inputmode="decimal" autocomplete="off" maxlength="24" required${wrong ? html` aria-invalid="true" aria-describedby="wrong-${field}"` : NOTHING}></label>`;
  });
  return html`<form class="calculator" action="${to.near('login:/methodology')}#calculator" method="get">${fields}<button>Calculate</button></form>`;
}

function numberOf(typed: string | undefined): number | null {
  const trimmed = (typed ?? '').trim();
  if (!NUMBER.test(trimmed)) return null;
  const value = Number(trimmed.replaceAll(/[ ,_']/g, ''));
  return value <= MAX_COUNT ? value : null;
}
