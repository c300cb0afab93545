import { expect } from 'chai';
import { HOUR_MS, MINUTE_MS } from '../../../config/units.ts';
import { type Accounts, createAccounts } from '../../../engine/accounts/index.ts';
import { useFixture } from '../../support/use-fixture.ts';
import { openAccounts } from './open-accounts.ts';

describe('account changes', () => {
  const opened = useFixture(openAccounts);
  const other = useFixture(() => opened().another());

  it('take effect in this process at once and in another within 4 s, by operator', async () => {
    expect(await other().changes.version(1)).to.equal(0);
    expect(await opened().accounts.changes.announce(1, () => Promise.resolve('done'))).to.equal('done');
    const version = await opened().accounts.changes.version(1);
    expect(version).to.be.greaterThan(0);
    opened().now += 4_000;
    expect(await other().changes.version(1)).to.equal(version);
    expect(await other().changes.version(2)).to.equal(0);
  });

  it('change the version before the change, after it, and after every further one', async () => {
    const { changes } = opened().accounts;
    const seen = [await changes.version(3)];
    for (let change = 0; change < 3; change++) {
      await changes.announce(3, async () => {
        seen.push(await changes.version(3));
      });
      seen.push(await changes.version(3));
    }
    expect(new Set(seen).size).to.equal(seen.length);
  });

  it('are published for a failed change, which may have taken effect', async () => {
    const { changes } = opened().accounts;
    let within = 0;
    const failed = await changes
      .announce(4, async () => {
        within = await changes.version(4);
        throw new Error('no answer');
      })
      .catch((error: unknown) => error);
    expect(failed).to.be.an('error').with.property('message', 'no answer');
    expect(await changes.version(4)).to.be.greaterThan(within);
  });

  it('count concurrent changes of many processes', async () => {
    const third = await opened().another();
    await Promise.all(
      [opened().accounts, other(), third].map(({ changes }) => changes.announce(5, () => Promise.resolve())),
    );
    opened().now += 4_000;
    const versions = [opened().accounts, other(), third].map(({ changes }) => changes.version(5));
    expect(await Promise.all(versions)).to.deep.equal([6, 6, 6]);
  });

  for (const [operator, minutes] of [
    [61, 0.5],
    [62, 2],
    [63, 80],
  ] as const) {
    it(`pass between a process whose clock is late by ${minutes} minutes and one whose clock is ahead by as many`, async () => {
      const late = createAccounts({
        connection: opened().connection,
        clock: () => opened().now - minutes * MINUTE_MS,
      });
      const ahead = createAccounts({
        connection: opened().connection,
        clock: () => opened().now + minutes * MINUTE_MS,
      });
      // There is news already, which all know of.
      await opened().accounts.changes.announce(60, () => Promise.resolve());
      opened().now += 4_000;
      for (const { changes } of [other(), ahead]) expect(await changes.version(operator)).to.equal(0);
      await late.changes.announce(operator, () => Promise.resolve());
      opened().now += 4_000;
      for (const { changes } of [other(), ahead]) expect(await changes.version(operator)).to.equal(2);
    });
  }

  for (const [operator, what, change] of [
    [11, 'a plan that was given', (accounts) => accounts.setPlan(11, 'granted')],
    [12, 'a suspension', (accounts) => accounts.suspend(12, true)],
    [13, 'an erasure that has begun', (accounts) => accounts.erasures.begin(13)],
  ] as const satisfies readonly (readonly [number, string, (accounts: Accounts) => Promise<unknown>])[]) {
    it(`are published for ${what}`, async () => {
      await opened().accounts.create({ operator });
      expect(await opened().accounts.changes.version(operator)).to.equal(0);
      await change(opened().accounts);
      expect(await opened().accounts.changes.version(operator)).to.be.greaterThan(0);
    });
  }

  it('keep a change whose second publication fails', async () => {
    const cut = await openAccounts();
    const outcome = await cut.accounts.changes.announce(9, async () => {
      await cut.close();
      return 'done';
    });
    expect(outcome).to.equal('done');
  });

  it('are deleted after two hours', async () => {
    await opened().accounts.changes.announce(8, () => Promise.resolve());
    opened().now += 2 * HOUR_MS;
    await opened().accounts.deleteExpired();
    expect(await opened().connection.db?.collection('account_changes').countDocuments()).to.equal(0);
    expect(await other().changes.version(8)).to.equal(0);
  });

  it('fail to return a version while the list cannot be read', async () => {
    const cut = await openAccounts();
    expect(await cut.accounts.changes.version(1)).to.equal(0);
    await cut.close();
    cut.now += 4_000;
    expect(await cut.accounts.changes.version(1).catch((error: unknown) => error))
      .to.be.an('error')
      .with.property('name', 'MongoNotConnectedError');
  });
});
