import type { RankingContext } from '../context.ts';
import type { Finding } from './findings.ts';
import { refoldOperator } from './refold-operator.ts';
import { repairBoard } from './repair-board.ts';
import { retainLog } from './retain-log.ts';
import { verifyBoard } from './verify-board.ts';
import { verifyHistory } from './verify-history.ts';
import { verifyMarks } from './verify-marks.ts';
import { selectEntries, type VoidSelection, voidEntries } from './void-entries.ts';

export type { Finding } from './findings.ts';
export type { Repair } from './repair-board.ts';
export type { Voiding, VoidSelection } from './void-entries.ts';

/** What operators' commands ask of the engine when something is wrong, and what keeps the log in bounds. */
export function createRepair(context: RankingContext, firstMethodology: number) {
  return {
    /** Marks, the board, and kept boards, each against what it was made of. */
    async verify(): Promise<readonly Finding[]> {
      const marks = await verifyMarks(context);
      // A record that is wrong itself says nothing of the board.
      const distrusted = new Set(marks.flatMap(({ operator }) => operator ?? []));
      return [...marks, ...(await verifyBoard(context, distrusted)), ...(await verifyHistory(context))];
    },
    repair: (findings: readonly Finding[]) => repairBoard(context, findings, firstMethodology),
    refold: (operator: number) => refoldOperator(context, operator),
    /** The groups of the entries that a selection names. */
    async groupsOf(operator: number, selection: VoidSelection): Promise<readonly string[]> {
      return [...new Set((await selectEntries(context, operator, selection)).map(({ group }) => group))];
    },
    void: (operator: number, selection: VoidSelection) => voidEntries(context, operator, selection),
    retainLog: () => retainLog(context),
  };
}
