import { expect } from 'chai';
import { Redis } from 'ioredis';
import { createRateLimiter, type RateLimiter } from '../../../../api/http/rate-limit/rate-limiter.ts';
import { RATE_POLICIES, type RatePolicy } from '../../../../api/http/rate-limit/rate-policy.ts';
import { type CountSharing, shareCounts } from '../../../../api/http/rate-limit/share-counts.ts';
import { freshDatabase } from '../../../support/engines.ts';
import { openTestApi, TEST_NOW } from '../../../support/test-api.ts';

const POLICY = { name: 'public', quota: 3, windowMs: 60_000 };

/** Requests of client `a` that a limiter of quota 10 knows of. */
function used(limiter: RateLimiter): number {
  return 10 - Number(limiter.peek('public', 'a').headers['RateLimit-Remaining']);
}

describe('api: rate limits', () => {
  describe('of several processes', () => {
    let redis: Redis;
    /** A second connection, which one test interrupts. */
    let own: Redis;
    let prefix: string;
    const sharings: CountSharing[] = [];

    before(async () => {
      const database = await freshDatabase();
      redis = new Redis(database.redisUrl);
      own = redis.duplicate();
      prefix = database.prefix;
    });

    after(async () => {
      await Promise.all(sharings.map((sharing) => sharing.stop()));
      await Promise.all([redis.quit(), own.quit()]);
    });

    /** A limiter as one process has it; its policies are this test's own, so that no other test counts along. */
    function open(
      name: string,
      now: () => number,
      client: Pick<Redis, 'pipeline'> = redis,
      { quota = 10, windowMs = 60_000 }: Partial<RatePolicy> = {},
    ) {
      const policy = { name, quota, windowMs };
      const limiter = createRateLimiter({ ...RATE_POLICIES, public: policy }, now);
      const errors: unknown[] = [];
      const sharing = shareCounts({
        windows: new Map([[name, limiter.windows.get('public')!]]),
        redis: client,
        clock: now,
        prefix,
        onError: (error) => errors.push(error),
      });
      sharings.push(sharing);
      return { limiter, sharing, errors };
    }

    /** What Redis was sent so far. */
    async function traffic(): Promise<{ readonly commands: number; readonly bytes: number }> {
      const stats = await redis.info('stats');
      const numberOf = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(stats)?.[1]);
      return { commands: numberOf('total_commands_processed'), bytes: numberOf('total_net_input_bytes') };
    }

    function take({ limiter }: ReturnType<typeof open>, count: number): void {
      for (let index = 0; index < count; index += 1) limiter.take('public', 'a');
    }

    it('add up as a client comes near its quota, and start again with the window', async () => {
      let now = TEST_NOW;
      const [one, two] = [open('both', () => now), open('both', () => now)];
      take(one, 4);
      take(two, 5);
      await one.sharing.exchange();
      await two.sharing.exchange();
      expect([used(one.limiter), used(two.limiter)]).to.deep.equal([4, 9]);
      take(one, 2);
      await one.sharing.exchange();
      expect(used(one.limiter)).to.equal(10);
      expect(one.limiter.take('public', 'a').allowed).to.equal(false);
      take(two, 1);
      expect(two.limiter.take('public', 'a').allowed).to.equal(false);
      now += 60_000;
      expect(one.limiter.take('public', 'a').allowed).to.equal(true);
      await one.sharing.exchange();
      expect(used(one.limiter)).to.equal(1);
    });

    it('forget nothing while Redis is away, and count alone meanwhile', async () => {
      const one = open('away', () => TEST_NOW, own);
      const two = open('away', () => TEST_NOW);
      own.disconnect();
      take(one, 10);
      await one.sharing.exchange();
      expect(one.errors).to.have.length(1);
      expect(one.limiter.take('public', 'a').allowed).to.equal(false);
      await own.connect();
      await one.sharing.exchange();
      take(two, 2);
      await two.sharing.exchange();
      expect(two.limiter.take('public', 'a').allowed).to.equal(false);
    });

    it('send Redis a few commands for a hundred thousand clients far from their quotas', async () => {
      const processes = [
        open('many', () => TEST_NOW, redis, { quota: 60 }),
        open('many', () => TEST_NOW, redis, { quota: 60 }),
      ];
      for (let client = 0; client < 100_000; client++) {
        const address = `10.${client >> 16}.${(client >> 8) & 0xff}.${client & 0xff}`;
        for (const { limiter } of processes)
          for (let request = 0; request < 3; request++) limiter.take('public', address);
      }
      const before = await traffic();
      for (const { sharing } of processes) await sharing.exchange();
      const after = await traffic();
      expect(after.commands - before.commands).to.be.within(1, 100);
      expect(after.bytes - before.bytes).to.be.within(1, 100 * 1_024);
    });

    it('keep what must outlive a process when it stops', async () => {
      const day = { windowMs: 86_400_000 };
      const [one, two] = [open('day', () => TEST_NOW, redis, day), open('day', () => TEST_NOW, redis, day)];
      take(one, 7);
      await one.sharing.stop();
      take(two, 1);
      await two.sharing.exchange();
      expect(used(two.limiter)).to.equal(8);
    });

    it('leave nothing in Redis for ever', async () => {
      const one = open('expiring', () => TEST_NOW, redis, { windowMs: 60_001 });
      one.limiter.take('public', 'a');
      await one.sharing.exchange();
      const keys = await redis.keys(`${prefix}:rate:*`);
      expect(keys).to.include(`${prefix}:rate:expiring:${Math.floor(TEST_NOW / 60_001)}`);
      for (const key of keys) expect(await redis.pttl(key), key).to.be.above(0);
    });
  });

  describe('of the api', () => {
    const rates = { ...RATE_POLICIES, public: { ...POLICY, quota: 60 }, failures: { ...POLICY, name: 'failures' } };
    const LEADERBOARD = '/api/v1/leaderboard';

    it('are 60 public reads in 60 seconds, reported in both forms on every response', async () => {
      await using test = await openTestApi({ settings: { rates } });
      const paths = [LEADERBOARD, '/api/v1/operators/nobody', `${LEADERBOARD}?limit=0`, '/api/v1/nowhere'];
      for (let index = 0; index < 60; index += 1) {
        const { status, headers } = await test.get(paths[index % paths.length] ?? '');
        expect(status).to.not.equal(429);
        expect(headers.get('ratelimit-policy')).to.equal('"public";q=60;w=60');
        expect(headers.get('ratelimit')).to.equal(`"public";r=${59 - index};t=60`);
        expect(headers.get('ratelimit-limit')).to.equal('60');
        expect(headers.get('ratelimit-remaining')).to.equal(String(59 - index));
        expect(headers.get('ratelimit-reset')).to.equal('60');
        expect(headers.get('retry-after')).to.equal(null);
      }
      test.now += 15_500;
      for (const path of paths) {
        const { status, headers, json } = await test.get(path);
        expect(status, path).to.equal(429);
        expect(json).to.deep.include({ code: 'rate_limited', status: 429 });
        expect(headers.get('content-type')).to.match(/^application\/problem\+json/);
        expect(headers.get('retry-after')).to.equal('45');
        expect(headers.get('ratelimit')).to.equal('"public";r=0;t=45');
        expect(headers.get('ratelimit-remaining')).to.equal('0');
        expect(headers.get('cache-control')).to.equal('no-store');
      }
      expect((await test.send(LEADERBOARD, { method: 'HEAD' })).status).to.equal(429);
      expect((await test.get('/health/live')).status).to.equal(200);
      test.now += 45_000;
      expect((await test.get(LEADERBOARD)).status).to.equal(200);
    });

    it('are by client address, believed from trusted proxies alone', async () => {
      const few = { ...rates, public: { ...POLICY, quota: 1 } };
      const localhost = { address: '127.0.0.1', prefix: 32, family: 'ipv4' } as const;
      await using test = await openTestApi({ settings: { rates: few, trustedProxies: [localhost] } });
      const from = async (address: string) => (await test.get(LEADERBOARD, { 'x-forwarded-for': address })).status;
      expect(await from('198.51.100.1')).to.equal(200);
      expect(await from('198.51.100.1')).to.equal(429);
      expect(await from('9.9.9.9, 198.51.100.1')).to.equal(429);
      expect(await from('198.51.100.2')).to.equal(200);
      expect(await from('2001:db8::1')).to.equal(200);
      expect(await from('2001:db8::2')).to.equal(429);
    });

    it('are by operator for what needs a token', async () => {
      const few = {
        ...rates,
        snapshots: { ...POLICY, name: 'snapshots', quota: 2 },
        operator: { ...POLICY, name: 'operator', quota: 2 },
      };
      await using test = await openTestApi({ settings: { rates: few } });
      const [one, two] = [await test.operator('busy-one'), await test.operator('calm-one')];
      const statuses: number[] = [];
      for (let index = 0; index < 3; index += 1) {
        const answered = await test.post('/api/v1/snapshots', one.token, test.snapshot(one));
        statuses.push(answered.status);
        expect(answered.headers.get('ratelimit-policy')).to.equal('"snapshots";q=2;w=60');
      }
      expect(statuses).to.deep.equal([200, 200, 429]);
      expect((await test.post('/api/v1/snapshots', two.token, test.snapshot(two))).status).to.equal(200);
      const authorization = `Bearer ${one.token}`;
      for (const status of [200, 200, 429]) {
        expect((await test.get('/api/v1/devices', { authorization })).status).to.equal(status);
      }
      for (const path of ['/api/v1/snapshots/some-jti', '/api/v1/devices']) {
        expect((await test.get(path, { authorization })).status, path).to.equal(429);
      }
      const enrol = await test.post('/api/v1/devices', one.token, {});
      const revoke = await test.send(`/api/v1/devices/${one.key.kid}`, {
        method: 'DELETE',
        headers: { authorization },
      });
      expect([enrol.status, revoke.status]).to.deep.equal([429, 429]);
    });

    it('stop those who guess tokens, and no good token that comes from their address for the first time', async () => {
      await using test = await openTestApi({ settings: { rates: { ...rates, operator: RATE_POLICIES.operator } } });
      const guess = async () => (await test.get('/api/v1/devices', { authorization: 'Bearer guess' })).status;
      for (let count = 0; count < 3; count++) expect(await guess()).to.equal(401);
      expect(await guess()).to.equal(429);
      const honest = await test.operator('honest-newcomer');
      expect((await test.post('/api/v1/snapshots', honest.token, test.snapshot(honest))).status).to.equal(200);
      expect(await guess()).to.equal(429);
    });

    it('ask no store again for a token that verifies and was refused a moment ago', async () => {
      let reads = 0;
      await using test = await openTestApi({
        settings: { rates: { ...rates, operator: RATE_POLICIES.operator } },
        context: ({ accounts }) => ({
          accounts: {
            ...accounts,
            bySubject: (subject) => {
              reads += 1;
              return accounts.bySubject(subject);
            },
          },
        }),
      });
      const authorization = `Bearer ${await test.token(4_711)}`;
      const ask = async () => (await test.get('/api/v1/devices', { authorization })).status;
      for (let count = 0; count < 3; count++) expect(await ask()).to.equal(401);
      const before = reads;
      for (let count = 0; count < 3; count++) expect(await ask()).to.equal(429);
      expect(reads).to.equal(before);
    });

    it('stop guessing of tokens, but not clients at the same address whose tokens were valid before', async () => {
      await using test = await openTestApi({ settings: { rates: { ...rates, operator: RATE_POLICIES.operator } } });
      const neighbour = await test.operator('good-neighbour');
      const authorization = `Bearer ${neighbour.token}`;
      expect((await test.get('/api/v1/devices', { authorization })).status).to.equal(200);
      const guess = async () => (await test.get('/api/v1/devices', { authorization: 'Bearer guess' })).status;
      expect([await guess(), await guess(), await guess(), await guess()]).to.deep.equal([401, 401, 401, 429]);
      expect((await test.get(LEADERBOARD)).status).to.equal(200);
      expect((await test.get('/api/v1/devices', { authorization })).status).to.equal(200);
    });
  });
});
