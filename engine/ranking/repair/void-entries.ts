import { parseDetachedJws, parseSnapshotHeader } from '../../contract/signing/index.ts';
import type { RankingContext } from '../context.ts';
import type { KeptEntry } from '../storage/operator-log.ts';
import { recomputeOperators } from './recompute-operators.ts';

/** Entries of the log read by one command. */
const ENTRIES_A_READ = 1_000;
const DETAIL = 'This snapshot was taken out by those who run the service, and counts no longer.';

/** Which entries of an operator to take out: one, or all that a key signed and that were received since a moment. */
export type VoidSelection =
  | { readonly jti: string }
  | { readonly kid: string /** Milliseconds since the epoch. */; readonly since: number };

/** `undecided`: that entry's group has no verdict yet, and its fold could still come after the refold. */
export type Voiding =
  | { readonly kind: 'none' | 'gone' }
  | { readonly kind: 'undecided'; readonly batch: string; readonly jti: string }
  | { readonly kind: 'voided'; readonly entries: number; readonly batches: readonly string[] };

/** The entries that a selection names, as they are now. */
export async function selectEntries(
  { stores }: RankingContext,
  operator: number,
  selection: VoidSelection,
): Promise<readonly KeptEntry[]> {
  if ('jti' in selection) {
    const found = await stores.operatorLog.find(operator, selection.jti);
    return found === null ? [] : [found];
  }
  const selected: KeptEntry[] = [];
  for (let after = ''; ; ) {
    const entries = await stores.operatorLog.page(operator, after, ENTRIES_A_READ);
    const { kid, since } = selection;
    selected.push(...entries.filter(({ entry }) => entry.receivedAt >= since && kidOf(entry.signature) === kid));
    const last = entries.at(-1);
    if (last === undefined || entries.length < ENTRIES_A_READ) return selected;
    after = last.id;
  }
}

/**
 * Takes entries out of the log's count and refolds their operator from what is left: its totals and its place are what
 * they would be without them. Repeating it does no harm, and completes one that was cut short.
 *
 * The jobs of the entries' groups must have ended: one that ran again would fold what was taken out.
 */
export async function voidEntries(
  context: RankingContext,
  operator: number,
  selection: VoidSelection,
): Promise<Voiding> {
  const { stores, clock } = context;
  const entries = await selectEntries(context, operator, selection);
  if (entries.length === 0) return { kind: 'none' };
  const batches = new Map<string, string[]>();
  for (const { batch, id } of entries) batches.set(batch, [...(batches.get(batch) ?? []), id]);
  const [open] = await stores.verdicts.missing([...batches.keys()]);
  const undecided = entries.find(({ batch }) => batch === open);
  if (undecided !== undefined) return { kind: 'undecided', batch: undecided.batch, jti: undecided.entry.jti };
  await stores.operatorLog.markVoided(
    entries.map(({ id }) => id),
    new Date(clock()),
  );
  for (const [batch, ids] of batches) await stores.verdicts.void(batch, ids, DETAIL);
  if (!(await recomputeOperators(context, [operator])).has(operator)) return { kind: 'gone' };
  return { kind: 'voided', entries: entries.length, batches: [...batches.keys()] };
}

/** The key that an entry says it was signed with; null when it says nothing that can be read. */
function kidOf(signature: string): string | null {
  const jws = parseDetachedJws(signature);
  const header = jws === null ? null : parseSnapshotHeader(jws.header);
  return header === null || 'refused' in header ? null : header.kid;
}
