import type { mongo } from 'mongoose';
import { shownDisplayName } from '../../contract/index.ts';
import { codenameKey } from '../../contract/signing/index.ts';
import { type Assertions, NO_ASSERTIONS } from '../../integrity/index.ts';
import { coalesce, DURABLE, insertUnlessTaken } from '../../mongo/index.ts';
import { emptyState, type OperatorState } from '../core/operator-state/index.ts';
import type { WitnessedRecord } from '../core/row-integrity.ts';
import type { ScoredRecord } from '../core/score-record.ts';
import type { OperatorRecord } from '../types.ts';
import { doublesOf } from './binary.ts';
import { idsIn, pagesOf, singleBatch } from './find.ts';
import { createOperatorChanges } from './operator-changes.ts';
import {
  decodePlatforms,
  decodePlatformTotals,
  decodeState,
  decodeTotals,
  decodeWitnessed,
  encodeState,
  type OperatorDocument,
} from './operator-codec.ts';
import { type ScoredDocument, totalsBatchOf } from './totals-batch.ts';
import { randomId } from './unique-id.ts';

/** Names and window totals, also of each of the operator's tools, without samples. */
export interface OperatorSummary extends OperatorRecord, WitnessedRecord, Pick<OperatorState, 'platformTotals'> {
  readonly platforms: readonly (string | null)[];
  /** As stored, to be decoded where it is shown. */
  readonly provenance: string;
}

const NAMES = { codename: 1, display_name: 1, listed: 1, off_boards: 1, open: 1 } as const;
type NamesDocument = Pick<OperatorDocument, '_id' | keyof typeof NAMES>;

const SUMMARY = {
  ...NAMES,
  totals: 1,
  platform_totals: 1,
  witnessed: 1,
  findings: 1,
  waived: 1,
  platforms: 1,
  provenance: 1,
} as const;
type SummaryDocument = Pick<OperatorDocument, '_id' | keyof typeof SUMMARY>;

/** An operator's names. The codename is empty after erasure. */
function namesOf({ _id, codename, display_name, listed, ...rest }: NamesDocument): OperatorRecord {
  return {
    operator: _id,
    codename: codename ?? '',
    displayName: shownDisplayName(display_name),
    listed: listed && codename !== undefined,
    offBoards: rest.off_boards ?? [],
    open: rest.open === true,
  };
}

function assertionsOf({ findings = 0, waived }: Pick<OperatorDocument, 'findings' | 'waived'>): Assertions {
  return { findings, waived: waived === undefined ? NO_ASSERTIONS.waived : doublesOf(waived) };
}

function summaryOf(document: SummaryDocument): OperatorSummary {
  return {
    ...namesOf(document),
    totals: decodeTotals(document),
    platformTotals: decodePlatformTotals(document),
    witnessed: decodeWitnessed(document),
    assertions: assertionsOf(document),
    platforms: decodePlatforms(document.platforms),
    provenance: document.provenance,
  };
}

const STATE = {
  revision: 1,
  hour: 1,
  totals: 1,
  platform_totals: 1,
  witnessed: 1,
  older: 1,
  findings: 1,
  waived: 1,
  platforms: 1,
  next_due: 1,
  streams: 1,
  provenance: 1,
} as const;
type StateDocument = Pick<OperatorDocument, '_id' | keyof typeof STATE>;

/** An operator state with the revision on which its next write is conditional. */
export interface LoadedState extends Pick<ScoredRecord, 'assertions'> {
  readonly revision: string;
  readonly operatorState: OperatorState;
}

/** The revision of a record and the hour at which facts were last applied. */
export type RecordRevision = Readonly<Pick<OperatorDocument, 'revision' | 'hour'>>;

/** Filter of the operators that are not erased. */
const LIVE = { erased_at: { $exists: false } } as const;

/** Operators per read: their totals fit into one reply with ample room. */
const MAX_OPERATORS = 20_000;

/** An operator to be stored under a reserved number. */
export interface NewOperator
  extends Omit<OperatorRecord, 'listed' | 'offBoards' | 'open'>,
    Pick<LoadedState, 'operatorState'> {}

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

interface SequenceDocument {
  _id: string;
  last: number;
}

export type OperatorStore = ReturnType<typeof createOperatorStore>;

/** Operators' records: creation, reads, states, totals and changes. */
export function createOperatorStore(db: mongo.Db) {
  const operators = db.collection<OperatorDocument>('operators');
  const sequences = db.collection<SequenceDocument>('sequences');

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
    reserve,

    /** No operator gets a number up to this one from now on. */
    async skipNumbers(last: number): Promise<void> {
      await sequences.updateOne({ _id: 'operator' }, { $max: { last } }, { upsert: true, ...DURABLE });
    },

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
      return (await insertUnlessTaken(() => operators.insertOne(documentOf(record, at), DURABLE))) ? operator : null;
    },

    /** The numbers of erased operators. */
    erasedNumbers: (): Promise<number[]> => idsIn(operators, { listed: false, erased_at: { $exists: true } }),
    ...createOperatorReads(operators),
    ...createOperatorStates(operators),
    ...createCodenameReads(operators),
    ...createOperatorTotals(operators),
    ...createOperatorChanges(operators),
  };
}

/** Reads of operators' public records. */
function createOperatorReads(operators: mongo.Collection<OperatorDocument>) {
  async function summariesIn(filter: mongo.Filter<OperatorDocument>, options: mongo.FindOptions) {
    const found = operators.find<SummaryDocument>(filter, { ...options, projection: SUMMARY });
    return (await found.toArray()).map(summaryOf);
  }

  return {
    /** One operator's names; concurrent calls share one command. */
    names: coalesce(async (numbers: readonly number[]) => {
      const options = { projection: NAMES, ...singleBatch(numbers) };
      const found = operators.find<NamesDocument>({ _id: { $in: [...numbers] } }, options);
      return new Map((await found.toArray()).map((document) => [document._id, namesOf(document)]));
    }),

    /** The summaries of existing operators, unordered. Erased ones have `listed: false`. */
    summaries: (numbers: readonly number[]): Promise<readonly OperatorSummary[]> =>
      summariesIn({ _id: { $in: [...numbers] } }, singleBatch(numbers)),

    /** The operators with these codenames (as `codenameKey` writes them), unordered. */
    byCodenames: (keys: readonly string[]) => summariesIn({ codename: { $in: [...keys] } }, singleBatch(keys)),

    async byCodename(codename: string): Promise<OperatorSummary | null> {
      const [found] = await summariesIn({ codename: codenameKey(codename) }, { limit: 1 });
      return found ?? null;
    },

    /** The names of operators with numbers in [from, until), in order of number, in pages of `limit`. */
    namesBetween: (from: number, until: number, limit: number) =>
      pagesOf<OperatorRecord>(limit, async (last) => {
        const options = { projection: NAMES, sort: { _id: 1 }, limit, batchSize: limit } as const;
        const range = { $gte: last === undefined ? from : last.operator + 1, $lt: until };
        return (await operators.find<NamesDocument>({ _id: range }, options).toArray()).map(namesOf);
      }),

    /** Estimated number of operators, erased ones included. */
    async count(): Promise<number> {
      return operators.estimatedDocumentCount();
    },

    /** Exact number of listed operators, ranked or not: a scan of index keys. */
    countListed: (): Promise<number> => operators.countDocuments({ listed: true }),

    /** The highest operator number; null without operators. */
    async highestNumber(): Promise<number | null> {
      const [highest] = await idsIn(operators, {}, { sort: { _id: -1 }, limit: 1 });
      return highest ?? null;
    },

    /** The summaries of all operators with numbers above `after`, in order of number, in pages of `limit`. */
    allSummaries: (limit: number, after = 0) =>
      pagesOf<OperatorSummary>(limit, (last) =>
        summariesIn({ _id: { $gt: last?.operator ?? after } }, { sort: { _id: 1 }, limit, batchSize: limit }),
      ),

    /** Operators created or amended (not by a batch) in [from, until), in order, by one index scan: many may share a millisecond. */
    async *amendedBetween(from: Date, until: Date, batchSize: number): AsyncGenerator<readonly OperatorSummary[]> {
      const found = operators.find<SummaryDocument>(
        { amended_at: { $gte: from, $lt: until } },
        { projection: SUMMARY, sort: { amended_at: 1 }, batchSize },
      );
      try {
        while (await found.hasNext()) yield found.readBufferedDocuments().map(summaryOf);
      } finally {
        await found.close();
      }
    },
  };
}

/** Reads of operators by codename. */
function createCodenameReads(operators: mongo.Collection<OperatorDocument>) {
  return {
    /** Listed codenames that begin with a lower-case text, in order, at most `limit`. */
    async codenamesFrom(prefix: string, limit: number): Promise<string[]> {
      // No codename contains a character beyond ASCII.
      const range = { $gte: prefix, $lt: `${prefix}\u{ffff}` };
      const options = { projection: { codename: 1 }, sort: { codename: 1 }, limit } as const;
      const found = await operators.find<{ codename: string }>({ codename: range, listed: true }, options).toArray();
      return found.map(({ codename }) => codename);
    },

    /** At most `each` listed codenames per side, in name order: those with the longest common prefix are among them. */
    async codenamesAround(codename: string, each: number): Promise<string[]> {
      const key = codenameKey(codename);
      const side = async (range: { $gte: string } | { $lt: string }, direction: 1 | -1): Promise<string[]> => {
        const found = operators.find<{ codename: string }>(
          { codename: range, listed: true },
          { projection: { codename: 1 }, sort: { codename: direction }, limit: each },
        );
        return (await found.toArray()).map((document) => document.codename);
      };
      return (await Promise.all([side({ $lt: key }, -1), side({ $gte: key }, 1)])).flat();
    },
  };
}

/** Reads of operator states and their revisions. */
function createOperatorStates(operators: mongo.Collection<OperatorDocument>) {
  /** Revisions and hours of the operators that exist and are not erased, read without decoding their states. */
  async function recordRevisions(numbers: readonly number[]): Promise<ReadonlyMap<number, RecordRevision>> {
    const options = { projection: { revision: 1, hour: 1 }, ...singleBatch(numbers) };
    const found = await operators.find({ _id: { $in: [...numbers] }, ...LIVE }, options).toArray();
    return new Map(found.map(({ _id, revision, hour }) => [_id, { revision, hour }]));
  }

  return {
    /** The states of the operators that exist and are not erased. */
    async operatorStates(numbers: readonly number[]): Promise<Map<number, LoadedState>> {
      const options = { projection: STATE, ...singleBatch(numbers) };
      const documents = await operators.find<StateDocument>({ _id: { $in: [...numbers] }, ...LIVE }, options).toArray();
      return new Map(
        documents.map((document) => [
          document._id,
          {
            revision: document.revision,
            operatorState: decodeState(document),
            assertions: assertionsOf(document),
          },
        ]),
      );
    },

    recordRevisions,

    /** As `recordRevisions`, for one operator; null when it is absent. */
    recordRevision: async (operator: number): Promise<RecordRevision | null> =>
      (await recordRevisions([operator])).get(operator) ?? null,

    /** Numbers of the operators that are not erased, ascending, in pages of `limit`. */
    liveNumbers: (limit: number) =>
      pagesOf<number>(limit, (last = 0) =>
        idsIn(operators, { _id: { $gt: last }, ...LIVE }, { sort: { _id: 1 }, limit, batchSize: limit }),
      ),

    /** Numbers of operators whose totals change at or before `hour` without a snapshot, at most `limit`. */
    due: (hour: number, limit: number): Promise<number[]> =>
      idsIn(operators, { next_due: { $gt: 0, $lte: hour } }, { limit, batchSize: limit, sort: { next_due: 1 } }),
  };
}

/** The fields that records are scored by. */
const SCORED = { listed: 1, totals: 1, findings: 1, waived: 1 } as const;
const SCORED_BY_PLATFORM = { ...SCORED, platform_totals: 1 } as const;

/** Reads of window totals of many operators. */
function createOperatorTotals(operators: mongo.Collection<OperatorDocument>) {
  /** By a command, whose reply is decoded as a whole: a cursor of the driver takes three times the CPU time. */
  async function find(filter: mongo.Filter<OperatorDocument>, most: number, projection: mongo.Document = SCORED) {
    if (most > MAX_OPERATORS) throw new RangeError(`${most} operators are too many for one read`);
    const options = { projection, sort: { _id: 1 }, batchSize: most + 1, singleBatch: true };
    const { cursor }: { readonly cursor?: { readonly firstBatch: readonly ScoredDocument[] } } =
      await operators.db.command({ find: operators.collectionName, filter, ...options });
    return totalsBatchOf(cursor?.firstBatch ?? []);
  }

  return {
    /** In order of number. */
    totalsBetween: (from: number, until: number) => find({ _id: { $gte: from, $lt: until } }, until - from),

    /** As `totalsBetween`, with the totals of platforms. */
    platformTotalsBetween: (from: number, until: number) =>
      find({ _id: { $gte: from, $lt: until } }, until - from, SCORED_BY_PLATFORM),

    /** The operators that exist, as `totalsBetween`. */
    totalsOf: (numbers: readonly number[]) => find({ _id: { $in: [...numbers] } }, numbers.length),
  };
}
