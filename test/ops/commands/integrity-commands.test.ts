import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { exportMember } from '../../../api/members/export-member.ts';
import { HOUR_MS } from '../../../config/units.ts';
import { createAccounts } from '../../../engine/accounts/index.ts';
import { createBilling } from '../../../engine/billing/index.ts';
import { type Connection, MIGRATIONS, migrate, openMongo } from '../../../engine/mongo/index.ts';
import { createRanking } from '../../../engine/ranking/index.ts';
import { type FreshDatabase, freshDatabase } from '../../support/engines.ts';
import { NOW, run } from './run.ts';

const clock = (): number => NOW;

type Growth = Readonly<Record<'input' | 'output' | 'cache_read', number>>;

function usage(asOf: number, platform: string, counts: Growth) {
  return { asOf, ledger: 'ledger-one', platform, epoch: 0, counts: { ...counts, cache_write: 0 } };
}

describe('integrity explain', () => {
  let database: FreshDatabase;
  let connection: Connection;
  let folder: string;

  before(async () => {
    database = await freshDatabase();
    connection = await openMongo(database.mongoUrl);
    await migrate(connection, { migrations: MIGRATIONS, clock });
    folder = await mkdtemp(join(tmpdir(), 'upsilon-exports-'));
  });

  after(async () => {
    await connection.dropDatabase();
    await connection.close();
    await rm(folder, { recursive: true });
  });

  it('prints the same for a codename and for its exported data', async () => {
    const accounts = createAccounts({ connection, clock });
    const billing = createBilling({ connection, clock });
    const ranking = createRanking({
      connection,
      clock,
      deviceKeys: accounts.deviceKeys,
      sharedSecret: accounts.sharedSecret,
    });
    await ranking.ensureBoard();
    const absurd = usage(NOW - HOUR_MS, 'codex', { input: 20_000, output: 4e12, cache_read: 8e12 });
    const unusual = usage(NOW - 30 * HOUR_MS, 'codex', { input: 200_000, output: 100_000, cache_read: 4e9 });
    const plain = usage(NOW - 30 * HOUR_MS, 'codex', { input: 200_000, output: 20_000, cache_read: 900_000 });
    const cases = [
      ['absurd-row', [absurd], ['too-many-agents', 'output-beyond-response']],
      ['unusual-row', [unusual], ['unusual-leverage', 'unusual-yield']],
      ['plain-row', [plain], []],
    ] as const;
    for (const [codename, samples, rules] of cases) {
      const number = await ranking.operators.import([{ codename, displayName: null, usage: [...samples] }]);
      await accounts.create({ operator: number });
      const stored = await run(database, ['integrity', 'explain', codename, '--json']);
      expect(stored.status, stored.err).to.equal(0);
      const found = JSON.parse(stored.out);
      expect(found.evidence.map(({ rule }: { rule: string }) => rule)).to.include.members([...rules]);
      if (rules.length === 0) expect(found.evidence).to.deep.equal([]);
      const file = join(folder, `${codename}.json`);
      const { chunks } = (await exportMember({ accounts, billing, ranking, clock }, number))!;
      await writeFile(file, chunks);
      const exported = JSON.parse((await run(database, ['integrity', 'explain', file, '--json'])).out);
      expect(exported.evidence).to.deep.equal(found.evidence);
      const text = (await run(database, ['integrity', 'explain', file])).out;
      expect(text).to.include(rules.length === 0 ? 'no rule is crossed' : `${rules[0]} (`);
    }
  });

  it('refuses files that are no export, and unknown codenames', async () => {
    const file = join(folder, 'other.json');
    await writeFile(file, '{"operator": 1}');
    expect(await run(database, ['integrity', 'explain', file])).to.include({ status: 1 });
    expect((await run(database, ['integrity', 'explain', join(folder, 'none.json')])).err).to.include('cannot be read');
    expect(await run(database, ['integrity', 'explain', 'unknown-name'])).to.include({ status: 1 });
  });
});
