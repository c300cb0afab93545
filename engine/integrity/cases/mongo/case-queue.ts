import { type IntegrityCase, type IntegrityReport, WAITING_KINDS } from '../case-types.ts';
import type { CaseModels } from './case-store.ts';

/** Pages of the queue that can be opened. */
const MAX_PAGES = 500;

/** Partial indexes serve only queries with their condition. */
const WAITS = { waiting: { $exists: true } };

/** What waits for a moderator, and for a mail. */
export function createCaseQueue({ cases, reports }: CaseModels) {
  return {
    /**
     * A page, from 1, of the cases that a moderator may decide: the oldest of each kind, then the next of each, and so on, so that no
     * kind buries another. Beyond the end it is the last page.
     */
    async queue(moderator: number, wanted: number, size: number) {
      const reported = await reports.distinct('operator', { reporter: moderator });
      const operator = { $nin: [moderator, ...reported] };
      const limit = MAX_PAGES * size;
      const kinds = await Promise.all(
        WAITING_KINDS.map((kind) => {
          const waiting = cases.find({ ...WAITS, 'waiting.kind': kind, operator }, { _id: 1 });
          return waiting.sort({ 'waiting.since': 1, _id: 1 }).limit(limit).lean();
        }),
      );
      const turns = Math.max(...kinds.map(({ length }) => length));
      const ids = Array.from({ length: turns }, (_, turn) => kinds.flatMap((kind) => kind[turn]?._id ?? [])).flat();
      const last = Math.max(1, Math.ceil(Math.min(ids.length, limit) / size));
      const page = wanted >= 1 ? Math.min(Math.trunc(wanted), last) : 1;
      const shown = ids.slice((page - 1) * size, page * size);
      const found: readonly IntegrityCase[] = await cases.find({ _id: { $in: shown } }).lean();
      return { cases: shown.flatMap((id) => found.find(({ _id }) => _id === id) ?? []), page, last };
    },

    /** Waiting cases, when the oldest waiting appeal was made (null without one), and by rule cases that are neither void nor closed. */
    counts: async () => {
      const oldest = cases
        .findOne({ ...WAITS, 'waiting.kind': 'appeal' })
        .sort({ 'waiting.since': 1 })
        .lean();
      const waiting = cases.countDocuments(WAITS);
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
      await cases.updateOne(read, { ...marked, $unset: { notify_since: true } });
    },

    markReportNotified: async ({ _id, notify_since }: IntegrityReport): Promise<void> => {
      await reports.updateOne({ _id, ...(notify_since && { notify_since }) }, { $unset: { notify_since: true } });
    },
  };
}
