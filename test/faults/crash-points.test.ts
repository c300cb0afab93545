import { expect } from 'chai';
import { CHECKPOINTS, type Checkpoint } from '../../engine/ranking/index.ts';
import { runsOf } from '../support/long-run.ts';
import { runSeed, type SeededRandom, seededRandom } from '../support/seeded-random.ts';
import { checkWhole } from './check-whole.ts';
import { type FaultField, MINUTE_MS, openFaultField } from './fault-field.ts';
import { type FaultRow, faultTable } from './fault-table.ts';
import { OPERATIONS, type Operation, toNextDueHour } from './operations.ts';
import { type Mode, makeVictim, type Victim } from './victim.ts';

const MODES: readonly Mode[] = ['stop', 'pause'];
/** A process stops at every point; it sleeps at every one in the long form, at every third in the short one, by the seed. */
const PAUSE_AT_EVERY = runsOf(3, 1);

/** Others do all there is to do, several times over, and time passes every limit that protects a sleeper. */
async function overtake(field: FaultField): Promise<void> {
  const { survivor, world } = field;
  await field.recover();
  await field.submit(survivor);
  await field.recover();
  await toNextDueHour(field);
  await field.recover();
  await survivor.operators.amend(field.random.pick(field.operators), { displayName: 'Overtaker', listed: true });
  await survivor.compactBoard();
  world.now += 11 * MINUTE_MS;
  await survivor.sweepBoard();
  await field.submit(survivor);
  await field.publish();
}

/** The end of a sleeper's work: how it went is its own affair, as long as nothing is harmed. */
async function ended(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'finished',
    (error: unknown) => `gave up (${error instanceof Error ? error.constructor.name : String(error)})`,
  );
}

async function runFault(
  field: FaultField,
  operation: Operation,
  point: Checkpoint,
  mode: Mode,
): Promise<[Victim, string]> {
  await operation.prepare(field);
  const victim = makeVictim(field.world, { at: point }, operation.extra);
  const work = operation.run(victim.engine, field);
  await victim.reachedBy(work);
  let outcome = 'whole after recovery';
  if (mode === 'pause') {
    await overtake(field);
    victim.wake();
    outcome = `${await ended(work)}, ${outcome}`;
  }
  await operation.repeat?.(field);
  await field.recover();
  field.world.now += 11 * MINUTE_MS;
  await field.survivor.sweepBoard();
  await field.recover();
  return [victim, outcome];
}

describe('crash points', function () {
  this.timeout(60_000);
  const seed = runSeed();
  const rows: FaultRow[] = [];
  const chosenAt = (point: Checkpoint): boolean =>
    (CHECKPOINTS.findIndex((one) => one === point) + seed) % PAUSE_AT_EVERY === 0;
  const pointsOf = ({ points }: Operation, mode: Mode): readonly Checkpoint[] =>
    mode === 'stop' ? points : points.filter(chosenAt);

  for (const operation of OPERATIONS) {
    describe(operation.name, () => {
      let field: FaultField;
      let random: SeededRandom;

      before(async () => {
        random = seededRandom(seed);
        field = await openFaultField(random);
      });

      after(() => field.close());

      for (const mode of MODES) {
        for (const point of pointsOf(operation, mode)) {
          it(`${mode} at ${point} leaves everything whole (seed ${seed})`, async () => {
            const row = { fault: point, mode, hits: 0, outcome: 'failed' };
            const place = rows.push(row) - 1;
            const [victim, outcome] = await runFault(field, operation, point, mode);
            rows[place] = { ...row, hits: victim.hits() };
            await checkWhole(field);
            rows[place] = { ...row, hits: victim.hits(), outcome };
          });
        }
      }
    });
  }

  describe('all of them', () => {
    it('were reached, each that was chosen in its modes', () => {
      process.stdout.write(`\n  crash points (seed ${seed})\n${faultTable(rows)}\n\n`);
      const reached = new Set(rows.filter(({ hits }) => hits > 0).map(({ fault, mode }) => `${fault} ${mode}`));
      const chosen = OPERATIONS.flatMap((operation) =>
        MODES.flatMap((mode) => pointsOf(operation, mode).map((point) => `${point} ${mode}`)),
      );
      const missed = [...CHECKPOINTS.map((point) => `${point} stop`), ...chosen].filter((name) => !reached.has(name));
      expect(missed, 'points that no test came to').to.deep.equal([]);
    });
  });
});
