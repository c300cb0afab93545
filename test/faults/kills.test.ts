import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { openMongo } from '../../engine/mongo/index.ts';
import { eventually } from '../support/eventually.ts';
import { runsOf } from '../support/long-run.ts';
import { openEngine } from '../support/open-engine.ts';
import { runSeed, type SeededRandom, seededRandom } from '../support/seeded-random.ts';
import { useFixture } from '../support/use-fixture.ts';
import { checkLog } from './check-log.ts';
import { expectVerdictSoon } from './fault-stage.ts';
import { type FaultRow, faultTable } from './fault-table.ts';
import { enrolSenders, type Load, startLoad } from './load.ts';
import { startServiceUnderFire } from './service-under-fire.ts';

/** Total number of kills: the first five targets cover all processes. */
const KILLS = runsOf(5, 30, 'FAULT_KILLS');
/** Targets of ten kills. MongoDB most often: it holds the acknowledged data. */
const TARGETS = [
  'MongoDB',
  'Redis',
  'api',
  'worker 1',
  'worker 2',
  'MongoDB',
  'MongoDB',
  'Redis',
  'MongoDB',
  'MongoDB',
];
/** Maximum time between two kills, in addition to the time of the kill. */
const MAX_INTERVAL_MS = 600;
/** How long a kill waits for a verdict. */
const VERDICT_WITHIN_MS = 4_000;

describe('kills of processes under load', () => {
  const random = seededRandom(runSeed());
  const rows: FaultRow[] = [];
  const service = useFixture(startServiceUnderFire);
  const connection = useFixture(() => openMongo(service().engines.database.mongoUrl));
  const engine = useFixture(() => openEngine(connection()));
  let load: Load;

  before(async () => {
    const senders = await enrolSenders(engine(), service());
    load = startLoad({ baseUrl: service().baseUrl, senders, random, name: 'fire', clock: Date.now });
  });

  after(async () => {
    await load?.stop();

    process.stdout.write(`\n  kills (seed ${random.seed})\n${faultTable(rows)}\n\n`);
  });

  it(`lose nothing that was acknowledged (seed ${random.seed})`, async () => {
    const started = performance.now();
    const seconds = (): string => ((performance.now() - started) / 1_000).toFixed(2);
    const planned = plannedTargets(random);
    const starting = new Map<string, Promise<unknown>>();
    while (planned.length > 0) {
      // Kill the next target that runs while others are starting; wait when all remaining targets are starting.
      const next = planned.findIndex((name) => !starting.has(name));
      if (next < 0) {
        await Promise.race(starting.values());
        continue;
      }
      const [name = ''] = planned.splice(next, 1);
      const moment = await nextMoment(random, load);
      const { restarted } = await service().kill(service().processes.find((process) => process.name === name)!);
      starting.set(
        name,
        restarted.finally(() => starting.delete(name)),
      );
      rows.push({ fault: name, mode: moment, hits: 1, outcome: `at ${seconds()} s` });
    }
    await Promise.all(starting.values());
    const recovery = performance.now();
    await expectVerdictSoon(load);
    const responses = [...load.responses].map(([response, times]) => `${response}: ${times}`).join(', ');
    expect(service().falls, 'processes that ended by themselves').to.deep.equal([]);
    await load.stop();
    const { ranking } = engine();
    const check = () => checkLog(connection(), ranking, load.acknowledged);
    const { logged, operators } = await eventually('a consistent log', check);
    const took = ((performance.now() - recovery) / 1_000).toFixed(1);
    const outcome = `consistent ${took} s after the last recovery; ${logged} logged by ${operators}; responses ${responses}`;
    rows.push({ fault: `${load.acknowledged.size} acknowledged`, mode: 'end', hits: rows.length, outcome });
    expect(service().falls, 'processes that ended by themselves').to.deep.equal([]);
    expect(load.acknowledged.size, 'acknowledged snapshots').to.be.greaterThan(KILLS);
  });
});

/** The targets in random order, with the shares of TARGETS. */
function plannedTargets(random: SeededRandom): string[] {
  return random.shuffled(Array.from({ length: KILLS }, (_, index) => TARGETS[index % TARGETS.length]!));
}

/**
 * Waits for the time of the next kill: right after a verdict, or any time. Usually the service has recovered by then, so that
 * there is something to lose; sometimes it is still recovering.
 */
async function nextMoment(random: SeededRandom, load: Load): Promise<string> {
  const works = random.integer(0, 4) > 0 && (await inTime(load.nextVerdict()));
  await pause(random.integer(0, MAX_INTERVAL_MS));
  return works && random.integer(0, 1) === 0 && (await inTime(load.nextVerdict())) ? 'after a verdict' : 'any moment';
}

async function inTime(event: Promise<void>): Promise<boolean> {
  const timeout = new AbortController();
  const late = pause(VERDICT_WITHIN_MS, false, { signal: timeout.signal }).catch(() => false);
  const came = await Promise.race([event.then(() => true), late]);
  timeout.abort();
  return came;
}
