import type { QueryFilter, UpdateQuery, UpdateWithAggregationPipeline } from 'mongoose';
import { type Connection, DURABLE, insertUnlessTaken, openStored } from '../../../mongo/index.ts';
import type { Checked, IntegrityFinding } from '../../index.ts';
import {
  CASES,
  type Decision,
  type IntegrityCase,
  isEffect,
  type PendingDecision,
  REPORTS,
  RULES_OF_PEOPLE,
} from '../case-types.ts';
import { FINDING_AGE_MS } from '../limits.ts';
import { transitionOf } from '../transitions.ts';

export type CaseModels = ReturnType<typeof openCaseModels>;

/** Opens the models on a connection. Creates nothing. */
export function openCaseModels(connection: Connection) {
  return { cases: openStored(connection, CASES), reports: openStored(connection, REPORTS) };
}

/** Cases of one bulk write. */
const BULK = 1_000;

/** A case as it is inserted: closed, until the finding opens it. */
const BEGUN = {
  state: 'open',
  closed_at: new Date(0),
  opened_at: new Date(0),
  public_at: null,
  notified_at: null,
  answer: null,
  appeal: null,
  decisions: [],
} as const;

type Change = (
  filter: QueryFilter<IntegrityCase>,
  update: UpdateQuery<IntegrityCase> | UpdateWithAggregationPipeline,
) => Promise<boolean>;

/** Cases. Every write is conditional on what it builds on, and can be repeated. */
export function createCaseStore({ cases, reports }: CaseModels) {
  /** Updates one case; false when none matches. */
  const change: Change = async (filter, update) =>
    (await cases.updateOne(filter, update, { updatePipeline: true })).matchedCount === 1;

  return {
    find: (id: string): Promise<IntegrityCase | null> => cases.findOne({ _id: id }).lean(),
    ofOperator: (operator: number): Promise<IntegrityCase[]> =>
      cases.find({ operator }).sort({ opened_at: 1, _id: 1 }).lean(),

    async open(found: readonly IntegrityFinding[], at: Date): Promise<void> {
      for (let start = 0; start < found.length; start += BULK) {
        const writes = found.slice(start, start + BULK).flatMap((one) => openingOf(one, at));
        await cases.bulkWrite(writes, DURABLE);
      }
    },

    /** Closes what was checked and not found. */
    async close(checked: Checked, found: readonly IntegrityFinding[], at: Date): Promise<void> {
      const gone =
        'rules' in checked
          ? { rule: { $in: [...checked.rules] } }
          : {
              operator: { $in: [...checked.operators] },
              rule: { $nin: RULES_OF_PEOPLE },
              _id: { $nin: found.map(({ operator, rule }) => `${operator}/${rule}`) },
            };
      const { filter, set } = transitionOf('lost', { at });
      const open = { ...gone, ...filter, pending: { $exists: false } } as const;
      await cases.updateMany(open, [{ $set: set }], { updatePipeline: true });
    },

    /** Stores an answer; null removes it. A hidden answer stays hidden. False while a decision about it is pending. */
    setAnswer(id: string, text: string | null, at: Date): Promise<boolean> {
      const hidden = { $eq: ['$answer.hidden', true] };
      const kept = { text: { $literal: text ?? '' }, at, hidden };
      // Without its text, the mark remains.
      const answer = text === null ? { $cond: [hidden, kept, null] } : kept;
      return change({ _id: id, pending: { $exists: false } }, [{ $set: { answer } }]);
    },

    /** Stores an appeal against what has been decided so far; false when one of the operator waits, or the case has changed. */
    appeal({ _id, decisions }: IntegrityCase, text: string, at: Date): Promise<boolean> {
      const { filter, set } = transitionOf('appealed', { at });
      const read = { _id, decisions: { $size: decisions.length }, pending: { $exists: false } } as const;
      const unappealed = { ...read, ...filter, 'waiting.kind': { $ne: 'appeal' } } as const;
      const appeal = { text: { $literal: text }, at };
      let stored = false;
      return insertUnlessTaken(async () => {
        stored = await change(unappealed, [{ $set: { ...set, appeal } }]);
      }).then((free) => free && stored);
    },

    ...createDecisionStore(cases, change),

    async eraseOf(operator: number): Promise<void> {
      await cases.deleteMany({ operator });
      await reports.deleteMany({ $or: [{ operator }, { reporter: operator }] });
    },
  };
}

/** Creates a case, opens a closed one, or one whose clearing the finding exceeds. */
function openingOf({ operator, rule, severity, boardVersion }: IntegrityFinding, at: Date) {
  const _id = `${operator}/${rule}`;
  const found = { severity, board_version: boardVersion };
  const begun = { $setOnInsert: { ...BEGUN, ...found, operator, rule } };
  const onEvent = (event: 'returned' | 'found' | 'exceeded', only: QueryFilter<IntegrityCase>, members: object) => {
    const { filter, set } = transitionOf(event, { rule, severity, at });
    return { updateOne: { filter: { _id, ...filter, ...only }, update: [{ $set: { ...members, ...set } }] } };
  };
  const recent = { $elemMatch: { at: { $gt: new Date(at.getTime() - FINDING_AGE_MS) } } };
  const former = { rule: { $nin: RULES_OF_PEOPLE }, decisions: { $not: recent }, pending: { $exists: false } };
  return [
    { updateOne: { filter: { _id }, update: begun, upsert: true } },
    onEvent('returned', { notify_since: { $gt: at } }, {}),
    onEvent('found', {}, found),
    onEvent('exceeded', former, found),
  ];
}

/** Decisions: pending until they are in effect, then part of the case. */
function createDecisionStore(cases: CaseModels['cases'], change: Change) {
  return {
    /** False when the case is not as it was read. An answer is hidden whatever it says by now. */
    begin({ _id, decisions, appeal, answer }: IntegrityCase, pending: PendingDecision): Promise<boolean> {
      const answered =
        pending.action === 'hide_answer' ? { answer: { $ne: null } } : { 'answer.at': answer?.at ?? null };
      const decided = { pending: { $exists: false }, decisions: { $size: decisions.length } } as const;
      return change({ _id, ...decided, 'appeal.at': appeal?.at ?? null, ...answered }, { $set: { pending } });
    },

    pending: (): Promise<IntegrityCase[]> => cases.find({ pending: { $exists: true } }).lean(),

    /** Marks a decision as withdrawn: it no longer counts. */
    withdraw: (id: string, decision: string): Promise<boolean> =>
      change({ _id: id, 'pending.id': decision }, { $set: { 'pending.action': 'withdrawn' } }),

    drop: (id: string, decision: string): Promise<boolean> =>
      change({ _id: id, 'pending.id': decision }, { $unset: { pending: true } }),

    /** Makes a decision part of a case: of that where it is pending, or of a fellow that is as it was then. */
    finish(
      { _id, rule }: Pick<IntegrityCase, '_id' | 'rule'>,
      of: { readonly id: string } | { readonly decided: number },
      decision: Decision,
    ) {
      const { action, at } = decision;
      const as =
        'id' in of
          ? { 'pending.id': of.id, 'pending.action': action }
          : { pending: { $exists: false }, decisions: { $size: of.decided } };
      const decisions = { $concatArrays: ['$decisions', [{ $literal: decision }]] };
      const isHidden = action === 'hide_answer';
      // While a decision is pending, its answer does not change. A restored case closes again where the rule is not crossed.
      const set = isEffect(action) ? transitionOf(action, { rule, at }).set : { 'answer.hidden': isHidden };
      return change({ _id, ...as }, [{ $set: { ...set, decisions, pending: '$$REMOVE' } }]);
    },
  };
}
