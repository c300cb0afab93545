import { CODENAME_PATTERN, codenameKey, displayNameFault, MAX_DISPLAY_NAME_LENGTH } from '../../contract/index.ts';
import type { RankingContext } from '../context.ts';
import { amendOperator } from './amend-operator.ts';
import { RESERVED_CODENAMES } from './reserved-codenames.ts';

export type DisplayNaming = { readonly kind: 'set' | 'gone' } | { readonly kind: 'invalid'; readonly detail: string };

/** Sets or removes an operator's display name. */
export async function setDisplayName(
  context: RankingContext,
  operator: number,
  displayName: string | null,
): Promise<DisplayNaming> {
  const detail = displayName === null ? null : await displayNameProblem(context, operator, displayName);
  if (detail !== null) return { kind: 'invalid', detail };
  return { kind: (await amendOperator(context, operator, { displayName })) ? 'set' : 'gone' };
}

/** Hyphens, dashes and the minus sign that NFKC does not turn into `-`. */
const HYPHENS = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g;

/** The reason why an operator (null: a new one) cannot have a display name, as a sentence; null when it can. */
export async function displayNameProblem(
  { stores, clock }: Pick<RankingContext, 'stores' | 'clock'>,
  operator: number | null,
  displayName: string,
): Promise<string | null> {
  if (displayName.length > MAX_DISPLAY_NAME_LENGTH) {
    return `A name has at most ${MAX_DISPLAY_NAME_LENGTH} characters.`;
  }
  const fault = displayNameFault(displayName);
  if (fault !== null) return fault;
  const key = codenameKey(displayName.normalize('NFKC').replace(HYPHENS, '-').trim());
  if (!CODENAME_PATTERN.test(key)) return null;
  if (RESERVED_CODENAMES.has(key)) return `The name reads as the codename ${key}, which is reserved.`;
  const [bearer, holder] = [await stores.operators.byCodename(key), operator === null ? null : String(operator)];
  if (bearer !== null && bearer.operator === operator) return null;
  // One text for both, so that it does not tell whether somebody who is hidden has the codename now.
  const isForeign = bearer !== null || (await stores.codenameHolds.isHeldFrom(holder, key, clock()));
  return isForeign ? `The name reads as ${key}, which is or was the codename of another operator.` : null;
}
