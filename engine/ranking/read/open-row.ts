import { HOUR_MS } from '../../../config/units.ts';
import type { OpenRowPage } from '../../contract/index.ts';
import { canonicalPayload } from '../../contract/signing/index.ts';
import { byWindow } from '../../contract/windows.ts';
import { methodologyOf } from '../context.ts';
import { scoreOf } from '../core/score.ts';
import type { OperatorSummary } from '../storage/operators.ts';
import { verdictOf } from '../storage/verdicts.ts';
import type { BoardState } from './board-state.ts';
import type { ViewParts } from './view-parts.ts';
import { countsOf } from './window-scores.ts';

/** Log entries per page: with the longest headers below the megabyte that the tool reads. */
const ENTRIES_A_PAGE = 500;

/** A page is read again when the record changed meanwhile, at most so often. */
const MAX_TRIES = 3;

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** A page of the log before a `jti` (null: the first page), without keys. Null: the operator is gone meanwhile. */
export async function openRowPage(
  parts: ViewParts,
  state: BoardState,
  summary: OperatorSummary,
  before: string | null,
  tries = MAX_TRIES,
): Promise<Omit<OpenRowPage, 'keys'> | null> {
  const { context } = parts;
  const { operator, codename } = summary;
  const { operators } = context.stores;
  const methodology = methodologyOf(context, state.manifest);
  const known = await operators.recordRevision(operator);
  const logged = await readLog(context, operator, before);
  await context.failpoint('open_row.log_read');
  // The record last: an erasure clears it before it deletes the log.
  const loaded = (await operators.operatorStates([operator])).get(operator);
  if (loaded === undefined) return null;
  // Otherwise the snapshots would not give the counts.
  if (loaded.revision !== known?.revision && tries > 1) return openRowPage(parts, state, summary, before, tries - 1);
  const record = loaded.operatorState;
  const windows = byWindow((window) => {
    const counts = countsOf(record.totals, window);
    return { ...counts, yield_: scoreOf(counts, methodology)?.yield_ ?? null };
  });
  return { codename, methodology: methodology.id, as_of: iso(record.hour * HOUR_MS), windows, before, ...logged };
}

async function readLog({ stores }: ViewParts['context'], operator: number, before: string | null) {
  const page = await stores.log.pageBefore(operator, before, ENTRIES_A_PAGE);
  const next = page.length < ENTRIES_A_PAGE ? null : page.at(-1)!.entry.jti;
  const verdicts = await stores.verdicts.ofBatches([...new Set(page.map(({ batch }) => batch))]);
  const snapshots = page.flatMap(({ entry, batch, voided }) => {
    const decided = verdicts.get(batch);
    if (voided || decided === undefined || !verdictOf(decided, entry).accepted) return [];
    const { receivedAt, payload, signature } = entry;
    return { received_at: iso(receivedAt), payload: canonicalPayload(payload), signature };
  });
  const found = next === null ? await stores.rollups.find(operator) : null;
  const by_our_word =
    found?.kind !== 'rollup'
      ? null
      : {
          received_before: iso(found.rollup.until),
          samples: found.rollup.facts.map(({ ledger: stream, platform, epoch, hour, counts }) => {
            return { stream, platform, epoch, as_of: iso(hour * HOUR_MS), ...counts };
          }),
        };
  return { snapshots, left_out: page.length - snapshots.length, next, by_our_word };
}
