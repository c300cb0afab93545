import { expect } from 'chai';
import { DAY_MS } from '../../../../config/units.ts';
import { createAccounts } from '../../../../engine/accounts/index.ts';
import { createBilling } from '../../../../engine/billing/index.ts';
import { maintainAccounts } from '../../../../workers/handlers/maintain-accounts.ts';
import { committerOf, submitBatch } from '../../../support/open-engine.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { rethrow } from '../../../support/rethrow.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { run } from '../run.ts';

/** From the highest Yield to the lowest. */
const CODENAMES = ['first-one', 'middle-one', 'last-one'];

describe('a suspension', () => {
  const world = useFixture(openRankingWorld);
  const accounts = useFixture(() => createAccounts({ connection: world().connection, clock: () => world().now }));
  const committer = useFixture(() => committerOf(world().ranking));
  const reader = useFixture(() => world().ranking.openBoardReader(rethrow));
  let middle: number;

  before(async () => {
    await accounts().ensureIndexes();
    for (const [place, codename] of CODENAMES.entries()) {
      const operator = await world().enrol(codename);
      await accounts().create({ operator });
      const entries = [world().entry(operator, { input: 1, output: 10 - place, cache_read: 10 })];
      await submitBatch(world().ranking, entries);
    }
    middle = (await world().ranking.operators.find('middle-one'))?.operator ?? 0;
    await published();
  });

  const command = (...args: string[]): Promise<string> =>
    run(world().database, args, {}, world().now).then(({ out, err }) => out + err);

  /** The first entries after all due commits, and the number of versions that those published. */
  async function published(): Promise<{ codenames: string[]; versions: number }> {
    const before = reader().view().version;
    while (await committer().tick());
    await reader().refresh();
    const { version, topEntries } = reader().view();
    return { codenames: topEntries.all_time.map(({ codename }) => codename), versions: version - before };
  }

  async function supervise(): Promise<void> {
    await maintainAccounts({
      accounts: accounts(),
      ranking: world().ranking,
      billing: createBilling({ connection: world().connection }),
    });
  }

  const without = ['first-one', 'last-one'];

  it('removes an operator from every board with the next version, and its end returns it to its rank', async () => {
    expect((await published()).codenames).to.deep.equal(CODENAMES);
    expect(await command('operator', 'suspend', 'middle-one')).to.include(
      'the next commit removes it from every board',
    );
    expect(await published()).to.deep.equal({ codenames: without, versions: 1 });
    expect(await reader().profile('middle-one')).to.equal(null);
    expect(await command('operator', 'show', 'middle-one'))
      .to.include('not listed')
      .and.to.include('suspended');
    expect(await command('operator', 'restore', 'middle-one')).to.include('back on the boards from the next commit');
    expect(await published()).to.deep.equal({ codenames: CODENAMES, versions: 1 });
  });

  it('leaves an unlisted operator unlisted', async () => {
    await command('operator', 'unlist', 'middle-one');
    await command('operator', 'suspend', 'middle-one');
    await command('operator', 'suspend', 'middle-one');
    expect(await command('operator', 'restore', 'middle-one')).to.include('stays off the boards');
    expect((await published()).codenames).to.deep.equal(without);
    expect(await command('operator', 'list', 'middle-one')).to.include('is listed again');
    expect((await published()).codenames).to.deep.equal(CODENAMES);
  });

  it('ends no hiding, and listing the operator does not either', async () => {
    const { hide } = world().ranking.operators;
    await hide(middle, true);
    await command('operator', 'suspend', 'middle-one');
    expect(await command('operator', 'show', 'middle-one')).to.match(
      /not listed \((hidden, suspended|suspended, hidden)\)/,
    );
    expect(await command('operator', 'restore', 'middle-one')).to.include('stays off the boards');
    expect(await command('operator', 'list', 'middle-one')).to.include('has hidden its row and will be listed when');
    expect((await published()).codenames).to.deep.equal(without);
    world().now += DAY_MS;
    await hide(middle, false);
    expect((await published()).codenames).to.deep.equal(CODENAMES);
  });

  it('is not ended by listing the operator, which takes effect at its end', async () => {
    await command('operator', 'unlist', 'middle-one');
    await command('operator', 'suspend', 'middle-one');
    expect(await command('operator', 'list', 'middle-one')).to.include('will be listed when it is restored');
    expect((await published()).codenames).to.deep.equal(without);
    await command('operator', 'restore', 'middle-one');
    expect((await published()).codenames).to.deep.equal(CODENAMES);
  });

  it('reaches the boards when the command died between its two writes, and so does its end', async () => {
    await accounts().suspend(middle, true);
    expect((await published()).codenames).to.deep.equal(CODENAMES);
    await supervise();
    expect((await published()).codenames).to.deep.equal(without);
    await accounts().suspend(middle, false);
    await supervise();
    expect((await published()).codenames).to.deep.equal(CODENAMES);
    await supervise();
    expect(await published()).to.deep.equal({ codenames: CODENAMES, versions: 0 });
  });

  it('ends with an erasure', async () => {
    await command('operator', 'suspend', 'last-one');
    const { operator = 0 } = (await world().ranking.operators.find('last-one')) ?? {};
    await world().ranking.operators.erase(operator);
    await supervise();
    expect(await world().ranking.operators.suspended()).to.deep.equal([]);
    expect((await published()).codenames).to.deep.equal(['first-one', 'middle-one']);
  });
});
