import type { Ranking } from '../../../../engine/ranking/index.ts';

/** An operator in a model of leagues. */
export interface LeagueMember {
  readonly operator: number;
  codename: string;
  hidden: boolean;
  suspended: boolean;
}

/** Kinds of changes, beginning with 0. */
export const MEMBER_CHANGES = 3;

/** Renames an operator, hides or shows it, or suspends or returns it, and its model with it. */
export async function changeMember(
  { operators }: Pick<Ranking, 'operators'>,
  member: LeagueMember,
  kind: number,
  name: string,
): Promise<void> {
  if (kind === 0) {
    const renaming = await operators.rename(member.operator, name);
    if (renaming.kind === 'renamed') member.codename = renaming.codename;
  } else if (kind === 1) {
    const hiding = await operators.hide(member.operator, !member.hidden);
    if (hiding.kind === 'changed') member.hidden = !member.hidden;
  } else {
    member.suspended = !member.suspended;
    await operators.amend(member.operator, { suspended: member.suspended });
  }
}
