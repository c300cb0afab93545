import { windowLabel } from '../../../engine/contract/index.ts';
import { type IntegrityCase, isByPeople, minuteText } from '../../../engine/integrity/cases/index.ts';
import { MEASURES } from '../../../engine/integrity/index.ts';
import type { Evidence } from '../../../engine/ranking/index.ts';
import { type Html, html } from '../../html.ts';
import type { Visit } from './visit.ts';

const NUMBER = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4 });

/** What the rules find in an operator's present counts. */
export async function readEvidence({ ranking }: Visit, codename: string): Promise<readonly Evidence[]> {
  return (await ranking.operators.explain(codename))?.evidence ?? [];
}

/** The numbers of a case in the window in which they are farthest beyond the bound; for its operator and moderators. */
export function caseNumbers({ rule, state }: IntegrityCase, evidence: readonly Evidence[]): Html | null {
  if (isByPeople(rule) || state === 'void') return null;
  return ruleNumbers(evidence.filter((each) => each.rule === rule));
}

/** The numbers of what one rule finds, in the window in which they are farthest beyond the bound. */
export function ruleNumbers(crossed: readonly Evidence[]): Html {
  const [most] = crossed.toSorted((one, other) => (other.ratio ?? 0) - (one.ratio ?? 0));
  if (most === undefined) return html`<p>The present counts do not cross this rule.</p>`;
  const windows = crossed.map(({ window }) => windowLabel(window)).join(', ');
  return html`<p>${numbersOf(most)} Windows: ${windows}.</p>`;
}

function numbersOf({ measure, measured, bound, ratio }: Evidence): Html {
  if (measure === null || bound === null || ratio === null) return html`Not measured in the present counts.`;
  const value = measured === null ? '' : `: ${NUMBER.format(measured)}`;
  return html`<strong>${NUMBER.format(ratio)} times the bound</strong> of ${NUMBER.format(bound)}${value} (${MEASURES[measure].words}).`;
}

/** Where the evidence of a case is public, or from when on; null when it will not be. */
export function evidenceLink(
  { siteUrl, clock }: Visit,
  { rule, state, public_at }: IntegrityCase,
  codename: string,
  evidence: readonly Evidence[],
): Html | null {
  const holds = state === 'confirmed' || (state === 'open' && evidence.some((each) => each.rule === rule));
  if (public_at === null || !holds) return null;
  return public_at.getTime() <= clock()
    ? html`<p><a href="${siteUrl}/operators/${codename}/integrity/${rule}">Public evidence</a></p>`
    : html`<p>The evidence is public from ${minuteText(public_at)} on.</p>`;
}
