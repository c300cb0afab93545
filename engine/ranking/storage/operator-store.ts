import { codenameKey } from '../../contract/signing/index.ts';
import { emptyState, type OperatorState } from '../core/operator-state/index.ts';
import type { Collections } from './collections.ts';
import type { OperatorDocument } from './documents.ts';
import { DURABLE } from './durability.ts';
import { createOperatorAmendments } from './operator-amendments.ts';
import { createOperatorReads } from './operator-reads.ts';
import { createOperatorStates } from './operator-states.ts';
import { createOperatorTotals } from './operator-totals.ts';
import { encodeState } from './state-codec.ts';
import { isDuplicateKey } from './store-errors.ts';
import { randomId } from './unique-id.ts';

export type { OperatorNames, OperatorSummary } from './operator-reads.ts';
export type { LoadedState } from './operator-states.ts';
export { TOTALS_NUMBERS, type TotalsBatch } from './totals-batch.ts';

/** An operator to be stored under a reserved number. */
export interface NewOperator {
  readonly operator: number;
  readonly codename: string;
  readonly displayName: string | null;
  readonly operatorState: OperatorState;
}

function documentOf({ operator, codename, displayName, operatorState }: NewOperator, at: Date): OperatorDocument {
  return {
    _id: operator,
    codename: codenameKey(codename),
    display_name: displayName,
    listed: true,
    revision: randomId(),
    ...encodeState(operatorState),
    created_at: at,
    amended_at: at,
  };
}

export type OperatorStore = ReturnType<typeof createOperatorStore>;

/** Operators' records: creation, reads, states, totals and amendments. */
export function createOperatorStore(collections: Collections) {
  const { operators, sequences } = collections;
  /** Reserves `count` consecutive numbers; returns the first. */
  async function reserve(count: number): Promise<number> {
    const sequence = await sequences.findOneAndUpdate(
      { _id: 'operator' },
      { $inc: { last: count } },
      { upsert: true, returnDocument: 'after', ...DURABLE },
    );
    if (sequence === null) throw new Error('the operator sequence could not be advanced');
    return sequence.last - count + 1;
  }

  return {
    ...createOperatorReads(collections),
    ...createOperatorStates(collections),
    ...createOperatorTotals(collections),
    ...createOperatorAmendments(collections),
    reserve,

    /** Stores new operators under reserved numbers. Throws when a codename is taken. */
    async insert(records: readonly NewOperator[], at: Date): Promise<void> {
      const documents = records.map((record) => documentOf(record, at));
      if (documents.length > 0) await operators.insertMany(documents, DURABLE);
    },

    /** Creates an operator under a new number; null when the codename is taken. The number is then never used. */
    async create(codename: string, displayName: string | null, at: Date): Promise<number | null> {
      const key = codenameKey(codename);
      if ((await operators.findOne({ codename: key }, { projection: { _id: 1 } })) !== null) return null;
      const operator = await reserve(1);
      const record = { operator, codename: key, displayName, operatorState: emptyState(0) };
      try {
        await operators.insertOne(documentOf(record, at), DURABLE);
        return operator;
      } catch (error) {
        if (isDuplicateKey(error)) return null;
        throw error;
      }
    },
  };
}
