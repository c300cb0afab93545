import { expect } from 'chai';
import { processEnvironment } from '../../config/env.ts';
import { runsOf } from '../support/long-run.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { useFixture } from '../support/use-fixture.ts';
import { recordProof, type ScheduleResult } from './fault-proof.ts';
import { expectVerdictSoon, internalErrors, openFaultStage } from './fault-stage.ts';
import { type FaultRow, faultTable } from './fault-table.ts';
import { canLackSpace } from './lack-space.ts';
import { faultName, KINDS, planSchedule } from './plan-schedule.ts';
import { playSchedule } from './play-schedule.ts';
import { repeatJobs } from './reorder-jobs.ts';

/** Number of schedules; each has a seed derived from that of the run. */
const SCHEDULES = runsOf(1, 10, 'FAULT_SCHEDULES');
/** No schedule starts later than this, in seconds: limits the duration of a run. */
const WITHIN_S = Number(processEnvironment()['FAULT_SECONDS'] ?? Number.POSITIVE_INFINITY);
/** The result of a schedule until it is known. */
const NO_RESULT: { verdictAfterMs: number | null; wholeAfterMs: number | null } = {
  verdictAfterMs: null,
  wholeAfterMs: null,
};

const canLimit = await canLackSpace();
const kinds = KINDS.filter((kind) => kind !== 'no space' || canLimit);

describe('schedules of faults under load', () => {
  const seed = runSeed();
  const rows: FaultRow[] = [];
  const results: ScheduleResult[] = [];
  let logged = 0;
  const deadline = performance.now() + WITHIN_S * 1_000;
  const stage = useFixture(openFaultStage);

  after(async () => {
    recordProof(results, logged);
    process.stdout.write(`\n  schedules (seed ${seed})\n${faultTable(rows)}\n\n`);
  });

  for (let index = 0; index < SCHEDULES; index++) {
    const random = seededRandom(seed + index);
    const schedule = planSchedule(random, kinds, index);
    const faults = schedule.faults.map(faultName);
    it(`${faults.join(', ')} (seed ${seed + index})`, async () => {
      if (performance.now() > deadline) return;
      const result = { seed: seed + index, faults, acknowledged: 0, ...NO_RESULT };
      results.push(result);
      const { service, connection, proxies } = stage();
      const load = await stage().startLoad(random, `storm-${index}`);
      const again = (): Promise<void> => repeatJobs(service.engines.database.redisUrl, connection, random);
      try {
        await playSchedule({ service, proxies, load, random, repeatJobs: again }, schedule);
        const ended = performance.now();
        await expectVerdictSoon(load);
        result.verdictAfterMs = Math.round(performance.now() - ended);
        await load.stop();
        // A clock step leaves stored times, which are valid once the clocks have reached them.
        service.clocks.catchUp();
        const started = performance.now();
        ({ logged } = await stage().expectConsistent(load));
        const took = Math.round(performance.now() - started);
        expect(service.falls, 'processes that ended by themselves').to.deep.equal([]);
        expect(load.acknowledged.size, 'acknowledged snapshots').to.be.above(0);
        expect(internalErrors(load), 'responses without a cause').to.deep.equal([]);
        result.wholeAfterMs = took;
      } finally {
        await load.stop();
        result.acknowledged = load.acknowledged.size;
        const { verdictAfterMs, wholeAfterMs } = result;
        const responses = [...load.responses].map(([response, times]) => `${response}: ${times}`).join(', ');
        const outcome = `verdict after ${verdictAfterMs} ms, consistent after ${wholeAfterMs} ms more; ${logged} logged; ${responses}`;
        rows.push({ fault: `${seed + index}`, mode: 'schedule', hits: faults.length, outcome });
      }
    });
  }
});
