import {
  type ApplyReview,
  type CaseAction,
  type Effect,
  type IntegrityCase,
  type Review,
  seenOf,
} from '../../../../engine/accounts/index.ts';
import { type AccountsUnderTest, openAccounts } from '../open-accounts.ts';

/** Operator 1 and 2 are moderators; `board` has what was applied to each operator last. */
export interface CasesUnderTest extends AccountsUnderTest {
  readonly board: Map<number, Effect>;
  readonly apply: ApplyReview;
  /** Opens a case of a rule, and returns it. */
  openCase(operator: number, rule?: string): Promise<IntegrityCase>;
  read(id: string): Promise<IntegrityCase>;
  decide(
    found: IntegrityCase,
    action: CaseAction,
    more?: { readonly by?: number; readonly apply?: ApplyReview },
  ): Promise<string>;
}

export async function openCases(): Promise<CasesUnderTest> {
  const under = await openAccounts();
  const { cases } = under.accounts;
  for (const operator of [1, 2, 3, 4, 5, 6, 7, 8, 9]) await under.accounts.create({ operator });
  for (const operator of [1, 2]) await under.accounts.setModerator(operator, true);
  const board = new Map<number, Effect>();
  const opened: CasesUnderTest = Object.assign(under, {
    board,
    apply: async (operator: number, { excluded, voided }: Review) => {
      board.set(operator, excluded ? 'exclude' : voided.length > 0 ? 'void' : 'restore');
    },
    openCase: async (operator: number, rule = 'cache-without-source') => {
      await cases.open([{ operator, rule, severity: 'flag', boardVersion: 7 }]);
      return opened.read(`${operator}/${rule}`);
    },
    read: async (id: string) => {
      const found = await cases.find(id);
      if (found === null) throw new Error(`there is no case ${id}`);
      return found;
    },
    decide: (found: IntegrityCase, action: CaseAction, { by = 1, apply = opened.apply } = {}) =>
      cases.decide({ id: found._id, by, action, reason: 'Checked.', seen: seenOf(found), client: null }, apply),
  });
  return opened;
}
