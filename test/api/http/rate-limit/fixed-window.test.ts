import { expect } from 'chai';
import * as fc from 'fast-check';
import { ClientTable } from '../../../../api/http/rate-limit/client-table.ts';
import { FixedWindow } from '../../../../api/http/rate-limit/fixed-window.ts';
import { TEST_NOW } from '../../../support/test-api.ts';

const POLICY = { name: 'public', quota: 3, windowMs: 60_000 };

const open = (policy = POLICY): FixedWindow => new FixedWindow(policy, new ClientTable(16), 0);

/** Processes that share counts of one client through a sum, as through Redis. */
class Processes {
  readonly windows: readonly FixedWindow[];
  admitted = 0;
  messages = 0;
  #total = 0;

  constructor(count: number, quota: number, windowMs = POLICY.windowMs) {
    this.windows = Array.from({ length: count }, () => open({ name: 'public', quota, windowMs }));
    for (const window of this.windows) window.processes = count;
  }

  request(process: number): void {
    if (this.windows[process]!.take('a', TEST_NOW).allowed) this.admitted += 1;
  }

  exchange(process: number): void {
    const window = this.windows[process]!;
    for (const { key, by } of window.takeIncrements(TEST_NOW)) {
      this.messages += 1;
      this.#total += by;
      window.recordTotal(window.window, key, this.#total);
    }
  }
}

describe('api: a rate policy in its window', () => {
  it('allows the quota in each window, and each client its own', () => {
    const window = open();
    const taken = (key: string, now: number) => window.take(key, now).allowed;
    expect([1, 2, 3, 4].map((_, index) => taken('a', TEST_NOW + index))).to.deep.equal([true, true, true, false]);
    expect(taken('b', TEST_NOW)).to.equal(true);
    expect(taken('a', TEST_NOW + 59_999)).to.equal(false);
    expect(taken('a', TEST_NOW + 60_000)).to.equal(true);
  });

  it('reports what remains and when the window ends', () => {
    const window = open();
    expect(window.take('a', TEST_NOW)).to.deep.equal({ allowed: true, remaining: 2, resetSeconds: 60 });
    expect(window.peek('a', TEST_NOW + 59_999)).to.deep.equal({ allowed: true, remaining: 2, resetSeconds: 1 });
  });

  it('begins again when the clock is set back', () => {
    const window = open();
    for (let count = 0; count < 3; count++) window.take('a', TEST_NOW);
    expect(window.take('a', TEST_NOW - 60_000).allowed).to.equal(true);
  });

  it('admits at most half a quota more in n processes, and what each gets between two exchanges', () => {
    const step = fc.record({ process: fc.nat({ max: 7 }), requests: fc.nat({ max: 5 }) });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 80 }),
        fc.array(step, { minLength: 50, maxLength: 300 }),
        (count, quota, steps) => {
          const processes = new Processes(count, quota);
          let [asked, most] = [0, 0];
          for (const { process, requests } of steps) {
            for (let request = 0; request < requests; request++) processes.request(process % count);
            processes.exchange(process % count);
            asked += requests;
            most = Math.max(most, requests);
          }
          const unshared = count === 1 ? 0 : Math.max(1, Math.floor(quota / (2 * count))) - 1 + most;
          expect(processes.admitted).to.be.at.most(Math.min(count * quota, quota + count * unshared));
          expect(processes.admitted).to.be.at.least(Math.min(asked, quota));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('sends nothing about clients far from their quota, nor while there is one process', () => {
    for (const [count, sent] of [
      [1, 0],
      [2, 1],
      [4, 2],
    ] as const) {
      const processes = new Processes(count, 60);
      for (let request = 0; request < 15; request++) {
        processes.request(0);
        processes.exchange(0);
      }
      expect(processes.messages, `${count} processes`).to.equal(sent);
    }
  });

  it('sends every request where a restart must forget none', () => {
    const processes = new Processes(1, 60, 60_001);
    for (let request = 0; request < 3; request++) {
      processes.request(0);
      processes.exchange(0);
    }
    expect(processes.messages).to.equal(3);
  });

  it('keeps what it counted when the sum is lost', () => {
    const window = open();
    window.processes = 4;
    window.take('a', TEST_NOW);
    window.take('a', TEST_NOW);
    for (const { key } of window.takeIncrements(TEST_NOW)) window.recordTotal(window.window, key, 0);
    expect(window.peek('a', TEST_NOW).remaining).to.equal(1);
  });
});
