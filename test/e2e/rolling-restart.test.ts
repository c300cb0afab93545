import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { LIMITS } from '../../config/limits.ts';
import { openMongo } from '../../engine/mongo/index.ts';
import { startOwnEngines } from '../faults/own-engines.ts';
import { expectSteady } from '../support/expect-steady.ts';
import { runsOf } from '../support/long-run.ts';
import { startServiceProcesses } from '../support/service-processes.ts';
import { enrolSteadySenders, HANG_UP, RESET, startSteadyLoad } from '../support/steady-load.ts';
import { useFixture } from '../support/use-fixture.ts';

const SENDERS = runsOf(4, 24);
const ROUNDS = runsOf(1, 4);
/** Time with all processes running before each replacement. */
const BETWEEN_MS = 700;

describe('a rolling restart of two api processes and two workers under load', () => {
  const engines = useFixture(startOwnEngines);
  const service = useFixture(() => startServiceProcesses({ ...engines().database, apis: 2, workers: 2 }));
  const connection = useFixture(() => openMongo(engines().database.mongoUrl));

  it('serves every client that retries at the other process, loses nothing and decides everything once', async () => {
    const load = startSteadyLoad(service().bases, await enrolSteadySenders(connection(), SENDERS, service()));
    const { apis, workers } = service();
    /** When a process stopped to listen, from when on it closed idle connections, and when its successor ran. */
    const closings: Array<readonly [since: number, from: number, until: number]> = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const process of [apis[0]!, workers[0]!, apis[1]!, workers[1]!]) {
        await pause(BETWEEN_MS);
        // A process that misses its deadline, or has a resource that closes too slowly, exits with another status.
        const since = Date.now();
        const exit = await process.stop();
        expect(exit.code, `${process.name} in round ${round}: ${exit.reason}`).to.equal(0);
        await process.start();
        closings.push([since, since + LIMITS.shutdown.idleGraceMs, Date.now()]);
      }
    }
    await pause(BETWEEN_MS);
    await load.stop();
    const answers = Object.fromEntries(load.answers);
    process.stdout.write(`\n  ${load.acknowledged.size} acknowledged, answers ${JSON.stringify(answers)}\n\n`);
    // While a process is replaced, connections are refused, or reset if it has not accepted them, and a client may use an idle one just
    // as it is closed; all other requests return 200.
    const { 200: _acknowledged, ECONNREFUSED: _refused, [HANG_UP]: _closed, [RESET]: _reset, ...others } = answers;
    expect(others, 'other responses').to.deep.equal({});
    const early = load.hangUps.filter((at) => !closings.some(([, from, until]) => from <= at && at <= until));
    expect(early, 'closed before idle connections are').to.deep.equal([]);
    const unexpected = load.resets.filter((at) => !closings.some(([since, , until]) => since <= at && at <= until));
    expect(unexpected, 'reset while no process is replaced').to.deep.equal([]);
    expect(load.acknowledged.size).to.be.greaterThan(SENDERS * ROUNDS);
    await expectSteady(connection(), service().bases[0]!, load);
  });
});
