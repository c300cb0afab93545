import { expect } from 'chai';
import { METHODOLOGIES } from '../../../engine/ranking/methodologies/index.ts';
import { importedOperator } from '../../support/imported-operator.ts';
import { inlineJobs } from '../../support/inline-jobs.ts';
import { openRankingWorld } from '../../support/ranking-world.ts';
import { useFreshFixture } from '../../support/use-fixture.ts';
import { type CommandResult, NOW, run } from './run.ts';

/** Yields of three operators: methodology 2 ranks two, and excludes the one between them for too few tokens. */
const FIELD = [
  ['nova-1', 10_000, 30_000, 50_000],
  ['nova-2', 10, 20, 30],
  ['nova-3', 10_000, 10_000, 10_000],
] as const;

describe('methodology commands', () => {
  const world = useFreshFixture(openRankingWorld);

  beforeEach(async () => {
    // The clock of the commands: a run that started long ago counts as abandoned.
    world().now = NOW;
    await world().ranking.operators.import(
      FIELD.map(([codename, input, output, cache_read]) =>
        importedOperator(codename, NOW, { input, output, cache_read, cache_write: 0 }),
      ),
    );
    await world().ranking.rebuildBoard();
  });

  const command = (...args: readonly string[]): Promise<CommandResult> =>
    run(world().database, ['methodology', ...args]);

  /** Runs a command while this process does the work of a worker. */
  async function withWorker(...args: readonly string[]): Promise<CommandResult> {
    const result = command(...args);
    const jobs = inlineJobs();
    const until = { over: false };
    const over = result.finally(() => {
      until.over = true;
    });
    while (!until.over) {
      await world().ranking.rerank.supervise(jobs);
      await jobs.work(world().ranking);
    }
    return over;
  }

  it('list the methodologies and mark the active one', async () => {
    const { out } = await command('list');
    expect(out).to.match(/^\* 1 {2}yield-1; minimum_tokens 0/);
    expect(out).to.match(/\n {2}2 {2}yield-1; minimum_tokens 10000, minimum_input 0, minimum_input_share 0.00001\n/);
    const json = JSON.parse((await command('list', '--json')).out);
    expect(json.active).to.equal(1);
    expect(json.methodologies).to.deep.equal([...METHODOLOGIES.values()]);
  });

  it('show the differences between two of them', async () => {
    const { out } = await command('diff', '1', '2');
    expect(out).to.include('eligibility.minimum_tokens\n  - 0\n  + 10000\n').and.not.to.include('tiers');
    const { differences } = JSON.parse((await command('diff', '2', '1', '--json')).out);
    expect(differences).to.deep.include({ of: 'eligibility.minimum_tokens', 1: '0', 2: '10000' });
    expect((await command('diff', '2', '2')).out).to.equal('Methodologies 2 and 2 do not differ.\n');
  });

  it('preview changes of rank and change nothing', async () => {
    const { status, out, err } = await withWorker('preview', '2');
    expect(status).to.equal(0);
    expect(err).to.match(/^[01] of 1 operator ranges scored/);
    expect(out).to.match(
      /^Under methodology 2 instead of 1:\n\nall_time\n {2}ranked: 3 before, 2 after; 1 no longer, 0 newly\n/,
    );
    expect(out)
      .to.include('no longer ranked: nova-2, rank 2 to none\n')
      .and.to.include('climbs most: nova-3, rank 3 to 2\n');
    const { report } = JSON.parse((await withWorker('preview', '2', '--json')).out);
    expect(report['7d'].unranked).to.deep.equal([{ operator: 2, codename: 'nova-2', before: 2, after: null }]);
    expect(JSON.parse((await command('status', '--json')).out)).to.include({ methodology: 1, rollback: null });
  });

  it('activate only what is confirmed, and roll back', async () => {
    const unconfirmed = await command('activate', '2', '--no-wait');
    expect(unconfirmed.status).to.equal(1);
    expect(unconfirmed.err).to.match(/switches all public boards from methodology 1 to 2\.\n.*--yes/);
    expect((await command('status')).out)
      .to.include('No run is in progress.')
      .and.to.include('nothing to roll back to');

    expect((await withWorker('activate', '2', '--yes')).out).to.match(/now use methodology 2/);
    expect((await command('status')).out).to.match(/rollback returns to methodology 1, until .*\nEnded: .*switched/);
    expect((await command('activate', '2', '--yes')).err).to.match(/already use methodology 2/);
    expect((await command('activate', '1', '--no-wait')).err).to.match(/from methodology 2 to 1\.\n.*--yes/);

    expect((await command('rollback')).err).to.match(/from methodology 2 to 1\.\n.*--yes/);
    const { out } = await command('rollback', '--yes', '--json');
    expect(JSON.parse(out)).to.include({ from: 2, to: 1 });
    expect((await command('rollback', '--yes')).err).to.match(/nothing to roll back to/);
  });

  it('start a run without waiting, show it and cancel it', async () => {
    const { run: name } = JSON.parse((await command('activate', '2', '--yes', '--no-wait', '--json')).out);
    expect((await command('status')).out).to.include(`In progress: ${name}, activate 2 from 1, running`);
    expect((await command('preview', '2', '--no-wait')).err).to.include(`run ${name} is in progress`);
    expect((await command('rollback', '--yes')).err).to.include(`run ${name} is in progress`);
    expect((await command('cancel')).out).to.equal(`Run ${name} was cancelled. The boards are unchanged.\n`);
    expect((await command('cancel')).err).to.match(/no run is in progress/);
  });

  it('report to a waiting command that the run was cancelled', async () => {
    const waiting = command('activate', '2', '--yes');
    while ((await world().ranking.rerank.cancel()) === null);
    const { status, err } = await waiting;
    expect(status).to.equal(1);
    expect(err).to.match(/was cancelled\.\nThe boards are unchanged\.\n$/);
  });

  it('refuse an unknown methodology', async () => {
    const next = `${METHODOLOGIES.size + 1}`;
    expect((await command('preview', next)).err).to.include(`there is no methodology ${next}`);
    expect((await command('diff', '1', next)).err).to.include(`there is no methodology ${next}`);
    for (const number of ['0', '-1', 'two', '1.5']) expect((await command('activate', number)).status).not.to.equal(0);
  });

  it('print help', async () => {
    for (const name of ['list', 'diff', 'preview', 'activate', 'status', 'rollback', 'cancel']) {
      const { status, out } = await command(name, '--help');
      expect(status).to.equal(0);
      expect(out).to.include(`Usage: ops methodology ${name}`).and.to.include('--json');
    }
  });
});
