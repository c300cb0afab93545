import { expect } from 'chai';
import { processEnvironment } from '../../../config/env.ts';
import { MS_PER_SECOND } from '../../../config/units.ts';
import { type Figure, figure } from '../../../ops/bench/frame/bench.ts';
import { figureCells, textTable } from '../../../ops/bench/frame/text-table.ts';
import { commitName, machineName } from '../../../ops/bench/frame/trees.ts';
import { DRILLS as PART, recordRun } from '../../../ops/bench/proof/recorded-parts.ts';
import { leaveOut } from '../../support/leave-out.ts';
import { runsOf } from '../../support/long-run.ts';
import { runSeed, seededRandom } from '../../support/seeded-random.ts';
import { useSuiteFolder } from '../../support/temporary-folder.ts';
import { findOpenssl } from '../../support/test-certificate.ts';
import { useFixture } from '../../support/use-fixture.ts';
import { openDrillStage } from './drill-stage.ts';
import { DRILLS } from './drills.ts';
import { isQuiet } from './prometheus.ts';
import { ALERTMANAGER, BLACKBOX, PROMETHEUS } from './tools.ts';

/** Factor by which the durations of the shipped files are shortened. */
const FASTER = Number(processEnvironment()['DRILL_FASTER'] ?? '30');
/** Drills of a run; those of a short one follow each other in the table from a seeded place on. */
const COUNT = runsOf(2, DRILLS.length, 'DRILLS');
/** Limit for a notification, in milliseconds: the longest of the rules is a quarter of an hour; some checks are not shortened. */
const WITHIN_MS = 60_000 + 1_200_000 / FASTER;
/** Limit of the time from a fault to its notification, in seconds: what is not shortened, and what is. */
const LIMIT_S = Math.ceil(60 + 400 / FASTER);

const openssl = await findOpenssl();

describe('drills under a real Prometheus', function () {
  this.timeout(4 * WITHIN_MS);
  if (PROMETHEUS === null || ALERTMANAGER === null || BLACKBOX === null) {
    leaveOut('prometheus', 'there is no Prometheus, Alertmanager or blackbox exporter on this machine');
    return;
  }
  if (openssl === null) return leaveOut('openssl', 'there is no openssl on this machine');
  const programs = { prometheus: PROMETHEUS, alertmanager: ALERTMANAGER, blackbox: BLACKBOX, openssl };
  const folder = useSuiteFolder();
  const stage = useFixture(() => openDrillStage(programs, folder(), FASTER));
  const figures: Figure[] = [figure('durations in the files, divided by', FASTER, '')];

  after(() => {
    process.stdout.write(`\n${textTable([['drill', 'seconds', '', 'limit', ''], ...figures.map(figureCells)])}\n\n`);
    if (COUNT < DRILLS.length) return;
    const date = new Date().toISOString();
    recordRun(PART, () => ({ figures, date, commit: commitName(), machine: machineName(), details: null }));
  });

  const first = COUNT < DRILLS.length ? seededRandom(runSeed()).integer(0, DRILLS.length - 1) : 0;
  for (let turn = 0; turn < COUNT; turn++) {
    const { fault, alert, receiver, cause } = DRILLS[(first + turn) % DRILLS.length]!;
    it(`${fault}: ${alert} for ${receiver}, until it is remedied`, async function () {
      const { prometheus, alertmanager } = stage();
      await prometheus.alerts(isQuiet, WITHIN_MS);
      let since = alertmanager.notified.length;
      const secondsTo = async (status: 'firing' | 'resolved', from: number): Promise<number> => {
        await alertmanager.hears({ receiver, alert, status }, since, WITHIN_MS);
        since = alertmanager.notified.length;
        return (performance.now() - from) / MS_PER_SECOND;
      };
      const begun = performance.now();
      const remedy = await cause(stage());
      if (remedy === null) return this.skip();
      let fired = Number.NaN;
      try {
        fired = await secondsTo('firing', begun);
      } finally {
        await remedy();
      }
      figures.push(figure(`${fault}: ${alert} (${receiver})`, fired, 's', { atMost: LIMIT_S }));
      figures.push(figure(`${fault}: resolved`, await secondsTo('resolved', performance.now()), 's'));
    });
  }

  it('lost nothing that was acknowledged', async () => {
    const { prometheus, load, reads, connection } = stage();
    await prometheus.alerts(isQuiet, WITHIN_MS);
    await load.stop();
    const ids = [...load.acknowledged.keys()];
    const stored = await connection.collection<{ _id: string }>('snapshots').countDocuments({ _id: { $in: ids } });
    const [asked, read] = [[...reads.values()].reduce((sum, count) => sum + count, 0), reads.get('200') ?? 0];
    const kept = { ratio: stored / ids.length, peer: 'of those acknowledged', atLeast: 1 };
    figures.push(figure('snapshots in the log', stored, '', kept));
    figures.push(figure('reads of the board with 200', read, '', { ratio: read / asked, peer: 'of those sent' }));
    expect(stored).to.equal(ids.length);
  });
});
