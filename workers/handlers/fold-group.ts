import type { GroupVerdict } from '../../engine/ranking/index.ts';
import type { Payload } from '../catalog.ts';
import type { HandlerContext, Run } from './handlers.ts';

/** Judges one group. On its last attempt the group is taken apart, so that only an entry at fault fails. */
export async function foldGroup(
  { ranking }: Pick<HandlerContext, 'ranking'>,
  { group, entries }: Payload<'fold-group'>,
  { isLast }: Run,
): Promise<GroupVerdict> {
  const logged = entries ?? (await ranking.log.ofGroup(group));
  return isLast ? ranking.judgeGroupApart(group, logged) : ranking.judgeGroup(group, logged);
}
