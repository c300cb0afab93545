import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { LogEntry } from '../../engine/ranking/index.ts';
import { entryId } from '../../engine/ranking/storage/snapshots.ts';
import { eventually } from '../support/eventually.ts';
import { runsOf } from '../support/long-run.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { useFixture } from '../support/use-fixture.ts';
import { checkConsistency } from './check-consistency.ts';
import { openFaultFixture } from './fault-fixture.ts';
import { type FaultRow, faultTable } from './fault-table.ts';
import { OPERATIONS } from './operations.ts';
import { startOwnEngines } from './own-engines.ts';
import { makeVictim } from './victim.ts';

/** Failpoints per operation at which MongoDB is killed, chosen by the seed; `crash-points` stops a process at every one. */
const POINTS_PER_OPERATION = runsOf(1, 12);
const KILLS_DURING_APPENDS = runsOf(2, 6);

/**
 * Kills MongoDB right after the acknowledgement of a write, while the process survives and relies on that write.
 */
describe('kills of MongoDB between two writes of a surviving process', () => {
  const seed = runSeed();
  const rows: FaultRow[] = [];
  const points = OPERATIONS.flatMap((operation) =>
    seededRandom(seed)
      .shuffled(operation.points)
      .slice(0, POINTS_PER_OPERATION)
      .map((point) => ({ operation, point })),
  );
  const engines = useFixture(startOwnEngines);
  const fixture = useFixture(() => openFaultFixture(seededRandom(seed), engines().database));

  after(() => process.stdout.write(`\n  kills of MongoDB at a point (seed ${seed})\n${faultTable(rows)}\n\n`));

  async function restartMongo(): Promise<void> {
    await engines().mongo.start();
    await eventually('a response of MongoDB', () => fixture().world.connection.db!.command({ ping: 1 }));
  }

  for (const { operation, point } of points) {
    it(`at ${point} lose nothing (seed ${seed})`, async () => {
      const place = rows.push({ fault: point, mode: 'kill -9', hits: 0, outcome: 'failed' }) - 1;
      await operation.prepare?.(fixture());
      const victim = makeVictim(fixture().world, { at: point }, operation.extra);
      const work = operation.run(victim.engine, fixture());
      await victim.reachedBy(work);
      await engines().mongo.kill();
      await restartMongo();
      victim.wake();
      const outcome = await work.then(
        () => 'finished',
        () => 'gave up',
      );
      await operation.repeat?.(fixture());
      await fixture().recover();
      await checkConsistency(fixture());
      rows[place] = {
        fault: point,
        mode: 'kill -9',
        hits: victim.hits(),
        outcome: `${outcome}, consistent after recovery`,
      };
    });
  }

  it(`during the last attempt at a batch refuse no entry of it (seed ${seed})`, async () => {
    const entries = fixture().makeEntries(4);
    const batch = await fixture().append(fixture().survivor, entries);
    const victim = makeVictim(fixture().world, { at: 'batch.loaded', nth: 2 });
    const work = victim.engine.processBatchByEntry(batch, entries).then(
      () => 'processed',
      () => 'returned',
    );
    await victim.reachedBy(work);
    await engines().mongo.kill();
    victim.wake();
    expect(await work).to.equal('returned');
    await restartMongo();
    await fixture().recover();
    await checkConsistency(fixture());
    rows.push({ fault: 'the last attempt at a batch', mode: 'kill -9', hits: 1, outcome: 'no entry was refused' });
  });

  it(`during appends acknowledge nothing that is not in the log (seed ${seed})`, async () => {
    const stop = new AbortController();
    let inFlight = 0;
    let interrupted = 0;
    const acknowledged: { id: string; kind: string; batch: string }[] = [];
    const offer = async (entries: readonly LogEntry[]): Promise<void> => {
      inFlight += 1;
      const outcomes = await fixture()
        .survivor.log.append(entries)
        .catch(() => []);
      inFlight -= 1;
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome.kind !== 'conflict') acknowledged.push({ id: entryId(entries[index]!), ...outcome });
      }
    };
    const append = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        const entries = fixture().makeEntries(fixture().random.integer(1, 40));
        // Each is appended twice, as after a lost response.
        await Promise.all([offer(entries), offer(entries)]);
      }
    };
    const appends = Array.from({ length: 4 }, append);
    for (let kills = 0; kills < KILLS_DURING_APPENDS; kills++) {
      await pause(fixture().random.integer(20, 200));
      await engines().mongo.kill();
      // These have no reply, and the server is gone.
      interrupted += inFlight;
      await restartMongo();
    }
    stop.abort();
    await Promise.all(appends);
    const snapshots = fixture().world.connection.db!.collection<{ _id: string; batch: string }>('snapshots');
    const logged = new Map((await snapshots.find().toArray()).map(({ _id, batch }) => [_id, batch]));
    const wrong = acknowledged.filter(({ id, batch }) => logged.get(id) !== batch);
    expect(wrong, 'acknowledged entries that are not in the log, or in another batch').to.deep.equal([]);
    const stored = acknowledged.filter(({ kind }) => kind === 'stored').map(({ id }) => id);
    expect(new Set(stored).size, 'entries that are new once').to.equal(stored.length);
    expect(interrupted, 'appends without a reply').to.be.greaterThan(0);
    const outcome = `none lost of ${acknowledged.length} acknowledged`;
    rows.push({ fault: 'concurrent appends', mode: 'kill -9', hits: KILLS_DURING_APPENDS, outcome });
  });

  it('happened at every chosen failpoint', () => {
    const hit = new Set(rows.filter(({ hits }) => hits > 0).map(({ fault }) => fault));
    expect(
      points.filter(({ point }) => !hit.has(point)),
      'failpoints without a kill',
    ).to.deep.equal([]);
  });
});
