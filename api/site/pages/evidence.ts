import * as z from 'zod';
import { windowLabel } from '../../../engine/contract/index.ts';
import {
  caseRemedy,
  isByPeople,
  REPORTED_RULE,
  ruleSentence,
  ruleWords,
} from '../../../engine/integrity/cases/index.ts';
import { MEASURES, RULES } from '../../../engine/integrity/index.ts';
import type { Evidence } from '../../../engine/ranking/index.ts';
import { Problem } from '../../http/problem.ts';
import { representJson } from '../../http/representation.ts';
import { BY_CODENAME } from '../../v1/operators.ts';
import { BOARD_PAGE_CACHE, definePage } from '../page.ts';
import { evidenceRef, operatorRef } from '../render/addresses.ts';
import { code, type Inline, link, m, name, text, time } from '../render/inline.ts';
import { readable, readableOr } from '../render/numbers.ts';
import type { SitePage } from '../render/page-text.ts';
import { facts, heading, lede, type Part, prose, section, table } from '../render/parts.ts';
import type { SiteContext } from '../site-context.ts';
import { caseOf, readFindings } from './public-evidence.ts';

const EFFECTS = {
  note: 'A note: the operator stays ranked.',
  hold: 'The operator has no number meanwhile.',
  exclude: 'The operator is excluded from the board of each window below.',
} as const;

const REVIEW_EFFECT = 'The operator is excluded from every board.';

/** The evidence of a rule about an operator: the numbers that crossed its bound, what to do, and the operator's answer. */
export const evidence = definePage({
  surface: 'site',
  path: '/operators/{codename}/integrity/{rule}',
  operationId: 'getEvidencePage',
  summary: 'Evidence of a rule of plausibility',
  params: {
    schema: BY_CODENAME.schema.extend({ rule: z.string().regex(/^[a-z][a-z-]{0,39}$/) }),
    unmatched: 'path_unknown',
  },
  problems: ['path_unknown', 'operator_unknown'],
  cache: BOARD_PAGE_CACHE,
  unindexed: true,
  async content({ params }, ctx) {
    const shown = await readEvidence(ctx, params);
    return { make: () => pageOf(shown) };
  },
  data: async (params, ctx) => representJson(await readEvidence(ctx, params), false),
});

const isoOf = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

/** What is public of a rule about an operator; or `waits`: from when on it is, null: once its case is open, or decided. */
async function readEvidence(ctx: SiteContext, { codename: wanted, rule: asked }: Record<'codename' | 'rule', string>) {
  const findings = await readFindings(ctx, wanted);
  if (findings === null) throw new Problem('operator_unknown', { detail: 'No operator has this codename.' });
  const { explanation, cases } = findings;
  const { codename, board_version, methodology, evidence: crossed } = explanation;
  const from = findings.publicFrom(asked);
  const rule = RULES.find(({ name: known }) => known === asked);
  if (from === null || from > ctx.clock()) {
    if (!crossed.some((each) => each.rule === asked) || rule === undefined || rule.isPrivate === true) {
      throw new Problem('path_unknown');
    }
    return { codename, rule: asked, sentence: rule.sentence, waits: isoOf(from) };
  }
  const found = caseOf(cases, asked);
  const isConfirmed = found?.state === 'confirmed';
  const decision = isConfirmed ? found.decisions.findLast(({ action }) => action === 'exclude') : undefined;
  // The numbers behind a review are those of the rule whose case it decided.
  const measured = isConfirmed && !isByPeople(found.rule) ? found.rule : asked;
  return {
    codename,
    rule: asked,
    severity: isConfirmed ? 'exclude' : (rule?.severity ?? 'note'),
    sentence: rule?.sentence ?? ruleSentence(asked),
    remedy: caseRemedy(asked, isConfirmed),
    board_version,
    methodology,
    confirmed: isConfirmed,
    review:
      found === undefined || decision === undefined
        ? null
        : { decided_at: decision.at.toISOString(), grounds: found.rule, board_version: found.board_version },
    evidence: crossed.filter((each) => each.rule === measured),
    answer: found?.answer?.hidden === false ? found.answer.text : null,
    since: isoOf(found?.opened_at.getTime() ?? null),
  } as const;
}

type Read = Awaited<ReturnType<typeof readEvidence>>;
type Shown = Exclude<Read, { readonly waits: unknown }>;

function pageOf(shown: Read): SitePage {
  const { codename, rule, sentence } = shown;
  const isWaiting = shown.waits !== undefined;
  return {
    surface: 'site',
    canonical: evidenceRef(codename, rule),
    area: 'Board',
    indexed: false,
    title: `${codename}: ${ruleWords(rule)}`,
    above: m`[Board](site:/) / ${link(codename, operatorRef(codename))} / Evidence`,
    description: isWaiting
      ? `A finding about ${codename} whose evidence is not public yet.`
      : `The numbers behind “${ruleWords(rule)}” about ${codename}.`,
    parts: [lede(m`${sentence}`), ...(isWaiting ? [waitingPart(shown.waits)] : evidenceParts(shown))],
  };
}

/** What a stranger sees of a finding whose evidence is not public yet. */
function waitingPart(waits: string | null): Part {
  return prose(
    waits === null
      ? m`The evidence is not public: the operator sees it first, and of a copy a moderator looks at it before.`
      : m`The evidence becomes public on ${time(Date.parse(waits))}: the operator sees it first.`,
  );
}

function evidenceParts(shown: Shown): Part[] {
  const { codename, rule, remedy, evidence: crossed, review, severity, since } = shown;
  const isJudged = review !== null && isByPeople(review.grounds);
  return [
    section(
      'note',
      facts([
        ['Decided by', review === null ? m`A rule, ${code(rule)}, without people` : m`A moderator`],
        ...(review !== null
          ? [['When', time(Date.parse(review.decided_at))] as const]
          : since === null
            ? []
            : [['When', time(Date.parse(since))] as const]),
        ['Why', review === null ? text(shown.sentence) : groundsOf(review)],
        ['Effect', text(review === null ? EFFECTS[severity] : REVIEW_EFFECT)],
        [
          'Appeal',
          m`${remedy.split('`').map((piece, at) => (at % 2 === 1 ? code(piece) : text(piece)))} [Your account](login:/account#integrity)`,
        ],
      ]),
    ),
    heading(2, 'The numbers'),
    ...numberParts(codename, crossed, isJudged),
    heading(2, 'The operator’s answer', 'answer'),
    shown.answer === null ? prose(m`There is no answer.`) : section('note', prose(name(shown.answer))),
    heading(2, 'What this means'),
    prose(
      isJudged
        ? m`A moderator judges how plausible the counts are. The decision says nothing about the person who sent them: a counting error of a tool can make counts implausible as well.`
        : m`A rule compares numbers with a bound. It says how plausible the counts are, and nothing about the person who sent them: a counting error of a tool can cross a bound as well. These numbers come from board ${readable(shown.board_version)}, under [methodology ${shown.methodology}](login:/methodology#plausibility); the operator can recompute them from what its account exports.`,
    ),
  ];
}

/** Why a moderator decided, as far as it is public: not the reason, which is for the operator, nor who reported. */
function groundsOf({ grounds }: NonNullable<Shown['review']>): Inline {
  if (grounds === REPORTED_RULE) return text('Readers reported the numbers, and a moderator found them implausible.');
  return isByPeople(grounds)
    ? text('A moderator looked at the numbers, and found them implausible.')
    : m`A moderator confirmed the finding ${code(grounds)}.`;
}

/** The values that crossed the bound, as ratios; `isJudged`: there is none, because people opened the case that a moderator decided. */
function numberParts(codename: string, crossed: readonly Evidence[], isJudged: boolean): Part[] {
  if (isJudged) {
    const words = m`No bound is behind this decision. The operator reads the moderator’s reason at its account.`;
    return [prose(words)];
  }
  const measured = crossed.filter(({ ratio }) => ratio !== null);
  if (measured.length === 0) {
    const windows = crossed.map(({ window }) => windowLabel(window)).join(', ');
    const words = m`This finding is not measured in the present counts: it comes from a comparison of operators or of streams, from a review, or from samples that are no longer stored.${windows === '' ? '' : ` Windows: ${windows}.`}`;
    return [prose(words)];
  }
  const { measure } = measured[0]!;
  return [
    prose(
      m`Measured: ${measure === null ? '' : MEASURES[measure].words}. The ratio is the measured value over the bound.${measured[0]!.measured === null ? ' Counts of tokens are not public, so only the ratio is shown.' : ''}`,
    ),
    table({
      caption: `What crossed the bound of ${codename}`,
      columns: [
        { label: 'Window', is: ['row'] },
        ...['Measured', 'Bound', 'Ratio'].map((label) => ({ label, is: ['number'] as const })),
      ],
      rows: measured.map(({ window, measured: value, bound, ratio }) => [
        windowLabel(window),
        readableOr(value, 'not public'),
        readableOr(bound),
        readableOr(ratio),
      ]),
    }),
  ];
}
