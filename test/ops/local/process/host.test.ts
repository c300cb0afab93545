import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { processEnvironment } from '../../../../config/env.ts';

const ENTRY = fileURLToPath(new URL('../../../support/children/host-child.ts', import.meta.url));

describe('the process of an engine', () => {
  let child: ChildProcess;
  let output = '';

  beforeEach(async () => {
    output = '';
    child = fork(ENTRY, {
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: processEnvironment(),
    });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
    expect(await once(child, 'message')).to.deep.include({ type: 'ready' });
  });

  afterEach(() => child.kill('SIGKILL'));

  async function ended(): Promise<{ code: unknown; signal: unknown; output: string }> {
    const [exit] = await Promise.all([once(child, 'exit'), once(child.stdout!, 'end')]);
    const [code, signal]: unknown[] = exit;
    return { code, signal, output };
  }

  it('closes the engine when its parent is gone', async () => {
    child.disconnect();
    expect(await ended()).to.deep.equal({ code: 0, signal: null, output: 'closed\n' });
  });

  it('leaves an interrupt and a hangup of the terminal to its parent', async () => {
    for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) child.kill(signal);
    expect(await ended()).to.deep.equal({ code: 0, signal: null, output: 'closed\n' });
  });
});
