import { expect } from 'chai';
import { processEnvironment } from '../../config/env.ts';
import { runsOf } from '../support/long-run.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { recordProof, type ScheduleResult } from './fault-proof.ts';
import { type FaultStage, faultsOfOurs, openFaultStage, verdictAgain } from './fault-stage.ts';
import { type FaultRow, faultTable } from './fault-table.ts';
import { canLackSpace } from './lack-space.ts';
import { faultName, KINDS, planSchedule } from './plan-schedule.ts';
import { playSchedule } from './play-schedule.ts';
import { repeatJobs } from './reorder-jobs.ts';

/** Schedules in all, the seed of each derived from the run's. */
const SCHEDULES = runsOf(2, 20, 'FAULT_SCHEDULES');
/** No schedule begins later than this, in seconds, for runs that have so much time and no more. */
const WITHIN_S = Number(processEnvironment()['FAULT_SECONDS'] ?? Number.POSITIVE_INFINITY);
const SECONDS_A_SCHEDULE = 140;
/** What a schedule showed until it shows otherwise. */
const NOT_WHOLE: { verdictAfterMs: number | null; wholeAfterMs: number | null } = {
  verdictAfterMs: null,
  wholeAfterMs: null,
};

const canSpare = await canLackSpace();
const kinds = KINDS.filter((kind) => kind !== 'no space' || canSpare);

describe('schedules of faults under load', function () {
  this.timeout(SECONDS_A_SCHEDULE * 1_000);
  const seed = runSeed();
  const rows: FaultRow[] = [];
  const results: ScheduleResult[] = [];
  let logged = 0;
  const deadline = performance.now() + WITHIN_S * 1_000;
  let stage: FaultStage;

  before(async () => {
    stage = await openFaultStage();
  });

  after(async () => {
    await stage?.close();
    recordProof(results, logged);
    process.stdout.write(`\n  schedules (seed ${seed})\n${faultTable(rows)}\n\n`);
  });

  for (let index = 0; index < SCHEDULES; index++) {
    const random = seededRandom(seed + index);
    const schedule = planSchedule(random, kinds, index);
    const faults = schedule.faults.map(faultName);
    it(`${faults.join(', ')} (seed ${seed + index})`, async () => {
      if (performance.now() > deadline) return;
      const result = { seed: seed + index, faults, acknowledged: 0, ...NOT_WHOLE };
      results.push(result);
      const { service, connection, ways } = stage;
      const load = await stage.startLoad(random, `storm-${index}`);
      const again = (): Promise<void> => repeatJobs(service.engines.database.redisUrl, connection, random);
      try {
        await playSchedule({ service, ways, load, random, repeatJobs: again }, schedule);
        const ended = performance.now();
        await verdictAgain(load);
        result.verdictAfterMs = Math.round(performance.now() - ended);
        await load.stop();
        // A step that lasted leaves marks of its time, which hold once it has come.
        service.clocks.catchUp();
        const began = performance.now();
        ({ logged } = await stage.whole(load));
        const took = Math.round(performance.now() - began);
        expect(service.falls, 'processes that ended by themselves').to.deep.equal([]);
        expect(load.acknowledged.size, 'acknowledged snapshots').to.be.above(0);
        expect(faultsOfOurs(load), 'answers that name no cause').to.deep.equal([]);
        result.wholeAfterMs = took;
      } finally {
        await load.stop();
        result.acknowledged = load.acknowledged.size;
        const { verdictAfterMs, wholeAfterMs } = result;
        const answers = [...load.answers].map(([answer, times]) => `${answer}: ${times}`).join(', ');
        const outcome = `verdict after ${verdictAfterMs} ms, whole after ${wholeAfterMs} ms more; ${logged} logged; ${answers}`;
        rows.push({ fault: `${seed + index}`, mode: 'schedule', hits: faults.length, outcome });
      }
    });
  }
});
