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

/** The reason why an operator (null: a new one) cannot have a display name, as a sentence; null when it can. */
export async function displayNameProblem(
  { stores }: Pick<RankingContext, 'stores'>,
  operator: number | null,
  displayName: string,
): Promise<string | null> {
  if (displayName.length > MAX_DISPLAY_NAME_LENGTH) {
    return `A display name has at most ${MAX_DISPLAY_NAME_LENGTH} characters.`;
  }
  const fault = displayNameFault(displayName);
  if (fault !== null) return fault;
  const key = codenameKey(displayName.normalize('NFKC').trim());
  if (!CODENAME_PATTERN.test(key)) return null;
  if (RESERVED_CODENAMES.has(key)) return `The display name reads as the codename ${key}, which is reserved.`;
  const bearer = await stores.operators.byCodename(key);
  if (bearer === null || bearer.operator === operator) return null;
  return `The display name reads as the codename of another operator, ${key}.`;
}
