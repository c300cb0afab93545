import { HOUR_MS } from '../../../config/units.ts';
import type { OpenRowPage } from '../../contract/index.ts';
import { canonicalPayload } from '../../contract/signing/index.ts';
import { byWindow } from '../../contract/windows.ts';
import { methodologyOf } from '../context.ts';
import { scoreOf } from '../core/score.ts';
import type { OperatorSummary } from '../storage/operators.ts';
import type { Rollup } from '../storage/rollups.ts';
import { verdictOf } from '../storage/verdicts.ts';
import type { BoardState } from './board-state.ts';
import type { ViewParts } from './view-parts.ts';
import { countsOf } from './window-scores.ts';

/** Log entries per page: with the longest headers below the megabyte that the tool reads. */
const ENTRIES_A_PAGE = 500;

/** A page is read again when the record changed meanwhile, at most so often. */
const MAX_TRIES = 3;

/** A page of the log before a `jti` (null: the first page), without keys. Null: the operator is gone meanwhile. */
export async function openRowPage(
  { context }: ViewParts,
  { manifest }: BoardState,
  { operator, codename }: OperatorSummary,
  before: string | null,
): Promise<Omit<OpenRowPage, 'keys'> | null> {
  const { operators } = context.stores;
  const methodology = methodologyOf(context, manifest);
  for (let tries = 1; ; tries++) {
    const known = await operators.recordRevision(operator);
    const logged = await readLog(context, operator, before);
    // The record last: an erasure clears it before it deletes the log.
    const loaded = (await operators.operatorStates([operator])).get(operator);
    if (loaded === undefined) return null;
    if (loaded.revision !== known?.revision && tries < MAX_TRIES) continue;
    const { totals, hour } = loaded.operatorState;
    const windows = byWindow((window) => {
      const counts = countsOf(totals, window);
      return { ...counts, yield_: scoreOf(counts, methodology)?.yield_ ?? null };
    });
    return { codename, methodology: methodology.id, as_of: iso(hour * HOUR_MS), windows, before, ...logged };
  }
}

async function readLog({ stores }: ViewParts['context'], operator: number, before: string | null) {
  const page = await stores.log.pageBefore(operator, before, ENTRIES_A_PAGE);
  const next = page.length < ENTRIES_A_PAGE ? null : page.at(-1)!.entry.jti;
  const found = next === null ? await stores.rollups.find(operator) : null;
  const verdicts = await stores.verdicts.ofBatches([...new Set(page.map(({ batch }) => batch))]);
  const left_out = { voided: 0, refused: 0, pending: 0 };
  const snapshots = page.flatMap(({ entry, batch, voided }) => {
    const decided = verdicts.get(batch);
    const isAccepted = decided !== undefined && verdictOf(decided, entry).accepted;
    const { receivedAt, payload, signature } = entry;
    if (isAccepted && !voided) return { received_at: iso(receivedAt), payload: canonicalPayload(payload), signature };
    left_out[voided ? 'voided' : decided === undefined ? 'pending' : 'refused'] += 1;
    return [];
  });
  const by_our_word = found?.kind === 'rollup' ? rolledUp(found.rollup) : null;
  return { snapshots, left_out, next, by_our_word };
}

function rolledUp({ until, facts }: Rollup): OpenRowPage['by_our_word'] {
  const samples = facts.map(({ ledger: stream, platform, epoch, hour, counts }) => {
    return { stream, platform, epoch, as_of: iso(hour * HOUR_MS), ...counts };
  });
  return { received_before: iso(until), samples };
}

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();
