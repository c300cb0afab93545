import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { expect } from 'chai';
import { childProgram } from '../../../support/child-programs.ts';
import { eventually } from '../../../support/eventually.ts';

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
}

/** Starts a process with a lifecycle and waits for its `ready` line. */
async function start(manner: string, parent: 'with a parent' | 'alone') {
  const child = spawn(process.execPath, [await childProgram('lifecycle'), manner], {
    stdio: ['ignore', 'pipe', 'pipe', ...(parent === 'with a parent' ? (['ipc'] as const) : [])],
  });
  let output = '';
  const ended = endOf(child).then(([code, signal]): Ended => ({ code, signal, output }));
  const messages: unknown[] = [];
  child.on('message', (message) => messages.push(message));
  await new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
        if (output.includes('"msg":"ready"')) resolve();
      });
    }
  });
  return { child, ended, messages, printed: () => output };
}

/** Resolves when the process has exited and its output has been read. */
async function endOf(child: ChildProcess): Promise<[number | null, NodeJS.Signals | null]> {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const exit = new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    child.once('exit', (code, signal) => resolve([code, signal]));
  });
  await Promise.all(streams.map((stream) => finished(stream)));
  return exit;
}

describe('a process with a lifecycle', () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    it(`closes on ${signal} when it runs alone`, async () => {
      const { child, ended } = await start('well', 'alone');
      child.kill(signal);
      const { code, output } = await ended;
      expect(code).to.equal(0);
      expect(output).to.contain(`"reason":"${signal}"`).and.to.contain('"msg":"closed"');
    });
  }

  it('reports readiness to its parent', async () => {
    const { child, ended, messages } = await start('well', 'with a parent');
    if (messages.length === 0) await once(child, 'message');
    expect(messages).to.deep.equal([{ type: 'ready', manner: 'well' }]);
    child.kill('SIGTERM');
    expect((await ended).code).to.equal(0);
  });

  it('closes when its parent exits', async () => {
    const { child, ended } = await start('well', 'with a parent');
    child.disconnect();
    const { code, output } = await ended;
    expect(code).to.equal(0);
    expect(output).to.contain('the parent process exited');
  });

  it("leaves a terminal's Ctrl-C to its parent", async () => {
    const { child, ended } = await start('well', 'with a parent');
    child.kill('SIGINT');
    child.kill('SIGTERM');
    const { code, output } = await ended;
    expect(code).to.equal(0);
    expect(output).to.contain('"reason":"SIGTERM"').and.to.not.contain('SIGINT');
  });

  it('ends at its deadline when something stays open', async () => {
    const { child, ended } = await start('stuck', 'alone');
    child.kill('SIGTERM');
    const { code, output } = await ended;
    expect(code).to.equal(1);
    expect(output).to.contain('not closed within the deadline');
  });

  it('exits immediately at the second signal', async () => {
    const { child, ended, printed } = await start('stuck', 'alone');
    child.kill('SIGINT');
    await eventually('closing', () => printed().includes('"msg":"closing"'));
    child.kill('SIGINT');
    const { code, output } = await ended;
    expect(code).to.equal(1);
    expect(output).to.not.contain('deadline');
  });

  it('closes and fails on an uncaught error', async () => {
    const { ended } = await start('throws', 'alone');
    const { code, output } = await ended;
    expect(code).to.equal(1);
    expect(output).to.contain('uncaught error').and.to.contain('"msg":"closed"');
  });
});
