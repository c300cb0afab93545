import { expect } from 'chai';
import { MIGRATIONS } from '../../../engine/mongo/index.ts';
import { openDatabase } from '../../support/engines.ts';
import { useFreshFixture } from '../../support/use-fixture.ts';
import { run } from './run.ts';

const NEWEST = MIGRATIONS.from + MIGRATIONS.steps.length;

describe('migrations commands', () => {
  const database = useFreshFixture(openDatabase);

  async function store(version: number): Promise<void> {
    const schema = database().connection.collection<{ _id: string; version: number }>('schema');
    await schema.insertOne({ _id: 'schema', version });
  }

  it('show the version and migrate to the newest', async () => {
    expect((await run(database(), ['migrations', 'status'])).out).to.equal(
      `The data have no version yet; this program knows ${NEWEST}.\n`,
    );
    expect((await run(database(), ['migrations', 'run'])).err).to.include('--yes');
    expect((await run(database(), ['migrations', 'run', '--yes'])).out).to.equal('There was nothing to migrate.\n');
    const status = await run(database(), ['migrations', 'status', '--json']);
    expect(JSON.parse(status.out)).to.deep.equal({ stored: NEWEST, known: NEWEST, open: [] });
  });

  it('report data of a newer program', async () => {
    await store(99);
    const { status, err } = await run(database(), ['migrations', 'run', '--yes']);
    expect(status).to.equal(1);
    expect(err).to.include('version 99').and.to.include('run the newer release');
  });

  it('and all others refuse data of an earlier program', async () => {
    await store(MIGRATIONS.from - 1);
    for (const command of [
      ['migrations', 'run', '--yes'],
      ['operator', 'show', 'someone'],
    ]) {
      const { status, err } = await run(database(), command);
      expect(status).to.equal(1);
      expect(err).to.include(`before ${MIGRATIONS.from}`).and.to.include(MIGRATIONS.lastReader);
    }
  });

  it('are numbered without a gap', () => {
    const { from, steps } = MIGRATIONS;
    expect(steps.map(({ version }) => version)).to.deep.equal(steps.map((_, index) => from + index + 1));
  });
});
