import { MS_PER_SECOND } from '../../config/units.ts';
import { WINDOWS } from '../../engine/contract/index.ts';
import type { LogEntry, Ranking } from '../../engine/ranking/index.ts';
import { methodology1 } from '../../engine/ranking/methodologies/methodology-1.ts';
import { type NaiveWindow, naiveBoard } from '../support/naive-board.ts';
import { naiveEligibility } from '../support/naive-eligibility.ts';
import { type NaiveSnapshot, naiveUsage } from '../support/naive-usage.ts';

/** Acknowledged entries, and the model's boards of them. */
export interface AcknowledgedEntries {
  readonly logged: readonly LogEntry[];
  add(entry: LogEntry): void;
  /** Removes an entry that was correctly refused: it does not count. */
  withdraw(entry: LogEntry): void;
  /** The boards of these operators as of `now`, by default under methodology 1. Whether one is listed comes from its record. */
  boards(
    operators: readonly number[],
    records: Pick<Ranking, 'operators'>,
    now: number,
    methodology?: number,
  ): Promise<NaiveWindow[]>;
}

export function acknowledgedEntries(): AcknowledgedEntries {
  const logged: LogEntry[] = [];
  return {
    logged,
    add: (entry) => void logged.push(entry),
    withdraw({ operator, jti }) {
      const at = logged.findIndex((entry) => entry.operator === operator && entry.jti === jti);
      if (at >= 0) logged.splice(at, 1);
    },
    async boards(operators, records, now, methodology = 1) {
      const yields = new Map<number, (number | null)[]>();
      const found = await Promise.all(operators.map((operator) => records.operators.byNumber(operator)));
      for (const [index, operator] of operators.entries()) {
        if (found[index]?.listed !== true) continue;
        const usage = naiveUsage(logged.filter((entry) => entry.operator === operator).map(snapshotOf), now);
        yields.set(
          operator,
          usage.map(({ yield_, totals }) => (naiveEligibility(methodology, totals) ? yield_ : null)),
        );
      }
      return naiveBoard(yields, WINDOWS.length, methodology1.tiers);
    },
  };
}

function snapshotOf({ payload, signature }: LogEntry): NaiveSnapshot {
  const { as_of, stream: ledger }: { as_of: number; stream: string } = JSON.parse(
    Buffer.from(signature.split('.')[0]!, 'base64url').toString('utf8'),
  );
  const { input, output, cache_read, cache_write, platform = '' } = payload;
  return {
    ledger,
    platform,
    epoch: 0,
    asOf: as_of * MS_PER_SECOND,
    counts: [input, output, cache_read, cache_write],
  };
}
