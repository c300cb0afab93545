import { expect } from 'chai';
import { DAY_MS, readableDay } from '../../../../config/units.ts';
import { BY_COMMAND, REVIEW_RULE } from '../../../../engine/integrity/cases/index.ts';
import { openAccountOwner } from '../../../support/account-owner.ts';
import { type IdentityService, openIdentityService } from '../../../support/identity-service.ts';

const PLAIN = { input: 1_000_000, output: 100_000, cache_read: 900_000, cache_write: 0 };

describe('a sign-in whose account was erased', () => {
  let service: IdentityService;

  before(async () => {
    service = await openIdentityService({ worker: true, methodology: 4 });
  });

  after(() => service.close());

  /** Signs in, submits, erases the account, and signs in again. */
  async function comeBack(name: string, isExcluded: boolean) {
    const { browser, codename, page, submit } = await openAccountOwner(service, name);
    await submit(PLAIN);
    if (isExcluded) await exclude(codename);
    const erased = await browser.submit(await page(), '/account/erase', { codename });
    expect(erased.text).to.include('Your account is deleted');
    const returned = await openAccountOwner(service, name);
    expect(returned.codename).to.not.equal(codename);
    await returned.submit(PLAIN);
    const judged = await service.ranking.operators.explain(returned.codename);
    return { text: (await returned.page()).text, row: judged?.windows[0]?.row };
  }

  async function exclude(codename: string): Promise<void> {
    const { accounts, ranking } = service;
    const { operator } = (await ranking.operators.find(codename))!;
    await accounts.cases.open([{ operator, rule: REVIEW_RULE, severity: 'note', boardVersion: 1 }]);
    const seen = { decided: '0', appeal_at: '0', answer_at: '0', rules: REVIEW_RULE };
    const id = `${operator}/${REVIEW_RULE}`;
    const request = {
      id,
      by: BY_COMMAND,
      action: 'exclude',
      reason: 'As it is.',
      counts: '',
      seen,
      client: null,
    } as const;
    expect(await accounts.cases.decide(request, ranking.operators.applyReview)).to.equal('decided');
  }

  it('after its row was excluded holds the new one, and the account page says until when', async () => {
    const { text, row } = await comeBack('excluded-one', true);
    expect(row).to.equal('held');
    const until = readableDay(Date.now() + service.ahead + 90 * DAY_MS);
    expect(text).to.include(`you are numbered from ${until} on`);
  });

  it('without an exclusion is like any other', async () => {
    const { text, row } = await comeBack('plain-one', false);
    expect(row).to.equal('settled');
    expect(text).to.not.include('you are numbered from');
  });
});
