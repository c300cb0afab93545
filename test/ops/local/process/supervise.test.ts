import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { processEnvironment } from '../../../../config/env.ts';
import { freePort } from '../../../../ops/local/free-port.ts';
import type { ChildSpec } from '../../../../ops/local/process/launch.ts';
import { type RestartPolicy, type Supervised, supervise } from '../../../../ops/local/process/supervise.ts';
import { eventually } from '../../../support/eventually.ts';
import { useFolder } from '../../../support/temporary-folder.ts';

const ENTRY = fileURLToPath(new URL('../../../support/children/slow-child.ts', import.meta.url));
const POLICY = { maxEnds: 5, windowMs: 60_000, backoffMs: 1 };

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Kills the process and waits for the expected number of events. */
async function kill(supervised: Supervised, events: readonly string[], expected: number): Promise<void> {
  process.kill(supervised.pid(), 'SIGKILL');
  await eventually(`${expected} events`, () => events.length >= expected);
}

describe('a supervised process', () => {
  const folder = useFolder();

  const pids = async (): Promise<number[]> =>
    (await readFile(join(folder(), 'pids'), 'utf8')).trim().split('\n').map(Number);

  /** A process that exits before it is ready while its folder has a file `failing`. */
  async function simple(): Promise<ChildSpec> {
    const entry = join(folder(), 'program.mjs');
    const [failing, starts] = ['failing', 'pids'].map((name) => JSON.stringify(join(folder(), name)));
    const code = `import { appendFileSync, existsSync } from 'node:fs';
appendFileSync(${starts}, process.pid + '\\n');
if (existsSync(${failing})) process.exit(3);
process.send({ type: 'ready' });
setInterval(() => {}, 1_000);`;
    await writeFile(entry, code);
    const times = { readyWithinMs: 300_000, stopWithinMs: 5_000 };
    return { name: 'simple', entry, env: processEnvironment(), output: 'kept', ...times };
  }

  /** Supervises that process and records its events. */
  async function superviseSimple(policy: RestartPolicy): Promise<[Supervised, string[]]> {
    const events: string[] = [];
    const supervised = await supervise(
      await simple(),
      {
        ended: (name, reason) => events.push(`${name} ${reason}`),
        restarted: (name) => events.push(`${name} restarted`),
        gaveUp: (name, reason) => events.push(`${name} given up: ${reason}`),
      },
      policy,
    );
    return [supervised, events];
  }

  it('is not restarted once it may end', async () => {
    const [supervised, events] = await superviseSimple(POLICY);
    supervised.letEnd();
    const pid = supervised.pid();
    expect(isAlive(pid), 'it runs on').to.equal(true);
    process.kill(pid, 'SIGKILL');
    await supervised.stop();
    expect(events).to.deep.equal([]);
    expect(await pids()).to.deep.equal([pid]);
  });

  it('is restarted when it exits, until it exited too often within the window', async () => {
    const [supervised, events] = await superviseSimple({ ...POLICY, maxEnds: 3 });
    const first = supervised.pid();
    await kill(supervised, events, 2);
    expect(isAlive(supervised.pid())).to.equal(true);
    expect(supervised.pid()).to.not.equal(first);
    await kill(supervised, events, 4);
    await kill(supervised, events, 5);
    await supervised.stop();
    expect(events).to.deep.equal([
      'simple was ended by SIGKILL',
      'simple restarted',
      'simple was ended by SIGKILL',
      'simple restarted',
      'simple given up: was ended by SIGKILL',
    ]);
  });

  it('is killed and restarted when it runs and answers nothing, and not again soon after', async () => {
    const entry = join(folder(), 'serving.mjs');
    const code = `import { createServer } from 'node:http';
createServer((_request, response) => response.end()).listen(Number(process.argv[2]), '127.0.0.1', () => process.send({ type: 'ready' }));`;
    await writeFile(entry, code);
    const port = await freePort();
    const events: string[] = [];
    const supervised = await supervise(
      {
        name: 'serving',
        entry,
        args: [String(port)],
        env: processEnvironment(),
        readyWithinMs: 300_000,
        stopWithinMs: 100,
        liveUrl: `http://127.0.0.1:${port}/`,
        output: 'kept',
      },
      {
        ended: (_name, reason) => events.push(reason),
        silent: (name) => events.push(`${name} is silent`),
        restarted: () => events.push('restarted'),
        gaveUp: () => events.push('given up'),
      },
      POLICY,
      { everyMs: 20, silentMs: 200, apartMs: 600_000 },
    );
    process.kill(supervised.pid(), 'SIGSTOP');
    await eventually('the restart', () => events.includes('restarted'));
    expect(events).to.deep.equal(['serving is silent', 'was ended by SIGKILL', 'restarted']);
    const second = supervised.pid();
    process.kill(second, 'SIGSTOP');
    const asked = performance.now();
    await eventually('more silence than the first time', () => performance.now() - asked > 1_000);
    expect([supervised.pid(), ...events.slice(3)]).to.deep.equal([second]);
    await supervised.stop();
  });

  it('is restarted without limit when its exits are far apart', async () => {
    const [supervised, events] = await superviseSimple({ maxEnds: 2, windowMs: 1, backoffMs: 10 });
    await kill(supervised, events, 2);
    await kill(supervised, events, 4);
    await supervised.stop();
    expect(events.filter((event) => event === 'simple restarted')).to.have.length(2);
  });

  it('is given up when its restarts fail', async () => {
    const [supervised, events] = await superviseSimple({ ...POLICY, maxEnds: 3 });
    await writeFile(join(folder(), 'failing'), '');
    await kill(supervised, events, 3);
    await supervised.stop();
    expect(events).to.deep.equal([
      'simple was ended by SIGKILL',
      'simple simple ended with status 3',
      'simple given up: simple ended with status 3',
    ]);
  });

  it('is not restarted after a stop, although a restart was pending', async () => {
    const [supervised, events] = await superviseSimple({ ...POLICY, backoffMs: 60_000 });
    await kill(supervised, events, 1);
    await supervised.stop();
    expect(await pids()).to.have.length(1);
    expect(events).to.deep.equal(['simple was ended by SIGKILL']);
  });

  it('is stopped while it is being restarted', async () => {
    const restarts: number[] = [];
    const supervised = await supervise(
      {
        name: 'slow',
        entry: ENTRY,
        args: [folder()],
        env: processEnvironment(),
        readyWithinMs: 300_000,
        stopWithinMs: 5_000,
        output: 'kept',
      },
      {
        ended: () => undefined,
        restarted: (_name, pid) => restarts.push(pid),
        gaveUp: () => undefined,
      },
      POLICY,
    );
    await writeFile(join(folder(), 'slow'), '');
    process.kill(supervised.pid(), 'SIGKILL');
    const second = await eventually('the next process', async () => (await pids())[1]);
    const stopped = supervised.stop();
    await writeFile(join(folder(), 'go'), '');
    await stopped;
    expect(isAlive(second)).to.equal(false);
    expect(restarts).to.deep.equal([]);
  });
});
