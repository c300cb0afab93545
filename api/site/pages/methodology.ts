import { COUNT_FIELDS, type Counts } from '../../../engine/contract/signing/index.ts';
import type { BoardOverview } from '../../../engine/ranking/index.ts';
import { cascadeString, scoreOf, tierOf } from '../../../engine/ranking/index.ts';
import type { Methodology } from '../../../engine/ranking/methodologies/index.ts';
import { code, m, text } from '../render/inline.ts';
import { readable } from '../render/numbers.ts';
import { bullets, codeBlock, facts, heading, lede, type Part, prose, section } from '../render/parts.ts';
import type { SitePage } from '../render/site-page.ts';
import { cell, table } from '../render/table.ts';
import { tierBadge } from '../render/tier.ts';
import { type Calculation, calculatorParts } from './calculator.ts';
import { yieldFormula } from './formula.ts';

/** Counts that show how a score comes about. */
const EXAMPLE: Counts = { input: 86, output: 1_799, cache_read: 14_350, cache_write: 2_100 };

/** How the board is made: written from the data of the methodology that made it. */
export function methodologyPage(methodology: Methodology, view: BoardOverview, calculation: Calculation): SitePage {
  return {
    surface: 'login',
    canonical: 'login:/methodology',
    area: 'methodology',
    title: 'Methodology',
    above: m`Methodology ${methodology.id}, which made the current board`,
    description: `How Upsilon ranks AI operators: scores, tiers, windows, ranks and movement, with a worked example and a calculator.`,
    data: { '@type': 'TechArticle', headline: `Upsilon methodology ${methodology.id}`, abstract: methodology.notes },
    parts: [
      lede(m`${methodology.notes}`),
      yieldFormula(),
      ...countsParts(),
      ...scoreParts(methodology),
      ...exampleParts(methodology),
      ...calculatorParts(calculation, methodology, view),
      ...tierParts(methodology),
      ...boardParts(),
      ...honestyParts(),
    ],
  };
}

function countsParts(): Part[] {
  const meaning: Readonly<Record<keyof Counts, string>> = {
    input: 'Prompt tokens that were neither read from nor written to the cache.',
    output: 'Tokens that the model wrote.',
    cache_read: 'Prompt tokens that were read from the cache.',
    cache_write: 'Prompt tokens that were written to the cache. They are published nowhere and enter no score.',
  };
  return [
    heading(2, 'The four counts'),
    facts(COUNT_FIELDS.map((field) => [field, text(meaning[field])])),
    prose(
      m`A snapshot carries the cumulative totals of one stream: one operator, one ledger on one machine, one platform. An operator’s totals are the sum over streams. Counts never go back: of what is reported for an hour, the greatest value of each field stays.`,
    ),
  ];
}

function scoreParts({ eligibility }: Methodology): Part[] {
  return [
    heading(2, 'The three scores'),
    table({
      caption: 'The scores and their formulas',
      columns: [{ label: 'Score', is: ['row'] }, { label: 'Formula' }, { label: 'What it tells' }],
      rows: [
        ['Yield (Υ)', '(cache_read × output) / (input × input)', 'Leverage times Velocity: the rank is by this.'],
        ['Leverage', 'cache_read / input', 'How often what was said before is used again.'],
        ['Velocity', 'output / input', 'How much is written for what is asked.'],
      ].map(([label = '', formula = '', tells = '']) => ({ cells: [cell(label), cell(code(formula)), cell(tells)] })),
    }),
    prose(
      m`The operations are done in exactly this order, in double precision. Without input there is no score and no rank; nothing is ever infinite. The cascade is written \`leverage:1:velocity\`, each with at most two decimals.`,
    ),
    ...eligibilityParts(eligibility),
  ];
}

/** Who is ranked: nothing where the methodology asks for nothing. */
function eligibilityParts({ minimum_tokens, minimum_input_share }: Methodology['eligibility']): Part[] {
  const tokens = m`At least ${readable(minimum_tokens)} tokens, all four counts together: less says too little to compare.`;
  const share = m`Input of at least one token in ${readable(Math.round(1 / minimum_input_share))}, of all four counts together: the formula divides by its square, and a count that all but vanishes is more often an error of counting than a way of working.`;
  const asked = [...(minimum_tokens > 0 ? [tokens] : []), ...(minimum_input_share > 0 ? [share] : [])];
  if (asked.length === 0) return [];
  return [
    heading(2, 'Who is ranked'),
    prose(m`In each window by itself, and nobody is taken off another for it:`),
    bullets(...asked),
  ];
}

function exampleParts(methodology: Methodology): Part[] {
  const score = scoreOf(EXAMPLE, methodology);
  if (score === null) return [];
  const { input, output, cache_read: cacheRead } = EXAMPLE;
  const lines = [
    `leverage = ${cacheRead} / ${input} = ${score.leverage.toFixed(4)}`,
    `velocity = ${output} / ${input} = ${score.velocity.toFixed(4)}`,
    `yield    = (${cacheRead} × ${output}) / (${input} × ${input}) = ${score.yield_.toFixed(4)}`,
    `cascade  = ${cascadeString(score) ?? ''}`,
    `tier     = ${tierOf(score.yield_, methodology)}`,
  ];
  return [
    heading(2, 'A worked example'),
    prose(m`With ${input} tokens of input, ${output} of output and ${cacheRead} read from cache:`),
    codeBlock('text', lines.join('\n'), 'Worked example'),
  ];
}

function tierParts({ tiers }: Methodology): Part[] {
  return [
    heading(2, 'Class tiers'),
    prose(m`The tier follows from the Yield alone, in each window by itself.`),
    table({
      caption: 'Tiers and the least Yield of each',
      columns: [
        { label: 'Tier', is: ['row'] },
        { label: 'From a Yield of', is: ['number'] },
      ],
      rows: tiers.map(({ name, from }) => ({ cells: [cell(tierBadge(name)), cell(readable(from))] })),
    }),
  ];
}

function boardParts(): Part[] {
  return [
    heading(2, 'Windows, ranks, movement'),
    facts([
      ['All time', m`The totals now.`],
      ['7 days', m`What was used since the full hour 168 hours ago.`],
      ['30 and 90 days', m`What was used since the UTC midnight 30 or 90 days before today.`],
      [
        'In a window',
        m`A stream’s totals now, less its totals when the window began. Its first report inside the window counts whole.`,
      ],
      ['Rank', m`1 + the number of operators with a strictly greater Yield: equal Yields share a rank.`],
      ['Percentile', m`The share of ranked operators at or below this one, 0 to 100, two decimals.`],
      [
        'Movement',
        m`Rank then − rank now, against the boards of 24 hours and 7 days ago. Up is positive. Nothing is told where there was no rank then.`,
      ],
      ['Platform', m`The one with most tokens in the window.`],
    ]),
    prose(
      m`Boards of the last 25 hours are kept, and the first of each day for 100 days: movement and [histories](site:/developers/reference#getOperatorHistory) are read from them.`,
    ),
  ];
}

function honestyParts(): Part[] {
  return [
    heading(2, 'What a signature proves'),
    section(
      'note',
      prose(
        m`That the holder of an enrolled device key stated these counts at that time, and that nobody changed them since. It does not prove that the counts are true: the tool runs on the operator’s own machine.`,
      ),
    ),
    heading(2, 'When the method changes'),
    bullets(
      m`A methodology has a number and is never edited. A new one is a new number, and every board says which one made it.`,
      m`A change takes effect for everybody at once, and histories show from which day on.`,
      m`Nobody is listed who did not submit, nothing is estimated, and an empty board is an empty board.`,
    ),
  ];
}
