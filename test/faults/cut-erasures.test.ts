import { expect } from 'chai';
import { createMembers } from '../../api/members/members.ts';
import { MS_PER_SECOND } from '../../config/units.ts';
import { createAccounts } from '../../engine/accounts/index.ts';
import { createBilling } from '../../engine/billing/index.ts';
import type { Connection } from '../../engine/mongo/index.ts';
import { createRanking } from '../../engine/ranking/index.ts';
import { maintainAccounts } from '../../workers/handlers/maintain-accounts.ts';
import { runsOf } from '../support/long-run.ts';
import { enrolDevice, submitBatch } from '../support/open-engine.ts';
import { openRankingWorld } from '../support/ranking-world.ts';
import { runSeed } from '../support/seeded-random.ts';
import { makeDeviceKey } from '../support/signing.ts';
import { useFixture } from '../support/use-fixture.ts';
import { openCutConnection } from './cut-connection.ts';
import { type FaultRow, faultTable } from './fault-table.ts';

/** More than the writes of an erasure. */
const MAX_WRITES = 100;
/** One in so many gaps between two writes is tried, from one that the seed chooses. */
const GAPS_EVERY = runsOf(3, 1);
/** Kept by design: a number and a hash, and top entries until the next garbage collection. */
const REMAINING: ReadonlySet<string> = new Set(['erasures', 'board_top_entries']);

describe('an api that dies between two writes of an erasure', () => {
  const seed = runSeed();
  const rows: FaultRow[] = [];
  const world = useFixture(openRankingWorld);

  before(() => processOn(world().connection).accounts.ensureIndexes());

  after(() => process.stdout.write(`\n  erasures cut short\n${faultTable(rows)}\n\n`));

  /** The modules of a process over its connection. */
  function processOn(connection: Connection, recordErasure = async () => {}) {
    const clock = (): number => world().now;
    const accounts = createAccounts({ connection, clock });
    const billing = createBilling({ connection });
    const ranking = createRanking({
      connection,
      clock,
      deviceKeys: world().deviceKeys,
      sharedSecret: accounts.sharedSecret,
    });
    const members = createMembers({
      accounts,
      billing,
      operators: ranking.operators,
      recordErasure,
    });
    return { accounts, billing, ranking, members };
  }

  /** Creates an operator with all data that an erasure deletes; returns its number and the strings to search for. */
  async function makeOperator(codename: string) {
    const { accounts } = processOn(world().connection);
    const operator = await world().enrol(codename);
    const account = await accounts.create({ operator });
    const verifiedEmail = `${codename}@example.org`;
    const person = {
      provider: 'email_magic_link',
      subject: verifiedEmail,
      label: verifiedEmail,
      verifiedEmail,
    } as const;
    await accounts.identities.link(operator, person, null);
    await accounts.sessions.begin({
      operator,
      provider: 'email_magic_link',
      identity: `email_magic_link:${verifiedEmail}`,
    });
    const key = makeDeviceKey();
    await enrolDevice(accounts, { operator, codename }, key, world().now);
    const entry = world().entry(operator, { input: 1, output: 1_000, cache_read: 1_000 });
    await submitBatch(world().ranking, [entry]);
    await accounts.cases.open([{ operator, rule: 'ratio', severity: 'hold', boardVersion: 1 }]);
    await accounts.cases.setAnswer(`${operator}/ratio`, `An answer of ${codename}.`);
    await world().ranking.operators.rename(operator, `${codename}-again`);
    return { operator, words: [codename, account.subject, key.kid, entry.jti] };
  }

  async function traces(words: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const { name } of await world().connection.db!.listCollections({}, { nameOnly: true }).toArray()) {
      const text = JSON.stringify(await world().connection.db!.collection(name).find().toArray());
      if (!REMAINING.has(name) && words.some((word) => text.includes(word))) found.push(name);
    }
    return found;
  }

  it('erases nothing before it is on record outside of the database', async () => {
    const { operator, words } = await makeOperator('off-record');
    const there = await traces(words);
    const { members } = processOn(world().connection, () => Promise.reject(new Error('the disk is full')));
    expect(await members.erase(operator).catch(String)).to.include('the disk is full');
    expect(await traces(words)).to.deep.equal(there);
  });

  it(`leaves no data: the service resumes the erasure, or the request is repeated (seed ${seed})`, async () => {
    for (let writes = seed % GAPS_EVERY; ; writes += GAPS_EVERY) {
      expect(writes, 'writes of an erasure').to.be.below(MAX_WRITES);
      const { operator, words } = await makeOperator(`leaver-${String(writes).padStart(2, '0')}`);
      expect(await traces(words), 'collections with the operator').to.include.members([
        'accounts',
        'operators',
        'snapshots',
      ]);
      const cut = await openCutConnection(world().database.mongoUrl, writes);
      const ended = await processOn(cut.connection)
        .members.erase(operator)
        .then(
          () => true,
          () => false,
        );
      const last = cut.writes.at(-1) ?? 'nothing';
      await cut.close();
      world().now += 31 * MS_PER_SECOND;
      const survivor = processOn(world().connection);
      // Before the erasure is stored it is not acknowledged.
      const isOnRecord = (await survivor.accounts.erasures.open()).some((erasure) => erasure.operator === operator);
      if (!isOnRecord && !ended) await survivor.members.erase(operator);
      await maintainAccounts(survivor);
      await world().ranking.advanceHour();
      expect(await traces(words), `traces after a death after ${last}`).to.deep.equal([]);
      expect(await survivor.ranking.operators.byNumber(operator)).to.equal(null);
      const outcome = isOnRecord ? 'nothing left' : 'nothing left after a repeated request';
      rows.push({ fault: `${writes}: ${last}`, mode: ended ? 'complete' : 'stop', hits: 1, outcome });
      if (ended) break;
    }
    expect(rows.length * GAPS_EVERY, 'gaps between two writes').to.be.greaterThan(20);
  });
});
