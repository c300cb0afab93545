import { expect } from 'chai';
import * as fc from 'fast-check';
import { ClientTable } from '../../../../api/http/rate-limit/client-table.ts';
import { createRateLimiter } from '../../../../api/http/rate-limit/rate-limiter.ts';
import { LIMITS } from '../../../../config/limits.ts';
import { settledHeap } from '../../../abuse/support/settled-heap.ts';

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

/** The key by which a client is counted once a small table is full of clients of its kind. */
function shared(clients: (n: number) => string): string {
  const table = new ClientTable(1_024);
  table.advance(1);
  for (let n = 0; n < 1_100; n++) table.claim(0, table.keyToCount(clients(n)));
  return table.keyToCount(clients(5_000));
}

describe('api: the table of clients', () => {
  it('counts as a map would, in windows of each length', () => {
    const take = fc.record({
      policy: fc.constantFrom('short' as const, 'long' as const, 'slow' as const),
      client: fc.nat({ max: 40 }).map(other),
      passedMs: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.nat({ max: WINDOW_MS * 2 })),
    });
    fc.assert(
      fc.property(fc.array(take, { minLength: 100, maxLength: 400 }), (takes) => {
        let now = 0;
        const limiter = createRateLimiter(POLICIES, 128, () => now);
        const model = new Map<string, number>();
        for (const { policy, client, passedMs } of takes) {
          now += passedMs;
          const { quota, windowMs } = POLICIES[policy];
          const key = `${policy} ${Math.floor(now / windowMs)} ${client}`;
          const before = model.get(key) ?? 0;
          expect(limiter.peek(policy, client).remaining).to.equal(quota - before);
          const { allowed, remaining } = limiter.take(policy, client);
          model.set(key, Math.min(quota, before + 1));
          expect([allowed, remaining]).to.deep.equal([before < quota, quota - model.get(key)!]);
        }
      }),
    );
  });

  it('counts a thousand clients exactly while a flood from one network exceeds it', () => {
    const rounds = fc.array(fc.record({ flood: fc.nat({ max: 8_000 }), others: fc.nat({ max: 400 }) }), {
      minLength: 8,
      maxLength: 16,
    });
    fc.assert(
      fc.property(rounds, fc.nat({ max: 65_535 }), (sizes, start) => {
        const limiter = createRateLimiter(POLICIES, 8_192, () => 0);
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

  it('lets the clients of the smallest full network share a count', () => {
    expect(shared((n) => `2001:db8:1:${n.toString(16)}/64`)).to.equal('2001:db8:1/48');
    expect(shared((n) => `2001:db8:${n.toString(16)}:1/64`)).to.equal('2001:db8/32');
    expect(shared((n) => `198.51.100.${n}`)).to.equal('198.51.100/24');
    expect(shared((n) => `2001:${n.toString(16)}:1:1/64`)).to.equal('2001:1388:1:1/64');
    expect(shared(String), 'operators').to.equal('5000');
  });

  it('counts clients together for whom no slot is left, by policy', () => {
    const limiter = createRateLimiter(POLICIES, 4, () => 0);
    const taken = (policy: 'short' | 'long') =>
      Array.from({ length: 30 }, (_, n) => limiter.take(policy, String(n)).allowed).filter(Boolean).length;
    expect(taken('short')).to.equal(8 + POLICIES.short.quota);
    expect(taken('long')).to.equal(POLICIES.long.quota);
  });

  it('forgets windows whose number a slot can hold no longer', () => {
    const table = new ClientTable(16);
    table.advance(0);
    table.count(table.claim(0, 'a'));
    for (let window = 1; window <= 300; window++) {
      table.advance(window);
      expect(table.find(0, 'a'), `window ${window}`).to.equal(-1);
    }
  });

  it('counts a million clients exactly in 64 MB', async () => {
    // Buffers of other tests that were collected meanwhile would count as negative.
    await settledHeap();
    const before = process.memoryUsage();
    const table = new ClientTable(LIMITS.rate.trackedClients);
    table.advance(0);
    let exact = 0;
    for (let n = 0; n < 1_000_000; n++) {
      const client = `${n % 251}.${n % 241}.${n >> 10}.${n & 0x3ff}`;
      if (table.count(table.claim(0, table.keyToCount(client))) === 1) exact += 1;
    }
    expect(exact).to.equal(1_000_000);
    const { arrayBuffers } = process.memoryUsage();
    expect(arrayBuffers - before.arrayBuffers).to.be.within(1, 64_000_000);
  });
});
