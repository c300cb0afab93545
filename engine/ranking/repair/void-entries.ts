import { parseDetachedJws, parseSnapshotHeader } from '../../contract/signing/index.ts';
import type { RankingContext } from '../context.ts';
import type { KeptEntry } from '../storage/snapshots.ts';
import { recomputeOperator } from './recompute-operators.ts';

/** Log entries per read command. */
const ENTRIES_A_READ = 1_000;
const DETAIL = 'This snapshot was voided by the operators of the service and no longer counts.';

/** The entries to void: one, or all that a key signed and that were received since a time. */
export type VoidSelection =
  | { readonly jti: string }
  | { readonly kid: string /** Milliseconds since the epoch. */; readonly since: number };

/** `undecided`: the entry's batch has no verdict yet, so it could still be applied after the recomputation. */
export type Voiding =
  | { readonly kind: 'none' | 'gone' }
  | { readonly kind: 'undecided'; readonly batch: string; readonly jti: string }
  | { readonly kind: 'voided'; readonly entries: number; readonly batches: readonly string[] };

/** The entries that match a selection. */
async function selectEntries(
  { stores }: RankingContext,
  operator: number,
  selection: VoidSelection,
): Promise<readonly KeptEntry[]> {
  if ('jti' in selection) {
    const found = await stores.log.find(operator, selection.jti);
    return found === null ? [] : [found];
  }
  const selected: KeptEntry[] = [];
  const { kid, since } = selection;
  for await (const entries of stores.log.ofOperator(operator, ENTRIES_A_READ)) {
    selected.push(...entries.filter(({ entry }) => entry.receivedAt >= since && kidOf(entry.signature) === kid));
  }
  return selected;
}

/** The batches of the selected entries. */
export async function batchesOf(
  context: RankingContext,
  operator: number,
  selection: VoidSelection,
): Promise<readonly string[]> {
  return [...new Set((await selectEntries(context, operator, selection)).map(({ batch }) => batch))];
}

/**
 * Voids entries and recomputes their operator from the others: its totals and its rank are as without them. Safe to repeat;
 * repeating completes an interrupted run.
 *
 * The jobs of the entries' batches must have ended: a later run would apply the voided entries.
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
  await stores.log.markVoided(
    entries.map(({ id }) => id),
    new Date(clock()),
  );
  for (const [batch, ids] of batches) await stores.verdicts.void(batch, ids, DETAIL);
  if (!(await recomputeOperator(context, operator))) return { kind: 'gone' };
  return { kind: 'voided', entries: entries.length, batches: [...batches.keys()] };
}

/** The `kid` of an entry's header; null when the header is unreadable. */
function kidOf(signature: string): string | null {
  const jws = parseDetachedJws(signature);
  const header = jws === null ? null : parseSnapshotHeader(jws.header);
  return header === null || 'refused' in header ? null : header.kid;
}
