import type { DueLetter } from '../../engine/accounts/index.ts';
import { isInEffect } from '../../engine/integrity/cases/index.ts';
import { letterMail, readLetter } from '../../engine/letters/index.ts';
import { refusalOf } from '../../ops/runtime/mailer.ts';
import type { HandlerContext, Run } from './context.ts';

/** Letters of one run; the others are due in the next. */
const LETTERS = 100;

type Context = Pick<HandlerContext, 'accounts' | 'ranking' | 'mailer' | 'accountUrl' | 'siteUrl' | 'logThrottled'>;

/**
 * Sends the weekly letters that are due, each marked first: none is sent twice, and a refused one does not stop the others.
 * @throws when the mail server is away or refuses the service, by which no letter is lost, or stops answering, which loses one.
 */
export async function sendLetters(context: Context, { signal }: Pick<Run, 'signal'>): Promise<void> {
  const { ranking, mailer, accountUrl, siteUrl, logThrottled } = context;
  const { letters } = context.accounts;
  const due = mailer === null ? [] : await letters.due(LETTERS);
  if (mailer === null || due.length === 0) return;
  await mailer.check();
  const board = await ranking.openBoardReader(logThrottled);
  try {
    for (const letter of due) {
      if (signal.aborted) return;
      const secret = await letters.mark(letter);
      const codename = secret && (await codenameOf(context, letter));
      const content = codename && (await readLetter(board, codename, siteUrl));
      if (!content) continue;
      const mail = letterMail(content, `${accountUrl}/letters/end?token=${secret}`);
      await mailer.send({ to: letter.address, ...mail }).catch(async (error: unknown) => {
        logThrottled(error);
        const refusal = refusalOf(error);
        if (refusal === 'for_good') return letters.switchOff({ _id: letter._id, address: letter.address });
        if (refusal === 'for_a_time' || refusal === 'of_service') await letters.postpone(letter);
        // The server may have taken what it did not answer: that letter is not sent again, and no other is lost after it.
        if (refusal === 'silence' || refusal === 'of_service') throw error;
      });
    }
  } finally {
    await board.close();
  }
}

/** The codename of an operator that gets letters. Null for one that is on no board or held by a finding; a lost address ends them. */
async function codenameOf(
  { accounts, ranking }: Context,
  { _id: operator, address }: DueLetter,
): Promise<string | null> {
  const addresses = await accounts.identities.addressesOf(operator);
  if (!addresses.includes(address)) await accounts.letters.switchOff({ _id: operator, address });
  const account = await accounts.byOperator(operator);
  const record = await ranking.operators.byNumber(operator);
  const isHeld = account?.held_until !== null || (await accounts.cases.ofOperator(operator)).some(isInEffect);
  // `listed` is false for whatever reason a row is on no board: hidden, unlisted, suspended.
  return record?.listed === true && !isHeld && addresses.includes(address) ? record.codename : null;
}
