import { type IntegrityCase, isByPeople, REVIEW_RULE } from '../../../engine/integrity/cases/index.ts';
import type { Explanation } from '../../../engine/ranking/index.ts';
import { fromStorage } from '../../http/problem.ts';
import type { SiteContext } from '../site-context.ts';

/** What the rules and moderators found about an operator, and from when on each is public; null when it is not listed. */
export async function readFindings({ ranking, accounts }: SiteContext, codename: string) {
  return fromStorage(async () => {
    const explanation = await ranking.operators.explain(codename);
    if (explanation === null || !explanation.listed) return null;
    const cases = await accounts.cases.ofOperator(explanation.operator);
    return { explanation, cases, publicFrom: (rule: string) => publicFrom(explanation, cases, rule) };
  });
}

export type Findings = NonNullable<Awaited<ReturnType<typeof readFindings>>>;

/**
 * When the evidence of a rule is or becomes public, in milliseconds since the epoch; null when it is not: the rule is not crossed and
 * no review holds it, its case is void, or there is no case yet.
 */
function publicFrom({ evidence }: Explanation, cases: readonly IntegrityCase[], wanted: string): number | null {
  const found = caseOf(cases, wanted);
  if (found?.state === 'void') return null;
  const crossed = evidence.filter(({ rule }) => rule === wanted);
  if (crossed.some(({ severity }) => severity === 'exclude')) return 0;
  const holds = crossed.length > 0 || found?.state === 'confirmed';
  return holds ? (found?.public_at?.getTime() ?? null) : null;
}

/** The case of a rule; of `review` any that a moderator confirmed, of which one holds the row whatever became of others. */
export function caseOf(cases: readonly IntegrityCase[], wanted: string): IntegrityCase | undefined {
  const confirmed = wanted === REVIEW_RULE ? cases.filter(({ state }) => state === 'confirmed') : [];
  const held = confirmed.find(({ rule }) => isByPeople(rule)) ?? confirmed[0];
  return held ?? cases.find(({ rule }) => rule === wanted);
}
