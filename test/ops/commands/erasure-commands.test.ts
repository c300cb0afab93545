import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase } from '../../support/engines.ts';
import { openEngine } from '../../support/open-engine.ts';
import { useSuiteFolder } from '../../support/temporary-folder.ts';
import { useFixture } from '../../support/use-fixture.ts';
import { NOW, run } from './run.ts';

describe('erasures commands', () => {
  const database = useFixture(openDatabase);
  const engine = useFixture(() => openEngine(database().connection, () => NOW));
  const folder = useSuiteFolder();

  const accounts = () => engine().accounts;

  async function create(codename: string): Promise<number> {
    const { operator } = JSON.parse((await run(database(), ['operator', 'create', codename, '--json'])).out);
    return operator;
  }

  it('repeat erasures after a restore, and erase no other operator', async () => {
    const operator = await create('leaving-one');
    const stays = await create('staying-one');
    const account = await accounts().byOperator(operator);
    // In the backup its plan still renews.
    const plan = { subject: account?.subject, customer: 'cus_1', checkout: null, subscriptions: [], revision: 0 };
    const plans = database().connection.collection<{ _id: number; forgotten: boolean }>('billing_accounts');
    await plans.insertOne({ _id: operator, ...plan, forgotten: false });
    const erasure = await accounts().erasures.begin(operator);
    expect(erasure).to.include({ operator });
    // The backup is older than the erasure.
    await database().connection.collection('erasures').deleteMany({});
    const list = join(folder(), 'list.jsonl');
    await writeFile(list, `${JSON.stringify(erasure)}\n${JSON.stringify({ ...erasure, operator: stays })}\n`);
    const replayed = await run(database(), ['erasures', 'replay', list]);
    expect(replayed).to.deep.include({ status: 0, err: '' });
    expect(replayed.out).to.match(/^Replayed 1 erasure\.\nSkipped 1, /);
    expect(await accounts().bySubject(account?.subject ?? '')).to.equal(null);
    expect(await engine().ranking.operators.byNumber(operator)).to.equal(null);
    expect(await engine().ranking.operators.byNumber(stays)).to.include({ codename: 'staying-one' });
    expect(await plans.findOne({ _id: operator }), 'its customer is deleted at Stripe').to.include({ forgotten: true });
    expect((await run(database(), ['erasures', 'list'])).out).to.equal(`${JSON.stringify(erasure)}\n`);
  });

  it('give the number of an operator who was erased after the backup to no other', async () => {
    const newest = await create('newest-one');
    const erased = { operator: newest + 5, subject_hash: 'x'.repeat(43), erased_at: new Date(0).toISOString() };
    const list = join(folder(), 'newer.jsonl');
    await writeFile(list, `${JSON.stringify(erased)}\n`);
    expect((await run(database(), ['erasures', 'replay', list])).status).to.equal(0);
    const later = await create('later-one');
    expect(later).to.equal(newest + 6);
    expect((await run(database(), ['erasures', 'replay', list])).status).to.equal(0);
    expect(await create('latest-one'), 'a second replay skips nothing').to.equal(newest + 7);
    const both = [erased, { ...erased, operator: newest + 4 }];
    await writeFile(list, both.map((each) => `${JSON.stringify(each)}\n`).join(''));
    expect((await run(database(), ['erasures', 'replay', list])).out).to.equal('Replayed 2 erasures.\n');
    await writeFile(list, `${JSON.stringify({ ...erased, operator: 2 ** 32 })}\n`);
    expect((await run(database(), ['erasures', 'replay', list])).err)
      .to.include('line 1 of')
      .and.include('Nothing');
  });

  it('do not report an erasure as repeated while its customer is charged on', async () => {
    const operator = await create('charged-one');
    const plans = database().connection.collection<{
      _id: number;
      subject: string;
      customer: string;
      forgotten: boolean;
    }>('billing_accounts');
    await plans.deleteMany({});
    const plan = { subject: 'any', customer: 'cus_2', checkout: null, subscriptions: [], revision: 0 };
    await plans.insertMany([
      { _id: operator, ...plan, forgotten: false },
      { _id: operator + 1, ...plan, subject: 'other', customer: 'cus_3', forgotten: true },
    ]);
    const list = join(folder(), 'charged.jsonl');
    await writeFile(list, `${JSON.stringify(await accounts().erasures.begin(operator))}\n`);
    // The store refuses to forget a second one.
    const unique = await plans.createIndex({ forgotten: 1, checkout: 1 }, { unique: true });
    expect((await run(database(), ['erasures', 'replay', list])).status).to.equal(1);
    await plans.dropIndex(unique);
    expect((await run(database(), ['erasures', 'replay', list])).out).to.equal('Replayed 1 erasure.\n');
    expect(await plans.findOne({ _id: operator })).to.include({ forgotten: true });
  });

  it('replay nothing of a damaged list', async () => {
    const list = join(folder(), 'damaged.jsonl');
    await writeFile(list, '{"operator":1}\n');
    const { status, err } = await run(database(), ['erasures', 'replay', list]);
    expect(status).to.equal(1);
    expect(err).to.include('line 1');
  });
});
