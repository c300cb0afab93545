import type { Counts } from '../../contract/signing/index.ts';
import { byWindow, type Window } from '../../contract/windows.ts';
import type { RankingContext } from '../context.ts';
import type { UsageFact } from '../core/operator-state/index.ts';
import { countsOf } from '../read/window-scores.ts';
import { verdictOf } from '../storage/verdict-store.ts';
import type { LogEntry, OperatorRecord, Verdict } from '../types.ts';

/** Snapshots read at a time: what one export holds in memory. */
const SNAPSHOTS_A_READ = 200;

/** What is kept of an operator besides its snapshots. */
export interface KeptOperator extends OperatorRecord {
  /** The counts in each window, as the board has them. */
  readonly totals: Readonly<Record<Window, Counts>>;
  /** Codenames that were given up and are kept for it, the first to become free first. `until` is in milliseconds since the epoch. */
  readonly formerCodenames: readonly { readonly codename: string; readonly until: number }[];
  /** What snapshots came to that are too old for the log; null while there are none. `until` as above. */
  readonly rolledUp: { readonly until: number; readonly facts: readonly UsageFact[] } | null;
}

/** A snapshot in the log, with what became of it. */
export interface KeptSnapshot extends LogEntry {
  /** Whether it was taken out: kept, but no longer counted. */
  readonly voided: boolean;
  /** Null while there is none. */
  readonly verdict: Verdict | null;
}

/** Everything kept of an operator but its snapshots; null when there is none (any more). */
export async function keptOfOperator({ stores }: RankingContext, operator: number): Promise<KeptOperator | null> {
  const [summary] = await stores.operators.summaries([operator]);
  if (summary === undefined || summary.codename === '') return null;
  const [holds, found] = await Promise.all([stores.codenameHolds.of(String(operator)), stores.rollups.find(operator)]);
  const { codename, displayName, listed, totals } = summary;
  return {
    operator,
    codename,
    displayName,
    listed,
    totals: byWindow((window) => countsOf(totals, window)),
    formerCodenames: holds.filter((hold) => hold.codename !== codename),
    rolledUp: found.kind === 'rollup' ? found.rollup : null,
  };
}

/** An operator's snapshots as far as they are kept, in the order of their names, a few at a time. */
export async function* keptSnapshots({ stores }: RankingContext, operator: number): AsyncGenerator<KeptSnapshot> {
  for (let after = ''; ; ) {
    const page = await stores.operatorLog.page(operator, after, SNAPSHOTS_A_READ);
    const verdicts = await stores.verdicts.ofBatches([...new Set(page.map(({ batch }) => batch))]);
    for (const { entry, batch, voided } of page) {
      const decided = verdicts.get(batch);
      yield { ...entry, voided, verdict: decided === undefined ? null : verdictOf(decided, entry) };
    }
    const last = page.at(-1);
    if (last === undefined || page.length < SNAPSHOTS_A_READ) return;
    after = last.id;
  }
}
