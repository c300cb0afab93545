import { once } from 'node:events';
import { expect } from 'chai';
import { createCallGate } from '../../../api/mcp/call-gate.ts';

/** A call that ends when it is told to. */
function openCall<T>(value: T) {
  const ending = new AbortController();
  const ended = once(ending.signal, 'abort');
  let started = false;
  return {
    end: () => ending.abort(),
    started: () => started,
    call: async (): Promise<T> => {
      started = true;
      await ended;
      return value;
    },
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('mcp: the gate of calls', () => {
  it('lets in as many as may run, the others in turn, and refuses those there is no room for', async () => {
    const gate = createCallGate({ running: 2, waiting: 2 });
    const calls = [0, 1, 2, 3].map(openCall);
    const answers = calls.map(({ call }) => gate.run(call));
    expect(await gate.run(async () => 'too many')).to.equal(null);
    await settled();
    expect(calls.map(({ started }) => started())).to.deep.equal([true, true, false, false]);
    calls[1]!.end();
    await settled();
    expect(calls.map(({ started }) => started())).to.deep.equal([true, true, true, false]);
    for (const { end } of calls) end();
    expect(await Promise.all(answers)).to.deep.equal([0, 1, 2, 3]);
    expect(await gate.run(async () => 'room again')).to.equal('room again');
  });

  it('goes on after a call that fails', async () => {
    const gate = createCallGate({ running: 1, waiting: 1 });
    const failing = gate.run(() => Promise.reject(new Error('gone')));
    const next = gate.run(async () => 'next');
    expect(await failing.catch((error: unknown) => String(error))).to.equal('Error: gone');
    expect(await next).to.equal('next');
  });
});
