import { expect } from 'chai';
import { MINUTE_MS } from '../../config/units.ts';
import { FAILPOINTS, type FailpointName } from '../../engine/ranking/index.ts';
import { runsOf } from '../support/long-run.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { useFixture } from '../support/use-fixture.ts';
import { checkConsistency } from './check-consistency.ts';
import { type FaultFixture, openFaultFixture } from './fault-fixture.ts';
import { type FaultRow, faultTable } from './fault-table.ts';
import { OPERATIONS, type Operation, toNextDueHour } from './operations.ts';
import { type Mode, makeVictim, type Victim } from './victim.ts';

const MODES: readonly Mode[] = ['stop', 'pause'];
/** A process stops at every failpoint; it pauses at every one in long runs, and at every sixteenth, chosen by the seed, in short ones. */
const PAUSE_AT_EVERY = runsOf(16, 1);

/** Other processes run all operations several times, and time passes every timeout that protects the paused process. */
async function overtake(fixture: FaultFixture): Promise<void> {
  const { survivor, world } = fixture;
  await fixture.recover();
  await fixture.submit(survivor);
  await fixture.recover();
  await toNextDueHour(fixture);
  await fixture.recover();
  await survivor.operators.amend(fixture.random.pick(fixture.operators), { displayName: 'Overtaker', listed: true });
  await survivor.compactBoard();
  world.now += 11 * MINUTE_MS;
  await survivor.collectGarbage();
  await fixture.submit(survivor);
  await fixture.publish();
}

/** How the work of a paused process ended: it may fail, as long as all invariants hold. */
async function outcomeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'finished',
    (error: unknown) => `gave up (${error instanceof Error ? error.name : String(error)})`,
  );
}

async function runFault(
  fixture: FaultFixture,
  operation: Operation,
  point: FailpointName,
  mode: Mode,
): Promise<[Victim, string]> {
  await operation.prepare?.(fixture);
  const victim = makeVictim(fixture.world, { at: point }, operation.extra);
  const work = operation.run(victim.engine, fixture);
  await victim.reachedBy(work);
  let outcome = 'consistent after recovery';
  if (mode === 'pause') {
    await overtake(fixture);
    victim.wake();
    outcome = `${await outcomeOf(work)}, ${outcome}`;
  }
  await operation.repeat?.(fixture);
  await fixture.recover();
  fixture.world.now += 11 * MINUTE_MS;
  await fixture.survivor.collectGarbage();
  await fixture.recover();
  return [victim, outcome];
}

describe('crash points', () => {
  const seed = runSeed();
  const rows: FaultRow[] = [];
  const chosenAt = (point: FailpointName): boolean =>
    (FAILPOINTS.findIndex((one) => one === point) + seed) % PAUSE_AT_EVERY === 0;
  const pointsOf = ({ points }: Operation, mode: Mode): readonly FailpointName[] =>
    mode === 'stop' ? points : points.filter(chosenAt);

  for (const operation of OPERATIONS) {
    describe(operation.name, () => {
      const random = useFixture(() => seededRandom(seed));
      const fixture = useFixture(() => openFaultFixture(random()));

      for (const mode of MODES) {
        for (const point of pointsOf(operation, mode)) {
          it(`${mode} at ${point} keeps all invariants (seed ${seed})`, async () => {
            const row = { fault: point, mode, hits: 0, outcome: 'failed' };
            const place = rows.push(row) - 1;
            const [victim, outcome] = await runFault(fixture(), operation, point, mode);
            rows[place] = { ...row, hits: victim.hits() };
            await checkConsistency(fixture());
            rows[place] = { ...row, hits: victim.hits(), outcome };
          });
        }
      }
    });
  }

  describe('all failpoints', () => {
    it('were reached in their modes', () => {
      process.stdout.write(`\n  crash points (seed ${seed})\n${faultTable(rows)}\n\n`);
      const reached = new Set(rows.filter(({ hits }) => hits > 0).map(({ fault, mode }) => `${fault} ${mode}`));
      const chosen = OPERATIONS.flatMap((operation) =>
        MODES.flatMap((mode) => pointsOf(operation, mode).map((point) => `${point} ${mode}`)),
      );
      const missed = [...FAILPOINTS.map((point) => `${point} stop`), ...chosen].filter((name) => !reached.has(name));
      expect(missed, 'failpoints that no test reached').to.deep.equal([]);
    });
  });
});
