import { readFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { RATE_POLICIES } from '../../api/http/rate-limit/rate-policy.ts';
import { MINUTE_MS } from '../../config/units.ts';
import { openMongo } from '../../engine/mongo/index.ts';
import { freshDatabase } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { startServiceProcesses } from '../support/service-processes.ts';
import { enrolSteadySenders, startSteadyLoad } from '../support/steady-load.ts';
import { useFixture } from '../support/use-fixture.ts';

const PROCESSES = 2;

interface Response {
  readonly status: number;
  readonly body: string;
}

/** A request on a connection of its own, which the next process in turn takes. */
function ask(url: string): Promise<Response> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ keepAlive: false });
    get(url, { agent }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    }).on('error', reject);
  });
}

async function childrenOf(pid: number): Promise<number[]> {
  return (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean).map(Number);
}

const SETTINGS = { API_PROCESSES: String(PROCESSES) };

describe('api: two processes behind one address', () => {
  const database = useFixture(freshDatabase);
  const wishes = { apis: 1, workers: 1, settings: SETTINGS, apiProgram: 'watchedApi' } as const;
  const service = useFixture(() => startServiceProcesses({ ...database(), ...wishes }));
  const connection = useFixture(() => openMongo(database().mongoUrl));

  let base: string;

  before(async () => {
    [base = ''] = service().bases;
  });
  const load = useFixture(async () =>
    startSteadyLoad(service().bases, await enrolSteadySenders(connection(), 8, service())),
  );

  const api = () => service().apis[0]!;

  it('answer in turn, with the metrics of both at one port', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => (await ask(`${base}/leaderboard`)).status),
    );
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
    const { body } = await ask(`http://127.0.0.1:${Number(api().details['metricsPort'])}/metrics`);
    const counted = body.matchAll(
      /^upsilon_http_request_seconds_count\{[^}]*route="getLeaderboard"[^}]*process="(\d+)"[^}]*\} (\d+)$/gm,
    );
    const byProcess = new Map(Array.from(counted, ([, process = '', count]) => [process, Number(count)]));
    expect([...byProcess.keys()].toSorted()).to.deep.equal(['1', '2']);
    expect([...byProcess.values()].every((count) => count > 0)).to.equal(true);
  });

  it('show every board to both', async () => {
    await eventually('a verdict', () => [...load().acknowledged.values()].includes(true));
    await eventually('the same operators from both', async () => {
      const boards = await Promise.all([ask(`${base}/leaderboard`), ask(`${base}/leaderboard`)]);
      return boards.every(({ body }) => JSON.parse(body).total_operators === 8);
    });
  });

  it('share the counts of clients', async () => {
    const { quota } = RATE_POLICIES.public;
    const began = performance.now();
    let allowed = 0;
    for (let refused = 0; refused < PROCESSES; ) {
      const answers = [await ask(`${base}/nowhere`), await ask(`${base}/nowhere`)];
      refused = answers.filter(({ status }) => status === 429).length;
      allowed += answers.length - refused;
    }
    // On a busy machine the quota may come back meanwhile.
    const minutes = Math.ceil((performance.now() - began) / MINUTE_MS);
    expect(allowed).to.be.at.most(minutes * PROCESSES * quota);
  });

  it('replace one that runs and gives no sign of life', async () => {
    const [silent = 0, other] = await childrenOf(api().pid);
    process.kill(silent, 'SIGSTOP');
    const present = await eventually('another process', async () => {
      const children = await childrenOf(api().pid);
      return children.length === PROCESSES && !children.includes(silent) && children;
    });
    expect(present).to.include(other);
  });

  it('lose nothing that was acknowledged when one is killed, and are two again', async () => {
    const former = await childrenOf(api().pid);
    expect(former).to.have.length(PROCESSES);
    process.kill(former[0]!, 'SIGKILL');
    const present = await eventually('another process', async () => {
      const children = await childrenOf(api().pid);
      return children.length === PROCESSES && !children.includes(former[0]!) && children;
    });
    const before = load().acknowledged.size;
    await eventually('more acknowledgements', () => load().acknowledged.size > before + 16);
    await load().stop();
    const ids = [...load().acknowledged.keys()];
    const stored = await connection()
      .collection<{ _id: string }>('snapshots')
      .countDocuments({ _id: { $in: ids } });
    expect(stored).to.equal(ids.length);
    expect(() => process.kill(former[0]!, 0)).to.throw('ESRCH');
    expect(present).to.include(former[1]);
  });

  it('close the connection that was passed to one that is killed before it takes it', async () => {
    const [frozen = 0] = await childrenOf(api().pid);
    process.kill(frozen, 'SIGSTOP');
    const outcomes: (number | string)[] = [];
    const asked = Array.from({ length: 4 }, () =>
      ask(`${base}/leaderboard`)
        .then(({ status }) => status, String)
        .then((outcome) => outcomes.push(outcome)),
    );
    await eventually('the responses of the other process', () => outcomes.length === 3);
    process.kill(frozen, 'SIGKILL');
    await eventually('the end of its connection', () => outcomes.length === asked.length);
    expect(outcomes.slice(0, 3)).to.deep.equal([200, 200, 200]);
    expect(outcomes[3]).to.be.oneOf(['Error: read ECONNRESET', 'Error: socket hang up']);
  });

  it('stop in order', async () => {
    const children = await childrenOf(api().pid);
    const { code } = await api().stop();
    expect(code).to.equal(0);
    for (const pid of children) expect(() => process.kill(pid, 0)).to.throw('ESRCH');
  });
});
