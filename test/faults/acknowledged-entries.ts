import { MS_PER_SECOND } from '../../config/units.ts';
import { WINDOWS } from '../../engine/contract/index.ts';
import type { LogEntry, Ranking } from '../../engine/ranking/index.ts';
import { METHODOLOGIES } from '../../engine/ranking/methodologies/index.ts';
import { type NaiveWindow, naiveBoard } from '../support/naive-board.ts';
import { type NaiveAssertions, type NaiveIntegrity, naiveIntegrity } from '../support/naive-integrity.ts';
import { type NaiveSnapshot, naiveUsage, receivedAt } from '../support/naive-usage.ts';

/** Acknowledged entries, and the model's boards of them. */
export interface AcknowledgedEntries {
  readonly logged: readonly LogEntry[];
  add(entry: LogEntry): void;
  /** Removes an entry that was correctly refused: it does not count. */
  withdraw(entry: LogEntry): void;
  /** The boards of these operators as of `now`. Whether one is listed comes from its record. */
  boards(
    operators: readonly number[],
    records: Pick<Ranking, 'operators'>,
    now: number,
    methodology: number,
  ): Promise<NaiveWindow[]>;
  /** The rules that an operator crosses in each window (WINDOWS) as of `now`, by all its counts or those of a platform. */
  integrity(
    operator: number,
    now: number,
    methodology: number,
    asserted?: NaiveAssertions,
    platform?: string,
  ): readonly NaiveIntegrity[];
  /** An operator's tokens of a platform as of `now`. */
  used(operator: number, now: number, platform: string): number;
}

export function acknowledgedEntries(): AcknowledgedEntries {
  const logged: LogEntry[] = [];
  const integrity: AcknowledgedEntries['integrity'] = (operator, now, methodology, asserted, platform) => {
    const isCounted = (entry: LogEntry): boolean => platform === undefined || entry.payload.platform === platform;
    const snapshots = logged.filter((entry) => entry.operator === operator && isCounted(entry)).map(snapshotOf);
    return naiveIntegrity(snapshots, naiveUsage(snapshots, now), now, METHODOLOGIES.get(methodology)!, asserted);
  };

  return {
    logged,
    add: (entry) => void logged.push(entry),
    withdraw({ operator, jti }) {
      const at = logged.findIndex((entry) => entry.operator === operator && entry.jti === jti);
      if (at >= 0) logged.splice(at, 1);
    },
    integrity,
    used(operator, now, platform) {
      const own = logged.filter((entry) => entry.operator === operator && entry.payload.platform === platform);
      return naiveUsage(own.map(snapshotOf), now)[0]!.totals.reduce((sum, count) => sum + count, 0);
    },
    async boards(operators, records, now, methodology) {
      const found = await Promise.all(operators.map((operator) => records.operators.byNumber(operator)));
      const listed = operators.filter((_, index) => found[index]?.listed === true);
      const yields = listed.map((operator): [number, (number | null)[]] => [
        operator,
        integrity(operator, now, methodology).map(({ yield_ }) => yield_),
      ]);
      return naiveBoard(new Map(yields), WINDOWS.length, METHODOLOGIES.get(methodology)!.tiers);
    },
  };
}

function snapshotOf({ payload, signature, receivedAt: moment }: LogEntry): NaiveSnapshot {
  const {
    as_of,
    stream: ledger,
    epoch = 0,
  }: { as_of: number; stream: string; epoch?: number } = JSON.parse(
    Buffer.from(signature.split('.')[0]!, 'base64url').toString('utf8'),
  );
  const { input, output, cache_read, cache_write, platform = '' } = payload;
  const own = { ledger, platform, epoch, asOf: as_of * MS_PER_SECOND };
  return receivedAt({ ...own, counts: [input, output, cache_read, cache_write] }, moment);
}
