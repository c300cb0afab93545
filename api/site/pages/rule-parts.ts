import { INTEGRITY_LEVELS } from '../../../engine/contract/integrity-level.ts';
import { EVIDENCE_DELAY_WORDS } from '../../../engine/integrity/cases/index.ts';
import {
  judgeUnder,
  MEASURES,
  NEED_STEPS,
  type Reference,
  RULE_SETS,
  RULES,
  type Rule,
  type RuleSet,
  SOURCES,
} from '../../../engine/integrity/index.ts';
import type { Methodology } from '../../../engine/ranking/methodologies/index.ts';
import { code, m, text } from '../render/inline.ts';
import { readable } from '../render/numbers.ts';
import { bullets, facts, heading, type Part, prose, table } from '../render/parts.ts';

/** How rows are settled under a methodology: in one screen, before any table. */
export function settledParts({ rules: number, minimum_witnessed_days: least }: Methodology): Part[] {
  const reference = number === null ? null : RULE_SETS.get(number)!.reference;
  const head = heading(2, 'Who is numbered', 'settled');
  if (reference === null) {
    const words = m`Everybody above the floors is numbered, unless arithmetic or a review rules it out. Invented counts, plausible or not, cannot be caught.`;
    return [head, prose(words)];
  }
  const steps = NEED_STEPS.slice(1, -1);
  return [
    head,
    prose(
      m`The tool runs on the operator’s own machine, so counts are asserted. What this service sees is **when a snapshot arrives**. So one principle decides: **the more extraordinary a Yield, the more witnessed time it needs.**`,
    ),
    bullets(
      m`**A witnessed day** is a UTC day on which snapshots arrived with growth that they date to that day or the 48 hours before. Older growth is imported: it fills windows, charts and totals, and vouches for nothing. One day of receipt is one witnessed day at most.`,
      m`**A day vouches** for a Yield when its growth by itself has at least a third of it, and enough tokens to compare.`,
      m`**A place is settled**, and numbered, when so many days vouch for its Yield: none up to the 75th percentile of the reference, ${steps.map(({ days, upTo }, at) => `${at === 0 ? '' : ', '}${days} days up to ${upTo}`).join('')}, and beyond that ${NEED_STEPS.at(-1)!.days} days and acceptance by a moderator. Ranks, percentiles, tiers and totals count settled places.`,
      m`**Held** means that it waits: the page says what the rank would be and what it needs, and nothing about a person.`,
      m`**Provisional** places are numbered with fewer than ${least} witnessed days.`,
    ),
  ];
}

/** The rules of a methodology with their bounds, and the reference. */
export function ruleParts({ rules: number }: Methodology): Part[] {
  const set = number === null ? undefined : RULE_SETS.get(number);
  const head = heading(2, 'Findings', 'plausibility');
  if (set === undefined) return [head, prose(m`This methodology has no rules.`)];
  return [
    head,
    prose(
      m`Rule set ${set.id}. What arithmetic rules out is excluded from the board of that window. An exact copy of what another operator had submitted before is held. You see a finding about you at your account at once, and you can answer it and appeal; the evidence is public ${EVIDENCE_DELAY_WORDS} later, at once for exclusions.`,
    ),
    prose(
      m`A finding says nothing about a person: counting errors of tools can cause it as well. A plausible lie causes none. It only has to last as long as the truth.`,
    ),
    table({
      caption: 'Findings with their bounds',
      className: 'stacked',
      columns: [
        { label: 'Finding', is: ['row'] },
        { label: 'Effect' },
        { label: 'Bound' },
        { label: 'Meaning and calibration' },
      ],
      rows: RULES.map((rule) => [code(rule.name), EFFECTS[rule.severity], boundWords(rule, set), meaningOf(rule, set)]),
    }),
    ...(set.reference === null ? [] : referenceParts(set.reference, set)),
    heading(3, 'How far a place can be relied on'),
    facts(Object.entries(INTEGRITY_LEVELS).map(([level, words]) => [level, text(words)])),
    prose(
      m`The range beside a Yield comes from how its days differ: the long-run Yield lies inside in 95 of 100 cases, by Student’s t distribution. It does not say whether the counts are true.`,
    ),
  ];
}

const EFFECTS: Readonly<Record<Rule['severity'], string>> = { note: 'note', hold: 'held', exclude: 'exclusion' };

function meaningOf({ sentence, measure }: Rule, { calibration }: RuleSet) {
  return measure === null || measure === 'yield' ? text(sentence) : m`${sentence} ${calibration[measure]}`;
}

function boundWords({ measure }: Rule, { bounds }: RuleSet): string {
  if (measure === null) return 'not measured';
  if (measure === 'yield') return 'three times the 99th percentile of the reference';
  return `${readable(bounds[measure])} (${MEASURES[measure].words})`;
}

function referenceParts(reference: Reference, set: RuleSet): Part[] {
  const { boundOf } = judgeUnder(set);
  const rowsOf = ([name, { p75, p90, p99 }]: readonly [string, Reference['all']]) => {
    const bound = boundOf('yield', Math.max(0, SOURCES.indexOf(name)))!;
    return [name, ...[p75, p90, p99, bound].map(readable)];
  };
  return [
    heading(3, 'The reference', 'reference'),
    prose(
      m`${reference.origin} A Yield is judged by the tool with most tokens in its window; from 7 days up also by all tools together, and the greater need counts. These numbers are part of the rules: nothing moves by itself.`,
    ),
    table({
      caption: 'Quantiles of Yield',
      columns: [
        { label: 'Platform', is: ['row'] },
        ...['75th', '90th', '99th', 'Acceptance above'].map((label) => ({ label, is: ['number'] as const })),
      ],
      rows: [['all platforms', reference.all] as const, ...Object.entries(reference.platforms)].map(rowsOf),
    }),
  ];
}
