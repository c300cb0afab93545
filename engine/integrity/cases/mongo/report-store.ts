import { insertUnlessTaken } from '../../../mongo/index.ts';
import { EFFECTS, type IntegrityReport, REPORTED_RULE } from '../case-types.ts';
import { REVIEW_STANDS_MS } from '../limits.ts';
import { transitionOf } from '../transitions.ts';
import type { CaseModels } from './case-store.ts';

export function createReportStore({ cases, reports }: CaseModels) {
  return {
    /** False when the reporter has reported the operator before, or the place is taken. */
    insertReport: (report: IntegrityReport): Promise<boolean> => insertUnlessTaken(() => reports.insertOne(report)),

    findReport: (reporter: number, operator: number): Promise<IntegrityReport | null> =>
      reports.findOne({ _id: `${reporter}/${operator}` }).lean(),

    /** A reporter's reports, newest first. */
    reportsBy: (reporter: number, limit: number): Promise<readonly IntegrityReport[]> =>
      reports.find({ reporter }).sort({ at: -1, _id: 1 }).limit(limit).lean(),

    reportsMade: (reporter: number): Promise<number> => reports.countDocuments({ reporter }),

    reportCounts: async (operator: number): Promise<Readonly<Record<string, number>>> => {
      const groups = reports.aggregate<{ _id: string; count: number }>([
        { $match: { operator } },
        { $group: { _id: '$reason', count: { $sum: 1 } } },
        { $sort: { _id: 1 } },
      ]);
      return Object.fromEntries((await groups).map(({ _id, count }) => [_id, count]));
    },

    /** Lets the case of reports wait again that was decided long before a report, or never. */
    async waitAgain(operator: number, reportedAt: Date): Promise<void> {
      const { filter, set } = transitionOf('reported', { rule: REPORTED_RULE, at: reportedAt });
      const long = new Date(reportedAt.getTime() - REVIEW_STANDS_MS);
      const rested = {
        ...filter,
        _id: `${operator}/${REPORTED_RULE}`,
        waiting: { $exists: false },
        decisions: { $not: { $elemMatch: { action: { $in: [...EFFECTS] }, at: { $gte: long } } } },
      };
      await cases.updateOne(rested, [{ $set: set }], { updatePipeline: true });
    },

    /** Marks the reports of an operator, whose authors are to be mailed. */
    async notifyReporters(operator: number, at: Date): Promise<void> {
      await reports.updateMany({ operator }, { $set: { notify_since: at } });
    },
  };
}
