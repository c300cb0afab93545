import { WINDOW_SPECS } from '../../../engine/contract/index.ts';
import { COUNT_FIELDS, type Counts } from '../../../engine/contract/signing/index.ts';
import { PUBLIC_TOTALS } from '../../../engine/contract/unranked.ts';
import { RULE_SETS } from '../../../engine/integrity/index.ts';
import { cascadeString, scoreOf, tierOf } from '../../../engine/ranking/index.ts';
import type { Methodology } from '../../../engine/ranking/methodologies/index.ts';
import { representJson } from '../../http/representation.ts';
import { BOARD_PAGE_CACHE, definePage, methodologyOf } from '../page.ts';
import { code, m, text } from '../render/inline.ts';
import { readable, tierBadge } from '../render/numbers.ts';
import type { SitePage } from '../render/page-text.ts';
import { bullets, codeBlock, facts, heading, lede, type Part, prose, section, table } from '../render/parts.ts';
import { EXAMPLE } from './example.ts';
import { yieldFormula } from './formula.ts';
import { ruleParts, settledParts } from './rule-parts.ts';

/** Contract, part 4.6. */
export const methodologyEntry = definePage({
  surface: 'login',
  path: '/methodology',
  operationId: 'getMethodologyPage',
  summary: 'How the board is computed',
  listed: {
    title: 'Methodology',
    about: 'Scores, tiers, windows and ranks, and which operators are numbered.',
  },
  inFull: true,
  nav: 'Methodology',
  cache: BOARD_PAGE_CACHE,
  content(_input, { board }) {
    const active = methodologyOf(board.view());
    return { make: () => methodologyPage(active), kept: `methodology ${active.id}` };
  },
  data(_params, { board }) {
    const active = methodologyOf(board.view());
    return representJson({ ...active, rule_set: active.rules === null ? null : RULE_SETS.get(active.rules) }, false);
  },
});

/** How the board is computed, generated from the data of its methodology. */
export function methodologyPage(methodology: Methodology): SitePage {
  return {
    surface: 'login',
    canonical: 'login:/methodology',
    area: 'Methodology',
    menu: true,
    width: 'tables',
    title: 'Methodology',
    above: m`Methodology ${methodology.id}, used for the current board`,
    description: `How Upsilon ranks AI operators: scores, tiers, windows, ranks and movement, with a worked example.`,
    data: { '@type': 'TechArticle', headline: `Upsilon methodology ${methodology.id}`, abstract: methodology.notes },
    parts: [
      lede(m`${methodology.notes}`),
      yieldFormula(),
      ...settledParts(methodology),
      ...countsParts(),
      ...scoreParts(methodology),
      ...exampleParts(methodology),
      prose(m`[The calculator](site:/calculator) does the same for your own counts.`),
      heading(2, 'Tiers'),
      prose(m`The tier depends on the Yield alone, separately in each window.`),
      table({
        caption: 'Tiers and their minimum Yields',
        columns: [
          { label: 'Tier', is: ['row'] },
          { label: 'From a Yield of', is: ['number'] },
        ],
        rows: methodology.tiers.map(({ name, from }) => [tierBadge(name), readable(from)]),
      }),
      ...boardParts(),
      ...ruleParts(methodology),
      heading(2, 'What a signature proves'),
      section(
        'note',
        prose(
          m`A signature proves that the holder of an enrolled device key reported these counts at that time, and that they have not changed since. It does not prove that the counts are true: the tool runs on the operator’s own machine.`,
        ),
      ),
      heading(2, 'When the method changes'),
      bullets(
        m`Each methodology has a number and is never edited. A change gets a new number, and every board names its methodology.`,
        m`A change applies to all operators at the same time, and charts show when it happened.`,
        m`Only people who submit are listed, nothing is estimated, and an empty board is shown as empty.`,
      ),
    ],
  };
}

function countsParts(): Part[] {
  const meaning: Readonly<Record<keyof Counts, string>> = {
    input: 'Prompt tokens neither read from the cache nor written to it.',
    output: 'Tokens that the model generated.',
    cache_read: 'Prompt tokens read from the cache.',
    cache_write: 'Prompt tokens written to the cache. This count is never published, and no score uses it.',
  };
  return [
    heading(2, 'The four counts'),
    facts(COUNT_FIELDS.map((field) => [field, text(meaning[field])])),
    prose(
      m`You submit running totals, of each tool on each machine. Your totals are the sum of all of them. Counts never decrease: if several values are reported for the same hour, the highest of each field is kept.`,
    ),
  ];
}

function scoreParts({ eligibility }: Methodology): Part[] {
  return [
    heading(2, 'The three scores'),
    table({
      caption: 'The scores and their formulas',
      columns: [{ label: 'Score', is: ['row'] }, { label: 'Formula' }, { label: 'Meaning' }],
      rows: [
        [
          'Yield (Υ)',
          code('(cache_read × output) / (input × input)'),
          'Leverage times Velocity; the board is ranked by it.',
        ],
        ['Leverage', code('cache_read / input'), 'How many tokens are read from cache for each token of input.'],
        ['Velocity', code('output / input'), 'How many tokens of output are written for each token of input.'],
      ],
    }),
    prose(
      m`The formulas are evaluated in exactly this order, in double precision. Without input there is no score and no rank; a score is never infinite. The cascade is written \`leverage:1:velocity\`, each with at most two decimals.`,
    ),
    prose(m`${PUBLIC_TOTALS}`),
    ...eligibilityParts(eligibility),
  ];
}

/** The eligibility rules; empty when the methodology has none. */
function eligibilityParts(eligibility: Methodology['eligibility']): Part[] {
  const { minimum_tokens, minimum_input, minimum_input_share } = eligibility;
  const tokens = m`At least ${readable(minimum_tokens)} tokens, all four counts together: smaller totals are not comparable.`;
  const input = m`At least ${readable(minimum_input)} tokens of input: the formula divides by its square, and some tools log a handful of input a turn.`;
  const share = m`Input of at least one token in ${readable(Math.round(1 / minimum_input_share))}, of all four counts together: the formula divides by the square of input, and input close to zero is usually a counting error.`;
  const asked = [
    ...(minimum_tokens > 0 ? [tokens] : []),
    ...(minimum_input > 0 ? [input] : []),
    ...(minimum_input_share > 0 ? [share] : []),
  ];
  if (asked.length === 0) return [];
  return [
    heading(2, 'The floors'),
    prose(m`The rules apply to each window separately: falling short in one window does not affect the others.`),
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
    prose(
      m`For ${readable(input)} tokens of input, ${readable(output)} of output and ${readable(cacheRead)} read from cache:`,
    ),
    codeBlock('text', lines.join('\n'), 'Worked example'),
  ];
}

function boardParts(): Part[] {
  return [
    heading(2, 'Windows, ranks, movement'),
    facts([
      ...WINDOW_SPECS.map(({ label, start }) => {
        if (start === null) return [label, text('Everything that was submitted.')] as const;
        const from =
          'hours' in start
            ? `of the last ${start.hours} hours, from a full hour on`
            : `since midnight UTC, ${start.days} days before today`;
        return [label, text(`Usage ${from}.`)] as const;
      }),
      [
        'In a window',
        m`Your totals now, less those at the start of the window. What a new tool or machine reports first counts in full.`,
      ],
      ['Rank', m`One more than the number of operators with a higher Yield; equal Yields share a rank.`],
      ['Percentile', m`The share of ranked operators at or below this one, from 0 to 100.`],
      [
        'Movement',
        m`The rank then minus the rank now, compared with the boards 24 hours and 7 days ago. Positive is up. Movement is empty if the operator was not ranked then.`,
      ],
      ['Platform', m`The platform with the most tokens in the window.`],
    ]),
    prose(
      m`All boards of the last 25 hours are kept, and the first board of each day for 100 days. Movement and [histories](site:/developers/reference#getOperatorHistory) are computed from them. If you delete or hide yourself at [your account](login:/account), you leave a gap in them; copies that others made before show who left.`,
    ),
  ];
}
