import {
  type ApplyReview,
  type CaseAction,
  type Effect,
  type IntegrityCase,
  seenOf,
} from '../../../../../engine/integrity/cases/index.ts';
import type { Measured, Review } from '../../../../../engine/integrity/index.ts';
import { type AccountsUnderTest, openAccounts } from '../../../accounts/open-accounts.ts';

export const COUNTS = '1 2 3 4';

/** What each rule measures at present. */
export const MEASURED: Measured = { counts: COUNTS, covered: (rule) => [rule.length] };

/** Operator 1 and 2 are moderators; `board` has what was applied to each operator last. */
export interface CasesUnderTest extends AccountsUnderTest {
  readonly board: Map<number, Effect>;
  readonly apply: ApplyReview;
  /** Opens a case of a rule, and returns it. */
  openCase(operator: number, rule?: string): Promise<IntegrityCase>;
  read(id: string): Promise<IntegrityCase>;
  appeal(id: string, text?: string, counts?: string): Promise<boolean>;
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
    apply: async (operator: number, { excluded, cleared }: Review) => {
      board.set(operator, excluded ? 'exclude' : cleared.length > 0 ? 'void' : 'restore');
    },
    openCase: async (operator: number, rule = 'no-input') => {
      await cases.open([{ operator, rule, severity: 'hold', boardVersion: 7 }]);
      return opened.read(`${operator}/${rule}`);
    },
    read: async (id: string) => {
      const found = await cases.find(id);
      if (found === null) throw new Error(`there is no case ${id}`);
      return found;
    },
    appeal: async (id: string, text = 'Please look again.', counts = COUNTS) =>
      cases.appeal(await opened.read(id), text, counts),
    async decide(found: IntegrityCase, action: CaseAction, { by = 1, apply = opened.apply } = {}) {
      const seen = seenOf(found, await cases.ofOperator(found.operator), MEASURED.covered);
      return cases.decide({ id: found._id, by, action, reason: 'Checked.', counts: COUNTS, seen, client: null }, apply);
    },
  });
  return opened;
}
