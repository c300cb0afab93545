import { expect } from 'chai';
import { MINUTE_MS } from '../../../config/units.ts';
import {
  DataVersionError,
  importState,
  type Migration,
  type Migrations,
  migrate,
  schemaVersion,
  UnfinishedImportError,
} from '../../../engine/mongo/index.ts';
import { openDatabase } from '../../support/engines.ts';
import { useFreshFixture } from '../../support/use-fixture.ts';

const NOW = Date.UTC(2031, 4, 7);

describe('migrations', () => {
  const database = useFreshFixture(openDatabase);
  const connection = () => database().connection;
  const ran = useFreshFixture<string[]>(() => []);

  const step = (version: number, work: () => Promise<void> = async () => undefined): Migration => ({
    version,
    name: `step ${version}`,
    besideFormer: true,
    run: async () => {
      await work();
      ran().push(`step ${version}`);
    },
  });
  const upTo = (version: number, second = step(2)): Migrations => ({
    from: 1,
    lastReader: 'c0ffee00',
    steps: Array.from({ length: version - 1 }, (_, index) => (index === 0 ? second : step(index + 2))),
  });
  const run = (migrations: Migrations, now = NOW) =>
    migrate(connection(), { migrations, clock: () => now, waitMs: 10 * MINUTE_MS });
  const populate = () => connection().collection<{ _id: number }>('operators').insertOne({ _id: 1 });
  const schema = () => connection().collection<{ _id: string; version: number }>('schema');

  it('are skipped for an empty database', async () => {
    expect(await run(upTo(3))).to.deep.equal([]);
    expect(await schemaVersion(connection(), upTo(3))).to.deep.equal({ stored: 3, known: 3 });
  });

  it('run in order, once', async () => {
    await run(upTo(1));
    const reported: string[] = [];
    const onRan = ({ version, name }: { version: number; name: string }) => reported.push(`${version} ${name}`);
    expect(await migrate(connection(), { migrations: upTo(3), clock: () => NOW, onRan })).to.deep.equal([2, 3]);
    expect(reported).to.deep.equal(['2 step 2', '3 step 3']);
    expect(ran()).to.deep.equal(['step 2', 'step 3']);
    expect(await run(upTo(3))).to.deep.equal([]);
    expect(await run(upTo(5))).to.deep.equal([4, 5]);
  });

  it('run in one process at a time, and others wait', async () => {
    await run(upTo(1));
    let [running, most] = [0, 0];
    const slow = step(2, async () => {
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setTimeout(resolve, 50));
      running -= 1;
    });
    const answers = await Promise.all([1, 2, 3, 4].map(() => run(upTo(2, slow))));
    expect(answers.flat()).to.deep.equal([2]);
    expect({ ran: ran(), most }).to.deep.equal({ ran: ['step 2'], most: 1 });
  });

  it('are recorded only by the process that has the lock to the end', async () => {
    await run(upTo(1));
    const overtaken = step(2, async () => {
      await schema().updateOne({ _id: 'schema' }, { $set: { holder: 'another', until: new Date(NOW + 60_000) } });
    });
    const late = migrate(connection(), { migrations: upTo(2, overtaken), clock: () => NOW, waitMs: 300 });
    expect(await late.catch(String)).to.include('another process');
    expect(await schemaVersion(connection(), upTo(2))).to.deep.equal({ stored: 1, known: 2 });
    expect(await schema().findOne({ _id: 'schema' })).to.include({ holder: 'another' });
  });

  it('are repeated at the next start after a failure', async () => {
    await run(upTo(1));
    let broken = true;
    const flaky = step(2, async () => {
      if (broken) throw new Error('the disk is full');
    });
    const failed = await run(upTo(2, flaky)).catch((error: unknown) => error);
    expect(failed).to.have.property('message', 'the disk is full');
    expect(await schemaVersion(connection(), upTo(2, flaky))).to.deep.equal({ stored: 1, known: 2 });
    broken = false;
    expect(await run(upTo(2, flaky))).to.deep.equal([2]);
  });

  it('continue after a process crashed with the lock', async () => {
    await run(upTo(1));
    await schema().updateOne({ _id: 'schema' }, { $set: { holder: 'who died', until: new Date(NOW + 60_000) } });
    const waited = await migrate(connection(), { migrations: upTo(2), clock: () => NOW, waitMs: 300 }).catch(
      (error: unknown) => error,
    );
    expect(waited).to.have.property('message').that.includes('too long');
    expect(await run(upTo(2), NOW + 61_000)).to.deep.equal([2]);
  });

  it('refuse data of a newer release', async () => {
    await run(upTo(4));
    const refused = await run(upTo(3)).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(DataVersionError);
    expect(refused).to.have.property('message').that.includes('version 4').and.includes('up to 3');
  });

  it('are refused to data of an unfinished import, except to the import', async () => {
    const state = importState(connection());
    await run(upTo(1));
    await state.begin('an-export');
    const refused = await run(upTo(2)).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(UnfinishedImportError);
    expect(ran()).to.deep.equal([]);
    expect(await migrate(connection(), { migrations: upTo(2), clock: () => NOW, duringImport: true })).to.deep.equal([
      2,
    ]);
    await state.end();
    expect(await run(upTo(3))).to.deep.equal([3]);
  });

  it('refuse data from before the first version, and data without a version', async () => {
    await populate();
    for (const version of [null, 10]) {
      if (version !== null) await schema().insertOne({ _id: 'schema', version });
      const refused = await run({ from: 11, lastReader: 'c0ffee00', steps: [step(12)] }).catch(
        (error: unknown) => error,
      );
      expect(refused).to.be.instanceOf(DataVersionError);
      expect(refused).to.have.property('message').that.includes('before 11').and.includes('c0ffee00');
      expect((await schemaVersion(connection(), upTo(1))).stored).to.equal(version);
    }
    expect(ran()).to.deep.equal([]);
  });
});
