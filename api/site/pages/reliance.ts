import { WINDOW_SPECS, type Window } from '../../../engine/contract/index.ts';
import { INTEGRITY_LEVELS } from '../../../engine/contract/integrity-level.ts';
import { heldText, lackedOf, missingText, unrankedText } from '../../../engine/contract/unranked.ts';
import { ruleWords } from '../../../engine/integrity/cases/index.ts';
import { RULE_SETS, RULES, type Rule, SEVERITIES, type Severity } from '../../../engine/integrity/index.ts';
import type { Profile, RowIntegrity } from '../../../engine/ranking/index.ts';
import type { Methodology } from '../../../engine/ranking/methodologies/index.ts';
import { dotAxis } from '../../charts/dot-axis.ts';
import { evidenceRef, operatorRef, type Ref } from '../render/addresses.ts';
import { type Inline, link, m, text, time } from '../render/inline.ts';
import { readable, readableScore } from '../render/numbers.ts';
import { bullets, heading, type Part, prose, section, shownOnly } from '../render/parts.ts';
import { windowQuery } from './forms.ts';
import type { Findings } from './public-evidence.ts';

/** The anchor of an operator's page that has its flags. */
const ANCHOR = 'plausibility';

const EFFECTS: Readonly<Record<Severity, readonly [one: string, several: string]>> = {
  note: ['note', 'notes'],
  hold: ['not settled', 'findings'],
  exclude: ['excluded', 'exclusions'],
};

/** The part of an operator's page that has its flags in a window, with links to the evidence that is public. */
function flagsRef(codename: string, window: Window): Ref {
  return `${operatorRef(codename)}${windowQuery(window)}#${ANCHOR}`;
}

/** The flags of a row in short words, linked to their explanation. */
export function flagMarks(
  { integrity: { flags }, provisional }: Pick<RowIntegrity, 'integrity' | 'provisional'>,
  codename: string,
  window: Window,
): Inline[] {
  const rules = rulesOf(flags);
  const marks = SEVERITIES.flatMap((severity) => {
    const names = rules.filter((rule) => rule.severity === severity).map(({ name }) => ruleWords(name));
    if (names.length === 0) return [];
    const [one, several] = EFFECTS[severity];
    const words = names.length === 1 ? `${one}: ${names[0]}` : `${names.length} ${several}`;
    return [link(words, flagsRef(codename, window))];
  });
  return [...(provisional ? [text('provisional')] : []), ...marks];
}

function rulesOf(flags: readonly string[]): readonly Rule[] {
  return RULES.filter(({ name }) => flags.includes(name));
}

/** How far an operator's row of one window can be relied on, in plain words. */
export function relianceParts(
  { codename, windows }: Profile,
  window: Window,
  findings: Findings | null,
  now: number,
): Part[] {
  const { integrity, provisional, witnessed_days, yield_range: range, missing, open } = windows[window];
  const elsewhere = WINDOW_SPECS.filter(({ name }) =>
    windows[name].integrity.flags.some((flag) => !integrity.flags.includes(flag)),
  );
  const days = missing.find(({ of }) => of === 'witnessed_days');
  const paragraphs = [
    m`${INTEGRITY_LEVELS[integrity.level]} **Witnessed ${witnessed_days} of 45 days.** See [how a place is settled](login:/methodology#settled).`,
  ];
  if (provisional) {
    const lacks = days === undefined ? '' : `; it ${missingText(days)}`;
    paragraphs.push(m`**Provisional**: few days were witnessed${lacks}.`);
  }
  const [low, high] = (range ?? []).map(readable);
  if (low !== undefined && high !== undefined && low !== high) {
    paragraphs.push(
      m`Going by how the days differ, the long-run Yield lies between **${low}** and **${high}**, in 95 of 100 cases.`,
    );
  }
  if (open) {
    paragraphs.push(m`**Open**: anybody can verify its signed snapshots: [how](site:/developers/open-rows).`);
  }
  const flags = rulesOf(integrity.flags).map((rule) =>
    flagItem(codename, rule, findings?.publicFrom(rule.name) ?? null, now),
  );
  const others = elsewhere.map(({ name, label }) => link(label, flagsRef(codename, name)));
  return [
    heading(2, 'Plausibility', ANCHOR),
    prose(...paragraphs),
    ...(flags.length === 0 ? [] : [bullets(...flags)]),
    ...(others.length === 0 ? [] : [prose(m`More in other windows: ${listOf(others)}.`)]),
  ];
}

const listOf = (items: readonly Inline[]): Inline[] => items.map((item, at) => (at === 0 ? item : m`, ${item}`));

function flagItem(
  codename: string,
  { name, severity, sentence }: Rule,
  publicFrom: number | null,
  now: number,
): Inline {
  const words = `${EFFECTS[severity][0]}: ${ruleWords(name)}`;
  if (publicFrom === null) return m`${words}. ${sentence}`;
  if (publicFrom > now) return m`${words}. ${sentence} The evidence becomes public on ${time(publicFrom)}.`;
  return m`${link(words, evidenceRef(codename, name))}. ${sentence}`;
}

/** Why an operator has no rank in a window, and what comes next: the rules that excluded it, its place in the reference, or what is missing. */
export function unrankedPart(
  { codename, windows, platform }: Profile,
  window: Window,
  { rules }: Methodology,
  windowWords: string,
): Part {
  const { unranked, would_be, missing, integrity, yield_ } = windows[window];
  const excluding = rulesOf(integrity.flags).filter(({ severity }) => severity === 'exclude');
  if (excluding.length > 0) {
    const found = listOf(excluding.map(({ name }) => link(ruleWords(name), evidenceRef(codename, name))));
    return section(
      'note',
      prose(m`**Excluded** ${windowWords}: ${found}. The evidence says why, and what can be done.`),
    );
  }
  const reference = rules === null ? null : (RULE_SETS.get(rules)?.reference ?? null);
  if (unranked === 'held' && yield_ !== null) {
    const words = m`**Not settled yet** ${windowWords}: this Yield ${heldText(would_be, missing)}. See [how a place is settled](login:/methodology#settled).`;
    const of = reference?.platforms[platform] ?? reference?.all;
    if (of === undefined) return section('note', prose(words));
    const { p75, p90, p99 } = of;
    const quantiles = [
      ['75% are below', p75],
      ['90% are below', p90],
      ['99% are below', p99],
    ] as const;
    const dots = [['this Yield', yield_] as const, ...quantiles];
    return section(
      'note',
      prose(
        words,
        m`Of the Yields in the reference${reference?.platforms[platform] === undefined ? '' : ` of ${platform}`}, ${listOf(quantiles.map(([label, at]) => m`${label} ${readableScore(at)}`))}; this one is **${readableScore(yield_)}**.`,
      ),
      shownOnly(() =>
        dotAxis(
          dots.map(([label, at]) => [label, at, readableScore(at)]),
          'second',
        ),
      ),
    );
  }
  if (unranked === 'no_tokens') {
    const words = m`No usage has arrived ${windowWords}. If this is you, [three commands](site:/developers/getting-started#submit) take you to the board.`;
    return section('note', prose(words));
  }
  const lacks = lackedOf(missing).map(missingText);
  const numbers = lacks.length === 0 ? '' : `: it ${lacks.join(', and ')}`;
  return section(
    'note',
    prose(
      m`Not ranked ${windowWords}, because ${unrankedText(unranked)}${numbers}. More usage changes that by itself.`,
    ),
  );
}
