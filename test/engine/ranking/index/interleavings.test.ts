import { expect } from 'chai';
import * as fc from 'fast-check';
import { HOUR_MS, MINUTE_MS } from '../../../../config/units.ts';
import type { Committer, Ranking } from '../../../../engine/ranking/index.ts';
import { checkConsistency, expectNoGarbage, expectReferences } from '../../../faults/check-consistency.ts';
import { type FaultFixture, openFaultFixture } from '../../../faults/fault-fixture.ts';
import { runsOf } from '../../../support/long-run.ts';
import { committerOf } from '../../../support/open-engine.ts';
import { runSeed, seededRandom } from '../../../support/seeded-random.ts';

/** Operations that any process may run at any time. */
const WORK = [
  'submit',
  'commit',
  'compact',
  'advance',
  'collect',
  'amend',
  'reconcile_operators',
  'reconcile',
] as const;
type Work = (typeof WORK)[number];

/** An operation of one of two processes, after some time. */
interface Step {
  readonly work: Work;
  readonly process: 0 | 1;
  /** How much time passes before, in milliseconds. */
  readonly wait: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  work: fc.oneof(
    { weight: 4, arbitrary: fc.constant('submit' as const) },
    { weight: 3, arbitrary: fc.constant('commit' as const) },
    { weight: 4, arbitrary: fc.constantFrom(...WORK) },
  ),
  process: fc.constantFrom(0, 1),
  wait: fc.oneof(
    { weight: 6, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.constant(11 * MINUTE_MS) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }).map((hours) => hours * HOUR_MS) },
  ),
});

/** Batches of concurrent operations. */
const batches = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 4, maxLength: 12, size: 'max' });

/** Every run has its own database. */
const RUNS = { numRuns: runsOf(3, 200, 'FAULT_RUNS'), seed: runSeed(), endOnFailure: true };

interface Process {
  readonly engine: Ranking;
  readonly committer: Committer;
}

/** Two processes that yield to each other at every failpoint, for a duration derived from the seed. */
function twoProcesses({ world, random }: FaultFixture): readonly [Process, Process] {
  const failpoint = async (): Promise<void> => {
    for (let turns = random.integer(0, 12); turns > 0; turns--) await new Promise(setImmediate);
  };
  const open = (): Process => {
    const engine = world.another({ failpoint, maxSegments: 3 });
    const committer = committerOf(engine);
    return { engine, committer };
  };
  return [open(), open()];
}

async function run(fixture: FaultFixture, { engine, committer }: Process, work: Work): Promise<unknown> {
  switch (work) {
    case 'submit':
      return fixture.submit(engine);
    case 'commit':
      // As if the lease had expired.
      await fixture.world.connection.db!.collection<{ _id: string }>('leases').deleteMany({ _id: 'committer' });
      return committer.tick();
    case 'compact':
      return engine.compactBoard();
    case 'advance':
      return engine.advanceHour();
    case 'collect':
      return engine.collectGarbage();
    case 'amend':
      return engine.operators.amend(fixture.random.pick(fixture.operators), {
        listed: fixture.random.integer(0, 2) > 0,
      });
    case 'reconcile_operators':
      return engine.reconcileOperators();
    case 'reconcile':
      return engine.reconcileLog(async (batch) => {
        await engine.processBatch(batch, await engine.log.ofBatch(batch));
      });
  }
}

/** An expected failure: parts were garbage-collected during the operation, and a retry finds newer ones. */
function isMissingPart(error: unknown): boolean {
  return error instanceof Error && error.name === 'MissingPartError';
}

async function runBatch(fixture: FaultFixture, processes: readonly [Process, Process], batch: readonly Step[]) {
  fixture.world.now += Math.max(...batch.map(({ wait }) => wait));
  const outcomes = await Promise.allSettled(batch.map(({ work, process }) => run(fixture, processes[process], work)));
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected' && !isMissingPart(outcome.reason)) throw outcome.reason;
  }
  await Promise.all(processes.map(({ committer }) => committer.close()));
  await expectReferences(fixture);
}

describe('two processes that run all operations concurrently', () => {
  it(`publish the boards of the model, and delete no part that is referenced (seed ${RUNS.seed})`, async () => {
    let batchesRun = 0;
    const property = fc.asyncProperty(batches, fc.integer({ min: 1 }), async (planned, seed) => {
      const fixture = await openFaultFixture(seededRandom(seed));
      try {
        const processes = twoProcesses(fixture);
        for (const batch of planned) await runBatch(fixture, processes, batch);
        batchesRun += planned.length;
        await fixture.recover();
        await checkConsistency(fixture);
        await expectNoGarbage(fixture);
        // The result of all commits and compactions equals a rebuild from the records.
        await fixture.recover();
        expect(await fixture.survivor.rebuildBoard()).to.equal(true);
        await fixture.reader.refresh();
        await checkConsistency(fixture);
      } finally {
        await fixture.close();
      }
    });
    await fc.assert(property, RUNS);
    expect(batchesRun).to.be.at.least(RUNS.numRuns * 4);
  });
});
