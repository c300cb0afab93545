import { expect } from 'chai';
import { createLifecycle } from '../../../ops/runtime/lifecycle.ts';

interface Line {
  readonly message: string;
  readonly details: object;
}

function lifecycleWithLog() {
  const lines: Line[] = [];
  const report = (details: object, message: string) => void lines.push({ details, message });
  return { lines, lifecycle: createLifecycle({ log: { info: report, error: report }, deadlineMs: 60_000 }) };
}

describe('a lifecycle', () => {
  it('closes resources one after another in reverse order', async () => {
    const { lifecycle } = lifecycleWithLog();
    const closed: string[] = [];
    for (const name of ['store', 'queue', 'server']) {
      lifecycle.onClose(name, async () => {
        await new Promise(setImmediate);
        closed.push(name);
      });
    }
    expect(await lifecycle.close('test')).to.equal(true);
    expect(closed).to.deep.equal(['server', 'queue', 'store']);
  });

  it('closes once for repeated calls', async () => {
    const { lifecycle } = lifecycleWithLog();
    let times = 0;
    lifecycle.onClose('counted', () => void (times += 1));
    expect(await Promise.all([lifecycle.close('one'), lifecycle.close('two')])).to.deep.equal([true, true]);
    await lifecycle.close('three');
    expect(times).to.equal(1);
  });

  it('continues after a resource that fails and one that never closes, and reports both', async () => {
    const { lifecycle, lines } = lifecycleWithLog();
    let closed = false;
    lifecycle.onClose('first', () => void (closed = true));
    lifecycle.onClose('broken', () => Promise.reject(new Error('no such thing')));
    lifecycle.onClose('stuck', () => new Promise(() => {}), 20);
    expect(await lifecycle.close('test')).to.equal(false);
    expect(closed).to.equal(true);
    const problems = lines
      .filter(({ message }) => message === 'a resource did not close')
      .map(({ details }) => details);
    expect(problems).to.deep.equal([
      { resource: 'stuck', problem: 'took longer than 20 ms' },
      { resource: 'broken', problem: 'no such thing' },
    ]);
  });

  it('aborts its signal when closing begins', async () => {
    const { lifecycle } = lifecycleWithLog();
    let abortedBefore = false;
    lifecycle.onClose('loop', () => void (abortedBefore = lifecycle.signal.aborted));
    expect(lifecycle.signal.aborted).to.equal(false);
    await lifecycle.close('test');
    expect(abortedBefore).to.equal(true);
  });

  it('closes resources that are registered during or after closing', async () => {
    const { lifecycle } = lifecycleWithLog();
    const closed: string[] = [];
    lifecycle.onClose('early', () => {
      lifecycle.onClose('late', () => void closed.push('late'));
    });
    await lifecycle.close('test');
    lifecycle.onClose('too late', () => void closed.push('too late'));
    expect(closed).to.deep.equal(['late', 'too late']);
  });
});
