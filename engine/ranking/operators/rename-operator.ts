import { codenameKey } from '../../contract/signing/index.ts';
import type { RankingContext } from '../context.ts';
import { amendOperator } from './amend-operator.ts';
import { CODENAME_REST_MS, CREATION_HOLD_MS } from './codename-periods.ts';
import { codenameProblem } from './enrol-operator.ts';
import { operatorByNumber } from './find-operator.ts';

export type Renaming =
  | { readonly kind: 'renamed' | 'unchanged'; readonly codename: string }
  | { readonly kind: 'taken' | 'invalid' | 'reserved'; readonly detail: string }
  | { readonly kind: 'gone' };

/**
 * Gives an operator another codename. The former one is kept from others for 90 days, and its owner may return to it. Two
 * who change places at one moment may both be told that the codename is taken.
 */
export async function renameOperator(context: RankingContext, operator: number, wanted: string): Promise<Renaming> {
  const problem = codenameProblem(wanted);
  if (problem !== null) return problem;
  const { stores, clock, reach } = context;
  const record = await operatorByNumber(context, operator);
  if (record === null) return { kind: 'gone' };
  const codename = codenameKey(wanted);
  if (record.codename === codename) return { kind: 'unchanged', codename };
  const taken = { kind: 'taken', detail: `The codename ${codename} is taken.` } as const;
  const holder = String(operator);
  const now = clock();
  const at = new Date(now);
  if (!(await stores.codenameHolds.take(codename, holder, at, new Date(now + CREATION_HOLD_MS)))) return taken;
  await reach('rename.wanted_held');
  // The former codename rests before it is given up: nobody finds it free in between.
  const rests = await stores.codenameHolds.take(record.codename, holder, at, new Date(now + CODENAME_REST_MS));
  await reach('rename.former_held');
  const amended = rests && (await amendOperator(context, operator, { codename }));
  if (amended) return { kind: 'renamed', codename };
  await stores.codenameHolds.release(record.codename, holder);
  await stores.codenameHolds.release(codename, holder);
  return (await operatorByNumber(context, operator)) === null ? { kind: 'gone' } : taken;
}
