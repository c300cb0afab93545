import type { Counts } from '../../contract/signing/index.ts';
import { byWindow, type Window } from '../../contract/windows.ts';
import { rulesIn } from '../../integrity/index.ts';
import type { RankingContext } from '../context.ts';
import { emptyState, type OlderDays, samplesOf, type UsageSample } from '../core/operator-state/index.ts';
import { countsOf } from '../read/window-scores.ts';
import { decodeProvenance, type StreamProvenance } from '../storage/operator-codec.ts';
import type { Rollup } from '../storage/rollups.ts';
import { verdictOf } from '../storage/verdicts.ts';
import type { LogEntry, OperatorRecord, Verdict } from '../types.ts';

/** Snapshots per read: bounds the memory of one export. */
const SNAPSHOTS_A_READ = 200;

/** All stored data of an operator except its snapshots. */
export interface ExportedOperator extends OperatorRecord {
  /** The counts in each window, as on the board. */
  readonly totals: Readonly<Record<Window, Counts>>;
  /** Former codenames that are reserved for the operator, ordered by `until` (milliseconds since the epoch). */
  readonly formerCodenames: readonly { readonly codename: string; readonly until: number }[];
  /** What signed headers state about the counts of each stream. */
  readonly provenance: readonly StreamProvenance[];
  /** What the rules of plausibility are evaluated on. */
  readonly usage: {
    /** The hour for which the totals hold. */
    readonly hour: number;
    readonly samples: readonly UsageSample[];
    readonly older: readonly OlderDays[];
    /** Names of the rules that a comparison or a review found. */
    readonly findings: readonly string[];
    /** As in `Assertions`. */
    readonly waived: readonly number[];
  };
  /** The methodology of the current board. */
  readonly methodology: number | null;
  /** The rollup of snapshots past retention; null without one. `until` is in milliseconds since the epoch. */
  readonly rolledUp: Rollup | null;
}

/** A logged snapshot with its verdict. */
export interface ExportedSnapshot extends LogEntry {
  /** True when it was voided: stored, but not counted. */
  readonly voided: boolean;
  /** Null while the snapshot has no verdict. */
  readonly verdict: Verdict | null;
}

/** Returns an operator's stored data except its snapshots; null when the operator does not exist or was erased. */
export async function exportOperator({ stores }: RankingContext, operator: number): Promise<ExportedOperator | null> {
  const [summary] = await stores.operators.summaries([operator]);
  if (summary === undefined || summary.codename === '') return null;
  const [holds, found, states, manifest] = await Promise.all([
    stores.codenameHolds.of(String(operator)),
    stores.rollups.find(operator),
    stores.operators.operatorStates([operator]),
    stores.board.read(),
  ]);
  const state = states.get(operator)?.operatorState ?? emptyState(0);
  const { codename, displayName, listed, offBoards, open, totals, assertions } = summary;
  return {
    operator,
    codename,
    displayName,
    listed,
    offBoards,
    open,
    totals: byWindow((window) => countsOf(totals, window)),
    formerCodenames: holds.filter((hold) => hold.codename !== codename),
    provenance: decodeProvenance(summary.provenance),
    usage: {
      hour: state.hour,
      samples: samplesOf(state),
      older: state.older,
      findings: rulesIn(assertions.findings).map(({ name }) => name),
      waived: [...assertions.waived],
    },
    methodology: manifest?.methodology ?? null,
    rolledUp: found.kind === 'rollup' ? found.rollup : null,
  };
}

/** Yields an operator's stored snapshots, ordered by id. */
export async function* exportSnapshots({ stores }: RankingContext, operator: number): AsyncGenerator<ExportedSnapshot> {
  for await (const page of stores.log.ofOperator(operator, SNAPSHOTS_A_READ)) {
    const verdicts = await stores.verdicts.ofBatches([...new Set(page.map(({ batch }) => batch))]);
    for (const { entry, batch, voided } of page) {
      const decided = verdicts.get(batch);
      yield { ...entry, voided, verdict: decided === undefined ? null : verdictOf(decided, entry) };
    }
  }
}
