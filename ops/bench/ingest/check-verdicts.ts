import { openMongo } from '../../../engine/mongo/index.ts';

/** Totals of all submissions in the database. */
export interface LoggedTotals {
  readonly entries: number;
  readonly batches: number;
  readonly undecidedBatches: number;
  readonly refused: number;
  readonly unchanged: number;
}

interface VerdictCounts {
  readonly _id: string;
  readonly unchanged: readonly string[];
  readonly refused: readonly unknown[];
}

/** Counts log entries and verdicts, independently of the responses. */
export async function readLoggedTotals(mongoUrl: string): Promise<LoggedTotals> {
  const connection = await openMongo(mongoUrl);
  try {
    const batches: string[] = await connection.collection('snapshots').distinct('batch');
    const verdicts = await connection.collection<VerdictCounts>('verdicts').find().toArray();
    const decided = new Set(verdicts.map(({ _id }) => _id));
    return {
      entries: await connection.collection('snapshots').countDocuments(),
      batches: batches.length,
      undecidedBatches: batches.filter((batch) => !decided.has(batch)).length,
      refused: verdicts.reduce((sum, { refused }) => sum + refused.length, 0),
      unchanged: verdicts.reduce((sum, { unchanged }) => sum + unchanged.length, 0),
    };
  } finally {
    await connection.close();
  }
}
