import { expect } from 'chai';
import { HOUR_MS, MINUTE_MS, MS_PER_SECOND } from '../../../../config/units.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { rethrow } from '../../../support/rethrow.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';

describe('reconciliation of the log', () => {
  const world = useFreshFixture(openRankingWorld);
  const operator = useFreshFixture(() => world().enrol('left-behind'));

  /** Logs a batch from a process whose clock differs by some milliseconds. */
  async function append(clockOff = 0): Promise<string> {
    const engine = world().another({ clock: () => world().now + clockOff });
    const [stored] = await engine.log.append([world().entry(operator(), { input: 1, output: 2, cache_read: 3 })]);
    if (stored?.kind !== 'stored') throw new Error('not stored');
    return stored.batch;
  }

  async function walk(): Promise<string[]> {
    const found: string[] = [];
    const count = await world().ranking.reconcileLog(async (batch) => {
      found.push(batch);
    });
    expect(count).to.equal(found.length);
    return found;
  }

  it('leaves a batch to its job for five seconds', async () => {
    const batch = await append();
    expect(await walk()).to.deep.equal([]);
    world().now += 5 * MS_PER_SECOND;
    expect(await walk()).to.deep.equal([]);
    world().now += 1;
    expect(await walk()).to.deep.equal([batch]);
    await append();
    expect(await walk(), 'beside one that is new').to.deep.equal([batch]);
  });

  it('finds a batch until it has verdicts', async () => {
    const [first, second] = [await append(), await append(1)];
    for (let times = 0; times < 3; times++) {
      world().now += 10 * MINUTE_MS;
      expect(await walk()).to.deep.equal([first, second]);
    }
    await world().ranking.processBatch(second, await world().ranking.log.ofBatch(second));
    expect(await walk()).to.deep.equal([first]);
    await world().ranking.processBatch(first, await world().ranking.log.ofBatch(first));
    expect(await walk()).to.deep.equal([]);
  });

  it('finds a batch that waits for longer than a day', async () => {
    const batch = await append();
    for (let hours = 0; hours < 30; hours += 1) {
      world().now += 60 * MINUTE_MS;
      expect(await walk(), `after ${hours} hours`).to.deep.equal([batch]);
    }
  });

  it('reports how many snapshots are in the batches that it found', async () => {
    const counts: number[] = [];
    const engine = world().another({ report: { withoutVerdict: (snapshots) => counts.push(snapshots) } });
    const walkWith = () => engine.reconcileLog(async () => undefined);
    await walkWith();
    const entries = [1, 2, 3].map((output) => world().entry(operator(), { input: 1, output, cache_read: 3 }));
    await engine.log.append(entries);
    await append();
    world().now += 5 * MS_PER_SECOND + 1;
    expect(await walkWith()).to.equal(2);
    expect(counts).to.deep.equal([0, 4]);
  });

  it('reports the age of the oldest snapshot that no board shows, with and without a verdict, until a commit', async () => {
    await world().ranking.ensureBoard();
    const [ages, shown]: [number[], number[]] = [[], []];
    const report = {
      oldestUnshown: (seconds: number) => ages.push(seconds),
      committed: ({ batchSeconds }: { batchSeconds: readonly number[] }) => shown.push(...batchSeconds),
    };
    const engine = world().another({ report });
    const walkAfter = async (seconds: number): Promise<void> => {
      world().now += seconds * MS_PER_SECOND;
      await engine.reconcileLog(async () => undefined);
    };
    await walkAfter(0);
    const [first, second] = [await append(), await append(3 * MS_PER_SECOND)];
    await walkAfter(10);
    await engine.processBatch(second, await engine.log.ofBatch(second));
    await engine.processBatch(first, await engine.log.ofBatch(first));
    await walkAfter(5);
    await engine.createCommitter(() => undefined, rethrow).tick();
    await walkAfter(5);
    expect(ages).to.deep.equal([0, 10, 15, 0]);
    expect(shown).to.have.members([12, 15]);
  });

  it('finds a batch that a process with a late clock logs after the scan', async () => {
    expect(await walk()).to.deep.equal([]);
    const batch = await append(-100 * MS_PER_SECOND);
    world().now += 5 * MS_PER_SECOND;
    expect(await walk()).to.deep.equal([batch]);
  });

  it('finds a batch at once whose id comes from a clock that was set back since', async () => {
    const batch = await append(HOUR_MS);
    expect(await walk()).to.deep.equal([batch]);
  });

  it('ends, finds what is its own, and reports what is not, where ids of batches are not of its form', async () => {
    const batch = await append();
    const log = world().connection.collection<{ _id: string; batch: string }>('snapshots');
    const foreign = ['', '!', 'Batch', 'zzzzzzzzzzzz', `${batch.slice(0, 9)}x`];
    await log.insertMany(foreign.map((name, index) => ({ _id: `${operator()}.foreign-${index}`, batch: name })));
    world().now += 10 * MINUTE_MS;
    const reported: (readonly string[])[] = [];
    const found: string[] = [];
    const engine = world().another({ report: { malformed: (batches) => reported.push(batches) } });
    await engine.reconcileLog(async (each) => void found.push(each));
    expect(found).to.include(batch).and.not.include('zzzzzzzzzzzz');
    expect(reported).to.deep.equal([['Batch', 'zzzzzzzzzzzz']]);
  });

  it('scans a day back once an hour, for paused processes', async () => {
    expect(await walk()).to.deep.equal([]);
    const batch = await append(-24 * HOUR_MS);
    world().now += HOUR_MS - 1;
    expect(await walk()).to.deep.equal([]);
    world().now += 1;
    expect(await walk()).to.deep.equal([batch]);
  });
});
