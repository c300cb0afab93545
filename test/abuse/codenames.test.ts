import { expect } from 'chai';
import { DAY_MS } from '../../config/units.ts';
import { createBilling } from '../../engine/billing/index.ts';
import { maintainAccounts } from '../../workers/handlers/maintain-accounts.ts';
import { openEngine } from '../support/open-engine.ts';
import { type Answered, openTestApi, type TestApi, type TestOperator } from '../support/test-api.ts';
import { useFixture } from '../support/use-fixture.ts';

describe('an operator that wants many codenames', () => {
  const test = useFixture(openTestApi);
  let taken = 0;

  /** Changes names, with a token issued now by the service's clock. */
  async function change({ operator }: TestOperator, names: object): Promise<Answered> {
    const authorization = `Bearer ${await test().token(operator)}`;
    const headers = { authorization, 'content-type': 'application/json' };
    return test().send('/api/v1/me', { method: 'PATCH', headers, body: JSON.stringify(names) });
  }

  async function renameTo(operator: TestOperator, codename: string): Promise<number> {
    return (await change(operator, { codename })).status;
  }

  async function isFree(codename: string): Promise<boolean> {
    const { kind } = await test().ranking.operators.enrol({ codename });
    return kind === 'enrolled';
  }

  const somebody = (): Promise<TestOperator> => test().operator(`squatter-${taken++}`);
  const holds = () => test().connection.collection<{ _id: string; until: Date }>('codename_holds');

  it('gets three in 30 days, and learns when it can be renamed again', async () => {
    const squatter = await somebody();
    const statuses: number[] = [];
    for (let name = 0; name < 6; name++) statuses.push(await renameTo(squatter, `squatted-${name}`));
    expect(statuses).to.deep.equal([200, 200, 200, 429, 429, 429]);
    const { headers, json } = await change(squatter, { codename: 'squatted-7' });
    expect(json).to.include({ code: 'codename_limit' });
    expect(json?.['detail']).to.include(new Date(test().now + 30 * DAY_MS).toISOString());
    expect(headers.get('retry-after')).to.equal(String((30 * DAY_MS) / 1_000));
    expect(await isFree('squatted-4')).to.equal(true);
    test().now += 30 * DAY_MS;
    expect(await renameTo(squatter, 'squatted-8')).to.equal(200);
  });

  it('gets no more by parallel requests to several processes', async () => {
    const squatter = await somebody();
    const other = openEngine(test().connection, () => test().now).ranking;
    const wanted = Array.from({ length: 12 }, (_, name) => `at-once-${name}`);
    const renamings = await Promise.all(
      wanted.map((codename, index) =>
        (index % 2 === 0 ? test().ranking : other).operators.rename(squatter.operator, codename),
      ),
    );
    expect(renamings.filter(({ kind }) => kind === 'renamed')).to.have.length(3);
    expect(renamings.filter(({ kind }) => kind === 'limit')).to.have.length(9);
    const free = await Promise.all(wanted.map(isFree));
    expect(free.filter((isTrue) => !isTrue)).to.have.length(3);
    expect(await isFree(squatter.codename)).to.equal(false);
  });

  it('reserves the last three former ones, and no others', async () => {
    const squatter = await somebody();
    const names = Array.from({ length: 5 }, (_, name) => `in-a-row-${name}`);
    for (const name of names) {
      expect(await renameTo(squatter, name)).to.equal(200);
      test().now += 11 * DAY_MS;
    }
    expect(await isFree(squatter.codename)).to.equal(true);
    for (const name of names.slice(1)) expect(await isFree(name), name).to.equal(false);
    expect(await isFree(names[0]!)).to.equal(true);
  });

  it('keeps the reservation of a former codename when a return to it is refused', async () => {
    const owner = await somebody();
    for (const name of ['home-one', 'home-two', 'home-three']) await renameTo(owner, name);
    expect(await renameTo(owner, 'home-one')).to.equal(429);
    expect(await isFree('home-one')).to.equal(false);
  });

  it('leaves no expired holds', async () => {
    const owner = await somebody();
    await renameTo(owner, 'not-for-ever');
    test().now += 91 * DAY_MS;
    const billing = createBilling({ connection: test().connection });
    expect(await holds().countDocuments()).to.be.above(0);
    await maintainAccounts({ accounts: test().accounts, ranking: test().ranking, billing });
    expect(await holds().countDocuments()).to.equal(0);
  });
});

describe("an erased operator's codenames", () => {
  const test = useFixture(openTestApi);

  async function erase({ operator }: TestOperator): Promise<Answered> {
    const headers = { authorization: `Bearer ${await test().token(operator)}` };
    return test().send('/api/v1/me', { method: 'DELETE', headers });
  }

  const enrol = async (codename: string) => (await test().ranking.operators.enrol({ codename })).kind;

  it('are reserved for 90 days, and not stored in clear', async () => {
    const leaver = await test().operator('well-known');
    await test().ranking.operators.rename(leaver.operator, 'famous');
    test().now += 10 * DAY_MS;
    const { json } = await erase(leaver);
    expect(JSON.stringify(json)).to.include('codename');
    const grabber = await test().operator('grabber');
    for (const name of ['famous', 'FAMOUS', 'well-known']) {
      expect((await test().ranking.operators.rename(grabber.operator, name)).kind).to.equal('taken');
      expect(await enrol(name)).to.equal('taken');
    }
    const stored = JSON.stringify(await test().connection.collection('codename_holds').find().toArray());
    expect(stored).to.not.match(/famous|well-known/);
    // The one that was renamed away from ten days before is free ten days earlier.
    test().now += 80 * DAY_MS - 1;
    expect([await enrol('well-known'), await enrol('famous')]).to.deep.equal(['taken', 'taken']);
    test().now += 1;
    expect([await enrol('well-known'), await enrol('famous')]).to.deep.equal(['enrolled', 'taken']);
    test().now += 10 * DAY_MS - 1;
    expect(await enrol('famous')).to.equal('taken');
    test().now += 1;
    expect(await enrol('famous')).to.equal('enrolled');
  });

  it('are hashed with a key of the installation', async () => {
    await using other = await openTestApi();
    const [here, there] = [await erasedHolds(test(), 'same-name'), await erasedHolds(other, 'same-name')];
    expect(here.filter((id) => there.includes(id))).to.deep.equal([]);
  });

  it('can be released by an operator command', async () => {
    await erase(await test().operator('wants-back'));
    expect(await test().ranking.operators.freeCodename('Wants-Back')).to.equal(true);
    expect(await enrol('wants-back')).to.equal('enrolled');
  });

  it('are reserved under the codename at the time of the erasure', async () => {
    const { operator } = await test().operator('on-the-move');
    await Promise.all([
      test().ranking.operators.rename(operator, 'moved-away'),
      test().ranking.operators.erase(operator),
      test().ranking.operators.rename(operator, 'moved-farther'),
    ]);
    expect(await test().ranking.operators.byNumber(operator)).to.equal(null);
    expect(await enrol('on-the-move')).to.equal('taken');
  });
});

/** The ids of the holds that are there once an operator of this codename was erased. */
async function erasedHolds(test: TestApi, codename: string): Promise<unknown[]> {
  await test.ranking.operators.erase((await test.operator(codename)).operator);
  return (await test.connection.collection('codename_holds').find().toArray()).map(({ _id }) => _id);
}
