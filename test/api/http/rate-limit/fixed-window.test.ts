import { expect } from 'chai';
import * as fc from 'fast-check';
import { FixedWindow } from '../../../../api/http/rate-limit/fixed-window.ts';
import { createRateLimiter } from '../../../../api/http/rate-limit/rate-limiter.ts';
import { TEST_NOW } from '../../../support/test-api.ts';

const WINDOW_MS = 60_000;
const POLICIES = {
  short: { name: 'short', quota: 2, windowMs: WINDOW_MS },
  long: { name: 'long', quota: 5, windowMs: WINDOW_MS },
  slow: { name: 'slow', quota: 3, windowMs: WINDOW_MS * 3 },
};

/** The client number `n` of an IPv6 /32 that has 256 /48s. */
const inFlood = (n: number): string => `2001:db8:${(n & 0xff).toString(16)}:${(n >> 8).toString(16)}/64`;

/** The client number `n` of the others, each in an IPv4 /24 or IPv6 /32 that no other is in. */
const other = (n: number): string => (n % 2 === 0 ? `10.${n >> 8}.${n & 0xff}.1` : `2a00:${n.toString(16)}:1:1/64`);

/** Whether a new client shares the count of others of its kind, of which a limiter is full. */
function share(clients: (n: number) => string): boolean {
  const limiter = createRateLimiter(POLICIES, () => 0, 1_024);
  for (let n = 0; n < 1_100; n++) limiter.take('long', clients(n));
  return limiter.peek('long', clients(5_000)).remaining < POLICIES.long.quota;
}

/** Processes that share counts of one client through a sum, as through Redis. */
class Processes {
  readonly windows: readonly FixedWindow[];
  admitted = 0;
  messages = 0;
  #total = 0;

  constructor(count: number, quota: number, windowMs = WINDOW_MS) {
    const policy = { name: 'public', quota, windowMs };
    this.windows = Array.from({ length: count }, () => new FixedWindow(policy, { exact: 16, taken: 0 }));
  }

  request(process: number): void {
    if (this.windows[process]!.left('a', TEST_NOW, true) >= 0) this.admitted += 1;
  }

  exchange(process: number): void {
    const window = this.windows[process]!;
    for (const { key, by } of window.takeIncrements()) {
      this.messages += 1;
      this.#total += by;
      window.recordTotal(window.window, key, this.#total);
    }
  }
}

describe('api: a rate policy in its window', () => {
  it('counts as a map would, in windows of each length', () => {
    const take = fc.record({
      policy: fc.constantFrom('short' as const, 'long' as const, 'slow' as const),
      client: fc.nat({ max: 40 }).map(other),
      passedMs: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.nat({ max: WINDOW_MS * 2 })),
    });
    fc.assert(
      fc.property(fc.array(take, { minLength: 100, maxLength: 400 }), (takes) => {
        let now = 0;
        const limiter = createRateLimiter(POLICIES, () => now, 128);
        const model = new Map<string, number>();
        for (const { policy, client, passedMs } of takes) {
          now += passedMs;
          const { quota, windowMs } = POLICIES[policy];
          const key = `${policy} ${Math.floor(now / windowMs)} ${client}`;
          const before = model.get(key) ?? 0;
          const peeked = limiter.peek(policy, client);
          expect([peeked.allowed, peeked.remaining]).to.deep.equal([before < quota, quota - before]);
          const { allowed, remaining, resetSeconds } = limiter.take(policy, client);
          model.set(key, Math.min(quota, before + 1));
          expect([allowed, remaining]).to.deep.equal([before < quota, quota - model.get(key)!]);
          expect(resetSeconds).to.equal(Math.ceil((windowMs - (now % windowMs)) / 1000));
        }
      }),
    );
  });

  it('begins again when the clock is set back', () => {
    let now = TEST_NOW;
    const limiter = createRateLimiter(POLICIES, () => now);
    expect([1, 2, 3].map(() => limiter.take('short', 'a').allowed)).to.deep.equal([true, true, false]);
    now -= WINDOW_MS;
    expect(limiter.take('short', 'a').allowed).to.equal(true);
  });

  it('counts a thousand clients exactly while a flood from one network exceeds it', () => {
    const rounds = fc.array(fc.record({ flood: fc.nat({ max: 8_000 }), others: fc.nat({ max: 400 }) }), {
      minLength: 8,
      maxLength: 16,
    });
    fc.assert(
      fc.property(rounds, fc.nat({ max: 65_535 }), (sizes, start) => {
        const limiter = createRateLimiter(POLICIES, () => 0, 8_192);
        const model = new Map<string, number>();
        let flood = start;
        for (const size of [...sizes, { flood: 16_000, others: 1_000 }]) {
          for (let n = 0; n < size.flood; n++) limiter.take('short', inFlood(flood++));
          for (let n = 0; n < size.others; n++) {
            const client = other(n);
            const used = Math.min(POLICIES.short.quota, (model.get(client) ?? 0) + 1);
            model.set(client, used);
            expect(limiter.take('short', client).remaining, client).to.equal(POLICIES.short.quota - used);
          }
        }
        expect(model).to.have.property('size', 1_000);
        for (let n = 0; n < 4; n++) limiter.take('short', inFlood(flood++));
        expect(limiter.peek('short', inFlood(flood)).allowed, 'another client of the flood').to.equal(false);
        expect(limiter.take('short', inFlood(flood)).allowed).to.equal(false);
        expect(limiter.peek('short', inFlood(start)).remaining, 'its first client').to.equal(1);
      }),
      { numRuns: 5 },
    );
  });

  it('lets the clients of a full network share a count, and no others', () => {
    expect(share((n) => `2001:db8:1:${n.toString(16)}/64`)).to.equal(true);
    expect(share((n) => `2001:db8:${n.toString(16)}:1/64`)).to.equal(true);
    expect(share((n) => `198.51.100.${n}`)).to.equal(true);
    expect(share((n) => `2001:${n.toString(16)}:1:1/64`)).to.equal(false);
    expect(share(String), 'operators').to.equal(false);
  });

  it('counts clients together for whom no place is left, by policy, until the window ends', () => {
    let now = 0;
    const limiter = createRateLimiter(POLICIES, () => now, 4);
    const taken = (policy: 'short' | 'long') =>
      Array.from({ length: 30 }, (_, n) => limiter.take(policy, String(n)).allowed).filter(Boolean).length;
    expect(taken('short')).to.equal(8 + POLICIES.short.quota);
    expect(taken('long')).to.equal(POLICIES.long.quota);
    now += WINDOW_MS;
    expect(limiter.peek('short', 'any').remaining).to.equal(POLICIES.short.quota);
    expect(taken('long')).to.equal(8 + POLICIES.long.quota);
  });

  it('admits at most an eighth of a quota more for each of n processes, and what each gets between two exchanges', () => {
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
          const unshared = count === 1 ? 0 : Math.ceil(quota / 8) - 1 + most;
          expect(processes.admitted).to.be.at.most(Math.min(count * quota, quota + count * unshared));
          expect(processes.admitted).to.be.at.least(Math.min(asked, quota));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('sends nothing about clients far from their quota, but every request where a restart must forget none', () => {
    for (const [windowMs, sent] of [
      [WINDOW_MS, 1],
      [WINDOW_MS + 1, 15],
    ] as const) {
      const processes = new Processes(2, 80, windowMs);
      for (let request = 0; request < 15; request++) {
        processes.request(0);
        processes.exchange(0);
      }
      expect(processes.messages).to.equal(sent);
    }
  });

  it('keeps what it counted when the sum is lost, and shares again what could not be shared', () => {
    const window = new FixedWindow({ ...POLICIES.long, quota: 8 }, { exact: 16, taken: 0 });
    for (let count = 0; count < 2; count++) window.left('a', TEST_NOW, true);
    const increments = window.takeIncrements();
    expect(increments).to.deep.equal([{ key: 'a', by: 2 }]);
    window.returnIncrements(window.window, increments);
    window.left('a', TEST_NOW, true);
    expect(window.takeIncrements()).to.deep.equal([{ key: 'a', by: 3 }]);
    expect(window.takeIncrements()).to.deep.equal([]);
    window.recordTotal(window.window, 'a', 0);
    expect(window.left('a', TEST_NOW, false)).to.equal(5);
  });

  it('adds what came while counts were exchanged to the sum of all processes', () => {
    const window = new FixedWindow({ ...POLICIES.long, quota: 8 }, { exact: 16, taken: 0 });
    for (let count = 0; count < 2; count++) window.left('a', TEST_NOW, true);
    expect(window.takeIncrements()).to.deep.equal([{ key: 'a', by: 2 }]);
    window.left('a', TEST_NOW, true);
    window.recordTotal(window.window, 'a', 4);
    expect(window.left('a', TEST_NOW, false)).to.equal(8 - 4 - 1);
  });
});
