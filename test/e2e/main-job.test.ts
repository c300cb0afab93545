import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { z } from 'zod';
import { processEnvironment } from '../../config/env.ts';
import { freePort } from '../../ops/local/free-port.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { eventually } from '../support/eventually.ts';
import { processesOf } from '../support/starter.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What README begins with, against the service of a data folder. */
const DEMO = ['--import', 'tsx', 'ops/demo.ts'];
const BOARD = z.object({
  total_operators: z.number(),
  entries: z.array(z.object({ codename: z.string(), rank: z.number(), yield_: z.number(), platform: z.string() })),
});

describe('the main job, as described in the README', () => {
  let dataDir: string;
  let environment: Record<string, string>;
  let base: string;

  before(async () => {
    dataDir = await makeDataFolder('upsilon-main-job-');
    const port = await freePort();
    base = `http://localhost:${port}/api/v1`;
    const { MONGODB_URL: _mongo, REDIS_URL: _redis, UPSILON_TOKEN: _token, ...rest } = processEnvironment();
    const own = { DATA_DIR: dataDir, PORT: String(port), METRICS_PORT: String(await freePort()) };
    environment = { ...withoutUndefined(rest), ...own };
  });

  after(() => rm(dataDir, { recursive: true, force: true }));

  function program(args: readonly string[]): ChildProcess {
    return spawn(process.execPath, args, {
      cwd: ROOT,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async function start(): Promise<ChildProcess> {
    const child = program(['--import', 'tsx', 'ops/start.ts']);
    let output = '';
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    const ended = once(child, 'close').then(() => {
      throw new Error(`it ended: ${output}`);
    });
    ended.catch(() => undefined);
    const isReady = () => output.includes('Upsilon is ready');
    await Promise.race([ended, eventually('readiness', isReady)]).catch((cause: unknown) => {
      throw new Error(`it is not ready: ${output}`, { cause });
    });
    return child;
  }

  async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
    child.kill(signal);
    await once(child, 'close');
    await eventually('the end of every process', async () => (await processesOf(dataDir)).length === 0);
  }

  async function board(): Promise<z.infer<typeof BOARD>> {
    return BOARD.parse(await (await fetch(`${base}/leaderboard?window=all_time&limit=10`)).json());
  }

  it('leads from usage logs to a rank, which survives a stop, a kill and restarts', async () => {
    const first = await start();
    const output = await outputOf(program(DEMO));
    expect(output).to.include('Dry run:').and.include('nova-7 is rank 1 of 1').and.not.include('UPSILON_TOKEN');
    expect(output.endsWith(`\nOpen ${new URL('/operators/nova-7', base).href}\n`)).to.equal(true);
    const published = await eventually('a board with the operator', async () => {
      const seen = await board();
      return seen.total_operators === 1 ? seen : null;
    });
    const { input, written, cache_read } = { input: 2_580, written: 53_970, cache_read: 430_500 };
    expect(published.entries).to.deep.equal([
      { codename: 'nova-7', rank: 1, yield_: (cache_read * written) / (input * input), platform: 'claude-code' },
    ]);
    expect(await outputOf(program(DEMO))).to.include('No new counts since your last submission.');
    await stop(first, 'SIGTERM');

    const second = await start();
    expect(await board()).to.deep.equal(published);
    await stop(second, 'SIGKILL');

    const third = await start();
    expect(await board()).to.deep.equal(published);
    const profile = await fetch(`${base}/operators/NOVA-7`);
    expect(profile.status).to.equal(200);
    expect(await outputOf(program([...DEMO, 'zeta-11']))).to.include('zeta-11 is rank 1 of 2');
    await stop(third, 'SIGINT');
  });
});

async function outputOf(child: ChildProcess): Promise<string> {
  let output = '';
  let complaints = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const [status] = await once(child, 'close');
  expect(status, complaints).to.equal(0);
  return output;
}

function withoutUndefined(variables: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
