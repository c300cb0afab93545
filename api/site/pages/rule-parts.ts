import { EVIDENCE_DELAY_WORDS } from '../../../engine/accounts/index.ts';
import { INTEGRITY_LEVELS } from '../../../engine/contract/integrity-level.ts';
import {
  FINDING_WORDS,
  MEASURE_WORDS,
  MEASUREMENT_WORDS,
  RULE_SETS,
  RULES,
  type Rule,
  type RuleBound,
} from '../../../engine/integrity/index.ts';
import type { Methodology } from '../../../engine/ranking/methodologies/index.ts';
import { code, type Inline, m, text } from '../render/inline.ts';
import { readable } from '../render/numbers.ts';
import { bullets, facts, heading, type Part, prose, section, table } from '../render/parts.ts';

const EFFECTS: Readonly<Record<Rule['severity'], string>> = {
  note: 'note',
  flag: 'flag',
  exclude: 'exclusion',
};

/** The rules of plausibility of a methodology, with their bounds. */
export function ruleParts({ rules: number }: Methodology): Part[] {
  const set = number === null ? undefined : RULE_SETS.get(number);
  if (set === undefined) {
    return [
      heading(2, 'Rules of plausibility', 'plausibility'),
      prose(m`This methodology has no rules. Invented counts, plausible or not, cannot be caught.`),
    ];
  }
  const bounds = new Map(set.bounds.map((bound) => [bound.rule, bound]));
  const shown = RULES.filter(({ name, kind }) => kind === 'finding' || bounds.has(name));
  return [
    heading(2, 'Rules of plausibility', 'plausibility'),
    prose(
      m`Rule set ${set.id}. Each rule compares a number of a window with a bound. Rules of arithmetic and physics exclude the row from the board of that window; rules of statistics only flag it, and need the usage that a rank needs. A note and a flag are shown on the row. Nothing is altered or estimated.`,
    ),
    bullets(
      m`**What a flag means**: the numbers are outside of what almost all usage shows. The operator sees the finding on its account page at once. The evidence is public ${EVIDENCE_DELAY_WORDS} later, at once for exclusions. The operator can answer it and appeal. A flag disappears with the numbers that caused it.`,
      m`**What it does not mean**: it says nothing about a person. Counting errors of tools and rare ways of working can cross a bound as well. A flag changes no rank.`,
      m`**What cannot be caught**: a plausible lie. Somebody who invents counts like those of an ordinary operator crosses no bound, and a row without flags is not thereby true.`,
    ),
    table({
      caption: 'Rules of plausibility with their bounds',
      className: 'stacked',
      columns: [
        { label: 'Rule', is: ['row'] },
        { label: 'Effect' },
        { label: 'Bound' },
        { label: 'Meaning and calibration' },
      ],
      rows: shown.map((rule) => [
        code(rule.name),
        EFFECTS[rule.severity],
        boundWords(rule, bounds.get(rule.name)),
        m`${rule.sentence} ${bounds.get(rule.name)?.calibration ?? ''}`,
      ]),
    }),
    heading(3, 'How it is measured', 'measurement'),
    prose(m`Most rules compare a ratio of the window’s counts. Others take more from the signed samples:`),
    facts(measured(shown)),
    heading(3, 'How far a row can be relied on'),
    facts(Object.entries(INTEGRITY_LEVELS).map(([level, words]) => [level, text(words)])),
    prose(m`A level says what stands behind the counts. It changes neither the rank nor the rules that apply.`),
    section(
      'note',
      prose(
        m`The range beside a Yield comes from the operator’s own variation from day to day: about 95 % of Yields of such days are inside. It is no statement about whether the counts are true.`,
      ),
    ),
  ];
}

/** How the measures of rules are taken, with the rules that use them. */
function measured(rules: readonly Rule[]): (readonly [string, Inline])[] {
  const findings = Object.entries(FINDING_WORDS).map(([rule, words]) => [rule, text(words)] as const);
  const measures = Object.entries(MEASUREMENT_WORDS).flatMap(([measure, words]) => {
    const users = rules.filter((rule) => rule.measure === measure).map(({ name }) => name);
    return users.length === 0 ? [] : [[users.join(', '), text(words)] as const];
  });
  return [...measures, ...findings];
}

/** The bound of every platform in words: platforms with the same bound together. */
function boundWords({ measure }: Rule, bound: RuleBound | undefined): string {
  if (bound === undefined || measure === null) return 'not measured';
  const own = new Map<number, string[]>();
  for (const [platform, above] of Object.entries(bound.platforms ?? {})) {
    own.set(above, [...(own.get(above) ?? []), platform]);
  }
  const listed = Array.from(own, ([above, platforms]) => `${readable(above)} on ${platforms.join(', ')}, `);
  const others = own.size === 0 ? '' : ' on other platforms';
  return `${listed.join('')}${readable(bound.above)}${others} (${MEASURE_WORDS[measure]})`;
}
