import { type JudgedWindow, WAIVERS, WINDOW_NUMBERS } from '../../integrity/index.ts';
import { TOTALS_NUMBERS } from '../core/operator-state/index.ts';
import type { ScoredRecord } from '../core/score-record.ts';
import { doublesOf } from './binary.ts';
import { decodePlatformTotals, decodeTotals, type OperatorDocument } from './operator-codec.ts';

/** Window totals of many operators: arrays with one element, `TOTALS_NUMBERS` or `WAIVERS` per operator. */
export interface TotalsBatch {
  readonly operators: Uint32Array;
  /** 1, or 0 for operators that are unlisted or erased. */
  readonly listed: Uint8Array;
  readonly totals: Float64Array;
  /** Mask of rules; 0 where the record has none. */
  readonly findings: Int32Array;
  readonly waived: Float64Array;
  /** By index the totals of platforms as in `WindowSummary`, of operators with several; empty where they were not read. */
  readonly platformTotals: ReadonlyMap<number, Float64Array>;
}

/** A window of the operator at an index of a batch, as it is judged. */
export function judgedWindow({ totals, findings, waived }: TotalsBatch, index: number, window: number): JudgedWindow {
  const at = index * TOTALS_NUMBERS + window * WINDOW_NUMBERS;
  return { totals, at, findings: findings[index]!, waived, waivedAt: index * WAIVERS };
}

/** The record of the operator at an index of a batch; shares the memory of the batch. */
export function recordAt({ totals, findings, waived }: TotalsBatch, index: number): ScoredRecord {
  return {
    totals: totals.subarray(index * TOTALS_NUMBERS, (index + 1) * TOTALS_NUMBERS),
    assertions: { findings: findings[index]!, waived: waived.subarray(index * WAIVERS, (index + 1) * WAIVERS) },
  };
}

/** The fields that records are scored by. */
export type ScoredDocument = Pick<OperatorDocument, '_id' | 'listed' | 'totals' | 'findings' | 'waived'> &
  Partial<Pick<OperatorDocument, 'platform_totals'>>;

/** Makes a batch of records. Throws for one of another shape. */
export function totalsBatchOf(records: readonly ScoredDocument[]): TotalsBatch {
  const totals = new Float64Array(records.length * TOTALS_NUMBERS);
  const waived = new Float64Array(records.length * WAIVERS);
  const platformTotals = new Map<number, Float64Array>();
  for (const [index, record] of records.entries()) {
    if (typeof record.listed !== 'boolean') throw new Error(`operator ${record._id} is neither listed nor unlisted`);
    totals.set(decodeTotals(record), index * TOTALS_NUMBERS);
    if (record.waived !== undefined) waived.set(decodeWaived(record.waived), index * WAIVERS);
    const { platform_totals } = record;
    const own = platform_totals && decodePlatformTotals({ platform_totals });
    if (own !== undefined && own.length > 0) platformTotals.set(index, own);
  }
  return {
    operators: Uint32Array.from(records, ({ _id }) => _id),
    listed: Uint8Array.from(records, ({ listed }) => Number(listed)),
    totals,
    findings: Int32Array.from(records, ({ findings = 0 }) => findings),
    waived,
    platformTotals,
  };
}

function decodeWaived(stored: NonNullable<OperatorDocument['waived']>): Float64Array {
  const numbers = doublesOf(stored);
  if (numbers.length === WAIVERS) return numbers;
  throw new Error(`${numbers.length} numbers that moderators accepted are not ${WAIVERS}`);
}
