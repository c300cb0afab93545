import { expect } from 'chai';
import { MINUTE_MS } from '../../../../config/units.ts';
import { type Accounts, createAccounts } from '../../../../engine/accounts/index.ts';
import { openTestApi, type TestApi, type TestOperator } from '../../../support/test-api.ts';

const SNAPSHOTS = '/api/v1/snapshots';

/** The codename of a token's operator, from the response to a snapshot; else the code of the refusal. */
async function knownAs(test: TestApi, operator: TestOperator, codename: string): Promise<unknown> {
  const { status, json } = await test.post(SNAPSHOTS, operator.token, test.snapshot({ ...operator, codename }));
  return status === 200 ? json?.['codename'] : json?.['code'];
}

/** Another process over the same database. */
const anotherProcess = (test: TestApi): Accounts =>
  createAccounts({ connection: test.connection, clock: () => test.now });

describe('accounts that are remembered with their tokens', () => {
  it('are read once, whoever else comes by', async () => {
    let reads = 0;
    await using test = await openTestApi({
      context: ({ accounts }) => ({
        accounts: {
          ...accounts,
          bySubject: (subject) => {
            reads += 1;
            return accounts.bySubject(subject);
          },
        },
      }),
    });
    const [often, changed] = [await test.operator('comes-often'), await test.operator('is-changed')];
    for (let minute = 0; minute < 4; minute++) {
      expect(await knownAs(test, often, 'comes-often')).to.equal('comes-often');
      await test.accounts.setPlan(changed.operator, `plan-${minute}`);
      test.now += MINUTE_MS;
    }
    expect(reads).to.equal(1);
  });

  it('are read again when they changed after they were read and before that was known', async () => {
    let suspended: number | null = null;
    await using test = await openTestApi({
      context: ({ accounts }) => ({
        accounts: {
          ...accounts,
          bySubject: async (subject) => {
            const account = await accounts.bySubject(subject);
            if (suspended !== null) await anotherProcess(test).suspend(suspended, true);
            return account;
          },
        },
      }),
    });
    const operator = await test.operator('overtaken');
    suspended = operator.operator;
    expect(await knownAs(test, operator, 'overtaken')).to.equal('account_suspended');
  });

  it('have their new codename at once where it was changed', async () => {
    await using test = await openTestApi();
    const operator = await test.operator('first-name');
    expect(await knownAs(test, operator, 'first-name')).to.equal('first-name');
    const { status } = await test.send('/api/v1/me', {
      method: 'PATCH',
      headers: { authorization: `Bearer ${operator.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ codename: 'second-name' }),
    });
    expect(status).to.equal(200);
    expect(await knownAs(test, operator, 'second-name')).to.equal('second-name');
    expect(await knownAs(test, operator, 'first-name')).to.equal('codename_mismatch');
  });

  it('have it within 4 s where another process changed it', async () => {
    await using test = await openTestApi();
    const operator = await test.operator('here-before');
    expect(await knownAs(test, operator, 'here-before')).to.equal('here-before');
    const rename = () => test.ranking.operators.rename(operator.operator, 'here-after');
    await anotherProcess(test).changes.announce(operator.operator, rename);
    test.now += 4_000;
    expect(await knownAs(test, operator, 'here-before')).to.equal('codename_mismatch');
  });

  it('have it although they were read between its being told of and its being made', async () => {
    await using test = await openTestApi();
    const operator = await test.operator('slow-before');
    await anotherProcess(test).changes.announce(operator.operator, async () => {
      test.now += 4_000;
      expect(await knownAs(test, operator, 'slow-before')).to.equal('slow-before');
      await test.ranking.operators.rename(operator.operator, 'slow-after');
    });
    test.now += 4_000;
    expect(await knownAs(test, operator, 'slow-before')).to.equal('codename_mismatch');
  });

  it('are updated within 5 s during a change, or after an interrupted one', async () => {
    await using test = await openTestApi();
    const operator = await test.operator('endless-one');
    await anotherProcess(test).changes.announce(operator.operator, async () => {
      test.now += 4_000;
      expect(await knownAs(test, operator, 'endless-one')).to.equal('endless-one');
      await test.ranking.operators.rename(operator.operator, 'endless-two');
      test.now += 5_000;
      expect(await knownAs(test, operator, 'endless-one')).to.equal('codename_mismatch');
    });
  });

  it('are refused within 5 s when their erasure was cut short after their operator had gone', async () => {
    await using test = await openTestApi();
    const operator = await test.operator('half-erased');
    expect(await knownAs(test, operator, 'half-erased')).to.equal('half-erased');
    await anotherProcess(test).erasures.begin(operator.operator);
    await test.ranking.operators.erase(operator.operator);
    test.now += 5_000;
    expect(await knownAs(test, operator, 'half-erased')).to.equal('account_unknown');
  });

  it('are unknown to /me once their operator is gone, before that was published', async () => {
    await using test = await openTestApi();
    const operator = await test.operator('just-erased');
    const headers = { authorization: `Bearer ${operator.token}`, 'content-type': 'application/json' };
    const change = { method: 'PATCH', headers, body: JSON.stringify({ codename: 'still-here' }) };
    expect((await test.get('/api/v1/me', headers)).status).to.equal(200);
    await test.ranking.operators.erase(operator.operator);
    for (const init of [{ headers }, change]) {
      const { status, json } = await test.send('/api/v1/me', init);
      expect({ status, code: json?.['code'] }).to.deep.equal({ status: 401, code: 'account_unknown' });
    }
  });

  it('are updated after five minutes when no change was published', async () => {
    await using test = await openTestApi();
    const operator = await test.operator('untold-before');
    expect(await knownAs(test, operator, 'untold-before')).to.equal('untold-before');
    await test.ranking.operators.rename(operator.operator, 'untold-after');
    test.now += 5 * MINUTE_MS;
    expect(await knownAs(test, operator, 'untold-before')).to.equal('codename_mismatch');
  });

  it('have a new plan at once', async () => {
    await using test = await openTestApi({ settings: { enforcePlan: true } });
    const operator = await test.operator('paid-for');
    expect(await knownAs(test, operator, 'paid-for')).to.equal('plan_required');
    await test.accounts.setPlan(operator.operator, 'granted');
    expect(await knownAs(test, operator, 'paid-for')).to.equal('paid-for');
    await test.accounts.setPlan(operator.operator, 'free');
    expect(await knownAs(test, operator, 'paid-for')).to.equal('plan_required');
  });
});
