import type { QueryFilter, UpdateQuery, UpdateWithAggregationPipeline } from 'mongoose';
import { type Checked, type IntegrityFinding, SEVERITIES } from '../../integrity/index.ts';
import { DURABLE, insertUnlessTaken } from '../../mongo/index.ts';
import {
  type Decision,
  EFFECTS,
  type Effect,
  type IntegrityCase,
  type IntegrityReport,
  isByPeople,
  isEffect,
  REVIEW_RULE,
  RULES_OF_PEOPLE,
  type SeenCase,
} from '../case-types.ts';
import { CLOSING_NOTICE_DELAY_MS, EVIDENCE_DELAY_MS, REVIEW_STANDS_MS } from '../limits.ts';
import type { Models } from './models.ts';

/** Cases of one bulk write. */
const BULK = 1_000;

/** Cases and reports. Every write is conditional on what it builds on, and can be repeated. */
export function createCaseStore({ cases, reports }: Models) {
  const change: Change = async (filter, update) =>
    (await cases.updateOne(filter, update, { updatePipeline: true })).matchedCount === 1;
  const ofOperator = (operator: number): Promise<IntegrityCase[]> =>
    cases.find({ operator }).sort({ opened_at: 1, _id: 1 }).lean();

  return {
    find: (id: string): Promise<IntegrityCase | null> => cases.findOne({ _id: id }).lean(),
    ofOperator,

    async open(found: readonly IntegrityFinding[], now: Date): Promise<void> {
      for (let start = 0; start < found.length; start += BULK) {
        const writes = found.slice(start, start + BULK).flatMap((one) => openingOf(one, now));
        await cases.bulkWrite(writes, DURABLE);
      }
    },

    /** Closes what was checked and not found; appeals still wait. The operator is mailed later, unless a due mail includes it. */
    async close(checked: Checked, found: readonly IntegrityFinding[], now: Date): Promise<void> {
      const open = { state: 'open', closed_at: { $exists: false }, pending: { $exists: false } } as const;
      const gone =
        'rules' in checked
          ? { rule: { $in: [...checked.rules] } }
          : {
              operator: { $in: [...checked.operators] },
              rule: { $nin: RULES_OF_PEOPLE },
              _id: { $nin: found.map(idOf) },
            };
      const notify_since = { $ifNull: ['$notify_since', new Date(now.getTime() + CLOSING_NOTICE_DELAY_MS)] };
      const waiting = { $cond: [IS_APPEALED, '$waiting', '$$REMOVE'] };
      await cases.updateMany({ ...gone, ...open }, [{ $set: { closed_at: now, notify_since, waiting } }], {
        updatePipeline: true,
      });
    },

    /** Stores an answer; null removes it. A hidden answer stays hidden. False while a decision about it is pending. */
    setAnswer(id: string, text: string | null, at: Date): Promise<boolean> {
      const hidden = { $eq: ['$answer.hidden', true] };
      const kept = { text: { $literal: text ?? '' }, at, hidden };
      // Without its text, the mark remains.
      const answer = text === null ? { $cond: [hidden, kept, null] } : kept;
      return change({ _id: id, pending: { $exists: false } }, [{ $set: { answer } }]);
    },

    /** Stores an appeal against what has been decided so far; false when one waits already or the case has changed. */
    appeal: (id: string, decided: number, text: string, at: Date): Promise<boolean> =>
      change(
        { _id: id, decisions: { $size: decided }, 'waiting.appeal': { $ne: true } },
        { $set: { appeal: { text, at }, waiting: { appeal: true, since: at } } },
      ),

    ...createQueueStore(cases, reports, change),
    ...createDecisionStore(cases, change),
    ...createReportStore(cases, reports),

    async eraseOf(operator: number): Promise<void> {
      await cases.deleteMany({ operator });
      await reports.deleteMany({ $or: [{ operator }, { reporter: operator }] });
    },
  };
}

function idOf({ operator, rule }: Pick<IntegrityFinding, 'operator' | 'rule'>): string {
  return `${operator}/${rule}`;
}

/** Expressions over a stored case. */
const IS_APPEALED = { $eq: ['$waiting.appeal', true] };
const OPEN_AGAIN = { $unset: 'closed_at' };
const IS_UNDECIDED = { $eq: [{ $setIntersection: ['$decisions.action', EFFECTS] }, []] };

/** Creates a case, opens a closed one, or raises the severity of an existing one, which then waits for a moderator again. */
function openingOf({ operator, rule, severity, boardVersion }: IntegrityFinding, now: Date) {
  const _id = idOf({ operator, rule });
  const byPeople = isByPeople(rule);
  const excluded = severity === 'exclude';
  const waits = rule !== REVIEW_RULE;
  const waiting = { appeal: false, since: now };
  const found = { severity, board_version: boardVersion, ...(byPeople ? {} : { notify_since: now }) };
  const dates = {
    opened_at: now,
    public_at: byPeople ? null : new Date(now.getTime() + (excluded ? 0 : EVIDENCE_DELAY_MS)),
  };
  const fresh = {
    ...found,
    ...dates,
    ...(waits && { waiting }),
    operator,
    rule,
    state: 'open',
    notified_at: null,
    answer: null,
    appeal: null,
    decisions: [],
  } as const;
  const state = { $cond: [{ $eq: ['$state', 'confirmed'] }, 'confirmed', 'open'] };
  const again = { ...found, ...(waits && { waiting: { $cond: [IS_APPEALED, '$waiting', waiting] } }) };
  const raised = { ...again, state, ...(excluded ? { public_at: { $min: ['$public_at', now] } } : {}) };
  const closed = { _id, closed_at: { $exists: true } };
  const wait = { $ifNull: ['$waiting', { appeal: false, since: '$opened_at' }] };
  const continued = { waiting: { $cond: [IS_UNDECIDED, wait, '$waiting'] }, notify_since: '$$REMOVE' };
  const reopened = { ...again, ...dates };
  const lower = SEVERITIES.slice(0, SEVERITIES.indexOf(severity));
  return [
    { updateOne: { filter: { _id }, update: { $setOnInsert: fresh }, upsert: true } },
    { updateOne: { filter: { ...closed, notify_since: { $gt: now } }, update: [{ $set: continued }, OPEN_AGAIN] } },
    { updateOne: { filter: closed, update: [{ $set: reopened }, OPEN_AGAIN] } },
    { updateOne: { filter: { _id, severity: { $in: lower } }, update: [{ $set: raised }] } },
  ];
}

/** Matches a case whose answer or appeal was written at a time in milliseconds; 0: that has none. */
function textOf(name: 'answer' | 'appeal', at: number): QueryFilter<IntegrityCase> {
  return at === 0 ? { [name]: null } : { [`${name}.at`]: new Date(at) };
}

type Update = UpdateQuery<IntegrityCase> | UpdateWithAggregationPipeline;

/** Updates one case; false when none matches. */
type Change = (filter: QueryFilter<IntegrityCase>, update: Update) => Promise<boolean>;

async function queueFilter(reports: Models['reports'], moderator: number, of: 'people' | 'rules') {
  const reported = await reports.distinct('operator', { reporter: moderator });
  const byPeople = [{ 'waiting.appeal': true }, { rule: { $in: RULES_OF_PEOPLE } }];
  return {
    waiting: { $exists: true },
    operator: { $nin: [moderator, ...reported] },
    [of === 'people' ? '$or' : '$nor']: byPeople,
  };
}

/** What waits for a moderator, and for a mail. */
function createQueueStore(cases: Models['cases'], reports: Models['reports'], change: Change) {
  return {
    /** Those `of` people: oldest appeals, then reports; those of rules have no appeal, and would bury the others. */
    queue: async (
      moderator: number,
      of: 'people' | 'rules',
      skip: number,
      limit: number,
    ): Promise<readonly IntegrityCase[]> =>
      cases
        .find(await queueFilter(reports, moderator, of))
        .sort({ 'waiting.appeal': -1, 'waiting.since': 1, _id: 1 })
        .skip(skip)
        .limit(limit)
        .lean(),

    /** The number of cases in a queue, at most `limit`. */
    queueLength: async (moderator: number, of: 'people' | 'rules', limit: number): Promise<number> =>
      cases.countDocuments(await queueFilter(reports, moderator, of), { limit }),

    /** Waiting cases, when the oldest waiting appeal was made (null without one), and by rule cases that are neither void nor closed. */
    counts: async () => {
      const oldest = cases
        .findOne(
          // Partial indexes serve only queries with their condition.
          { waiting: { $exists: true }, 'waiting.appeal': true },
        )
        .sort({ 'waiting.since': 1 })
        .lean();
      const waiting = cases.countDocuments({ waiting: { $exists: true } });
      const groups = cases.aggregate<{ _id: Pick<IntegrityCase, 'rule' | 'severity'>; operators: number }>([
        { $match: { state: { $ne: 'void' }, closed_at: { $exists: false } } },
        { $group: { _id: { rule: '$rule', severity: '$severity' }, operators: { $sum: 1 } } },
        { $sort: { _id: 1 } },
      ]);
      const byRule = (await groups).map(({ _id, operators }) => ({ ..._id, operators }));
      return { waiting: await waiting, oldestAppealAt: (await oldest)?.waiting?.since ?? null, byRule };
    },

    /** What is to be mailed by now, oldest first. */
    dueNotices: async (limit: number, now: Date) => {
      const due = { notify_since: { $lte: now } };
      return {
        cases: await cases.find(due).sort({ notify_since: 1 }).limit(limit).lean(),
        reports: await reports.find(due).sort({ notify_since: 1 }).limit(limit).lean(),
      };
    },

    /** `at` is null when no mail was sent. A newer occasion for a mail stays. */
    markCaseNotified: async ({ _id, notify_since, closed_at }: IntegrityCase, at: Date | null): Promise<void> => {
      const marked = at === null ? {} : { $set: { notified_at: at } };
      const read = { _id, ...(notify_since && { notify_since }), closed_at: closed_at ?? { $exists: false } };
      await change(read, { ...marked, $unset: { notify_since: true } });
    },

    markReportNotified: async ({ _id, notify_since }: IntegrityReport): Promise<void> => {
      await reports.updateOne(
        { _id, ...(notify_since && { notify_since }) },
        { $unset: { notify_since: true } },
        DURABLE,
      );
    },
  };
}

/** Decisions: pending until they are in effect, then part of the case. */
function createDecisionStore(cases: Models['cases'], change: Change) {
  return {
    /** False when the case is not as it was seen. An answer is hidden whatever it says by now. */
    begin(id: string, { decided, appealAt, answerAt }: SeenCase, decision: Decision): Promise<boolean> {
      const answer = decision.action === 'hide_answer' ? { answer: { $ne: null } } : textOf('answer', answerAt);
      return change(
        {
          _id: id,
          pending: { $exists: false },
          decisions: { $size: decided },
          ...textOf('appeal', appealAt),
          ...answer,
        },
        { $set: { pending: decision } },
      );
    },

    pending: (): Promise<IntegrityCase[]> => cases.find({ pending: { $exists: true } }).lean(),

    /** Marks a decision as withdrawn: it no longer counts. */
    withdraw: (id: string, decision: string): Promise<boolean> =>
      change({ _id: id, 'pending.id': decision }, { $set: { 'pending.action': 'withdrawn' } }),

    drop: (id: string, decision: string): Promise<boolean> =>
      change({ _id: id, 'pending.id': decision }, { $unset: { pending: true } }),

    /** Makes a pending decision part of its case. */
    finish(found: IntegrityCase, decision: Decision): Promise<boolean> {
      const { _id } = found;
      const { id, action, at } = decision;
      const pending = { _id, 'pending.id': id, 'pending.action': action };
      const $push = { decisions: decision };
      if (!isEffect(action)) {
        // While a decision is pending, its answer does not change.
        const $set = { 'answer.hidden': action === 'hide_answer' };
        return change(pending, { $push, $set, $unset: { pending: true } });
      }
      const state = { exclude: 'confirmed', void: 'void', restore: 'open' } as const;
      const $set = { state: state[action], notify_since: at, public_at: publicAfter(found, action, at) };
      // A restored case closes again where the rule is not crossed.
      return change(pending, { $push, $set, $unset: { pending: true, waiting: true, closed_at: true } });
    },
  };
}

/** When evidence is public after a decision: at once where it excludes the row, else when it would be without the decision. */
function publicAfter({ rule, severity, opened_at, public_at }: IntegrityCase, action: Effect, at: Date): Date | null {
  if (action === 'exclude') return public_at !== null && public_at < at ? public_at : at;
  if (isByPeople(rule)) return null;
  return severity === 'exclude' ? public_at : new Date(opened_at.getTime() + EVIDENCE_DELAY_MS);
}

function createReportStore(cases: Models['cases'], reports: Models['reports']) {
  return {
    /** False when the reporter has reported the operator before, or the place is taken. */
    insertReport: (report: IntegrityReport): Promise<boolean> => insertUnlessTaken(() => reports.insertOne(report)),

    findReport: (reporter: number, operator: number): Promise<IntegrityReport | null> =>
      reports.findOne({ _id: `${reporter}/${operator}` }).lean(),

    /** A reporter's reports, newest first. */
    reportsBy: (reporter: number, limit: number): Promise<readonly IntegrityReport[]> =>
      reports.find({ reporter }).sort({ at: -1, _id: 1 }).limit(limit).lean(),

    reportsMade: (reporter: number): Promise<number> => reports.countDocuments({ reporter }),

    /** Reports of an operator by reason. */
    reportCounts: async (operator: number): Promise<Readonly<Record<string, number>>> => {
      const groups = reports.aggregate<{ _id: string; count: number }>([
        { $match: { operator } },
        { $group: { _id: '$reason', count: { $sum: 1 } } },
        { $sort: { _id: 1 } },
      ]);
      return Object.fromEntries((await groups).map(({ _id, count }) => [_id, count]));
    },

    /** Lets a case wait again that was decided long before a report, or never. */
    async waitAgain(id: string, reportedAt: Date): Promise<void> {
      const long = new Date(reportedAt.getTime() - REVIEW_STANDS_MS);
      const rested = {
        _id: id,
        waiting: { $exists: false },
        decisions: { $not: { $elemMatch: { action: { $in: [...EFFECTS] }, at: { $gte: long } } } },
      };
      await cases.updateOne(rested, { $set: { waiting: { appeal: false, since: reportedAt } } });
    },

    /** Marks the reports of an operator, whose authors are to be mailed. */
    async notifyReporters(operator: number, at: Date): Promise<void> {
      await reports.updateMany({ operator }, { $set: { notify_since: at } });
    },
  };
}
