import { DURABLE } from '../../../mongo/index.ts';
import { type IntegrityCase, type IntegrityReport, WAITING_KINDS } from '../case-types.ts';
import { type CaseModels, changeOf } from './models.ts';

/** Pages of the queue that can be opened. */
const MAX_PAGES = 500;

/** What waits for a moderator, and for a mail. */
export function createCaseQueue({ cases, reports }: CaseModels) {
  const change = changeOf(cases);

  /** For each kind, what matches the cases that a moderator may decide. */
  async function queued(moderator: number) {
    const reported = await reports.distinct('operator', { reporter: moderator });
    const operator = { $nin: [moderator, ...reported] };
    return WAITING_KINDS.map((kind) => ({ waiting: { $exists: true }, 'waiting.kind': kind, operator }));
  }

  return {
    /** A page, from 1, of the queue. Beyond the end it is the last one. */
    queue: async (moderator: number, page: number, size: number) =>
      pageInTurns(cases, await queued(moderator), page, size),

    /** Waiting cases, when the oldest waiting appeal was made (null without one), and by rule cases that are neither void nor closed. */
    counts: async () => {
      const oldest = cases
        .findOne(
          // Partial indexes serve only queries with their condition.
          { waiting: { $exists: true }, 'waiting.kind': 'appeal' },
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

/** A page of the oldest case of each kind, then the next of each, and so on, so that no kind buries another. */
async function pageInTurns(cases: CaseModels['cases'], kinds: readonly object[], wanted: number, size: number) {
  const limit = MAX_PAGES * size;
  const lengths = await Promise.all(kinds.map((kind) => cases.countDocuments(kind, { limit })));
  /** Cases in so many turns. */
  const within = (turns: number): number => lengths.reduce((sum, length) => sum + Math.min(length, turns), 0);
  const last = Math.max(1, Math.min(MAX_PAGES, Math.ceil(within(limit) / size)));
  const page = wanted >= 1 ? Math.min(Math.trunc(wanted), last) : 1;
  const skip = (page - 1) * size;
  let turns = 0;
  while (turns < skip && within(turns + 1) <= skip) turns += 1;
  const found = await Promise.all(
    kinds.map(
      (kind): Promise<IntegrityCase[]> =>
        cases.find(kind).sort({ 'waiting.since': 1, _id: 1 }).skip(turns).limit(size).lean(),
    ),
  );
  const inTurns = Array.from({ length: size }, (_, turn) => found.flatMap((kind) => kind[turn] ?? [])).flat();
  const from = skip - within(turns);
  return { cases: inTurns.slice(from, from + size), page, last };
}
