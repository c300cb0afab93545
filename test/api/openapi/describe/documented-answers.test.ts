import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import * as z from 'zod';
import { ratePolicies } from '../../../../api/http/rate-limit/rate-policy.ts';
import { loadConfig } from '../../../../config/config.ts';
import { processEnvironment } from '../../../../config/env.ts';
import type { BoardOverview } from '../../../../engine/ranking/index.ts';
import { makeDeviceKey, makeDeviceProof } from '../../../support/signing.ts';
import { setUpPrices } from '../../../support/stripe/set-up-prices.ts';
import { StripeStandIn } from '../../../support/stripe/stripe-stand-in.ts';
import { type Answered, openTestApi, TEST_NOW, type TestApi, type TestOperator } from '../../../support/test-api.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { startFacilitator } from '../../../support/x402/local-facilitator.ts';
import { presented, signPayment } from '../../../support/x402/payments.ts';
import { scriptedFacilitator } from '../../../support/x402/scripted-facilitator.ts';
import { documentedAnswers, operationIdOf } from '../../conformance.ts';

const PAYEE = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const payer = privateKeyToAccount(generatePrivateKey());

/** Every policy lets one request through. */
const NARROW_RATES = ratePolicies({ quota: 1 });

/** One request of every documented operation. */
const REQUESTS: readonly (readonly [method: string, path: string, access: 'public' | 'operator'])[] = [
  ['GET', '/api/v1/leaderboard', 'public'],
  ['GET', '/api/v1/operators/documented-one', 'public'],
  ['GET', '/api/v1/operators/documented-one/history', 'public'],
  ['GET', '/api/v1/operators/documented-one/snapshots', 'public'],
  ['GET', '/api/v1/operators?prefix=doc', 'public'],
  ['GET', '/api/v1/boards', 'public'],
  ['GET', '/api/v1/standing?yield=1', 'public'],
  ['POST', '/api/v1/snapshots', 'operator'],
  ['POST', '/api/v1/billing/subscribe', 'operator'],
  ['GET', '/api/v1/snapshots/some-entry-of-the-log', 'operator'],
  ['GET', '/api/v1/streams', 'operator'],
  ['GET', '/api/v1/devices', 'operator'],
  ['POST', '/api/v1/devices', 'operator'],
  ['DELETE', '/api/v1/devices/no-such-device', 'operator'],
  ['GET', '/api/v1/me', 'operator'],
  ['PATCH', '/api/v1/me', 'operator'],
  ['DELETE', '/api/v1/me', 'operator'],
  ['POST', '/api/v1/leagues', 'operator'],
  ['GET', '/api/v1/leagues', 'operator'],
  ['GET', '/api/v1/leagues/some-league', 'public'],
  ['GET', '/api/v1/leagues/some-league/leaderboard', 'public'],
  ['PATCH', '/api/v1/leagues/some-league', 'operator'],
  ['DELETE', '/api/v1/leagues/some-league', 'operator'],
  ['POST', '/api/v1/leagues/some-league/join', 'operator'],
  ['DELETE', '/api/v1/leagues/some-league/members/somebody', 'operator'],
  ['GET', '/api', 'public'],
  ['GET', '/api/analytics/tiers', 'public'],
  ['GET', '/api/analytics/distribution', 'public'],
  ['GET', '/api/analytics/export', 'public'],
];

const SOLD: readonly (readonly [path: string, units: bigint])[] = [
  ['/api', 10_000n],
  ['/api/analytics/tiers', 10_000n],
  ['/api/analytics/distribution', 20_000n],
  ['/api/analytics/export', 100_000n],
];

/** A board that the schema of answers refuses. */
function spoilt(view: BoardOverview): BoardOverview {
  return { ...view, totals: { ...view.totals, all_time: -1 } };
}

function expectStatus(answered: Answered, status: number, what: string): void {
  expect(answered.status, `${what}: ${answered.text.slice(0, 300)}`).to.equal(status);
}

const GOLDEN = 'api/site/assets/samples.json';

/** The members of a value, without its texts and numbers, which differ from run to run. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]));
}

function gone(): never {
  throw new Error('no primary');
}

/** Every answer is held against the description as it comes; here each documented one has to come at all. */
/** What tokens of apps that others made are refused for. */
const OWNERS_ACTS: ReadonlySet<string> = new Set([
  'eraseMe',
  'changeMe',
  'enrolDevice',
  'revokeDevice',
  'createLeague',
  'listLeagues',
  'changeLeague',
  'deleteLeague',
  'joinLeague',
  'removeMember',
]);

describe('api: every documented answer', () => {
  const produced = new Set<string>();
  const samples = new Map<string, object>();
  const facilitator = useFixture(() => startFacilitator(scriptedFacilitator()));
  const stripe = useFixture(() => StripeStandIn.open(() => well?.now ?? TEST_NOW));
  let well: TestApi;

  before(async () => {
    await setUpPrices(stripe());
    const { premium } = loadConfig({ X402_PAY_TO: PAYEE, X402_FACILITATOR_URL: facilitator().url });
    well = await openTestApi({
      settings: { enforcePlan: true, billing: stripe().billing(), premium: premium && { ...premium, rpcUrl: null } },
    });
    well.now = Date.now();
  });

  after(() => well[Symbol.asyncDispose]());

  async function ask(test: TestApi, method: string, path: string, token?: string, body?: unknown, more = {}) {
    const headers: Record<string, string> = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(method === 'POST' || method === 'PATCH' ? { 'content-type': 'application/json' } : {}),
      ...more,
    };
    const answered = await test.send(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const operation = operationIdOf(method, path, test.settings) ?? '';
    produced.add(`${operation} ${answered.status}`);
    if (answered.status < 300 && path.startsWith('/api/v1') && !samples.has(operation)) {
      const sent = body === undefined ? {} : { body };
      samples.set(operation, {
        path: path.replace('/api/v1', ''),
        status: answered.status,
        ...sent,
        response: answered.json,
      });
    }
    return answered;
  }

  async function payment(units: bigint): Promise<Record<string, string>> {
    const seconds = Math.floor(well.now / 1_000);
    const terms = { to: PAYEE, units, validAfter: seconds - 60, validBefore: seconds + 300 } as const;
    return { ...presented(await signPayment(payer, terms)) };
  }

  it('of reads: what is there, and what is not', async () => {
    const one = await well.operator('documented-one');
    const { operator } = one;
    await well.accounts.setPlan(operator, 'granted');
    const counts = { input: 2_580, output: 53_970, cache_read: 430_500, cache_write: 210_000, platform: 'claude-code' };
    await well.post('/api/v1/snapshots', one.token, well.snapshot(one, counts));
    await well.ranking.operators.amend(operator, { open: true });
    await well.publish();
    for (const [path, status] of [
      ['/leaderboard', 200],
      ['/leaderboard?limit=0', 400],
      ['/leaderboard?around=nobody-here', 404],
      ['/leaderboard?platform=codex', 200],
      ['/leaderboard?platform=no-such-tool', 400],
      ['/boards', 200],
      ['/boards?page=2', 400],
      ['/standing?yield=1', 200],
      ['/standing', 400],
      ['/standing?yield=1&without=nobody-here', 404],
      ['/operators?prefix=doc', 200],
      ['/operators', 400],
      ['/operators/documented-one', 200],
      ['/operators/documented-one?at=2020-01-01', 400],
      ['/operators/nobody-here', 404],
      ['/operators/documented-one/history', 200],
      ['/operators/documented-one/history?window=1d', 400],
      ['/operators/nobody-here/history', 404],
      ['/operators/documented-one/snapshots', 200],
      ['/operators/documented-one/snapshots?before=a&before=b', 400],
      ['/operators/nobody-here/snapshots', 404],
    ] as const) {
      expectStatus(await ask(well, 'GET', `/api/v1${path}`), status, path);
    }
  });

  it('of an operator: from the first snapshot to the last wish', async () => {
    const operator: TestOperator = await well.operator('documented-two');
    const { token, codename } = operator;
    const v1 = (method: string, path: string, status: number, body?: unknown): Promise<void> =>
      ask(well, method, `/api/v1${path}`, token, body).then((answered) => expectStatus(answered, status, path));
    await v1('POST', '/snapshots', 402, well.snapshot(operator));
    await v1('POST', '/billing/subscribe', 200, {});
    await well.accounts.setPlan(operator.operator, 'granted');
    well.now += 60_000;
    const jti = 'documented-entry-of-the-log';
    await v1('POST', '/snapshots', 200, well.snapshot(operator, {}, { jti }));
    await v1('GET', `/snapshots/${jti}`, 200);
    await v1('GET', '/snapshots/nothing-of-this-name-there', 404);
    await v1('GET', '/streams', 200);
    await v1('GET', '/devices', 200);
    const key = makeDeviceKey();
    const proof = (): string => makeDeviceProof(key, { codename, iat: Math.floor(well.now / 1_000) });
    await v1('POST', '/devices', 201, { jwk: key.jwk, proof: proof() });
    await v1('POST', '/devices', 200, { jwk: key.jwk, proof: proof() });
    await v1('DELETE', `/devices/${key.kid}`, 204);
    await v1('DELETE', '/devices/no-such-device', 404);
    await v1('GET', '/me', 200);
    await v1('PATCH', '/me', 200, { display_name: 'Documented' });
    await v1('DELETE', '/me', 200);
  });

  it('of leagues', async () => {
    const owner = await well.operator('documented-six');
    const member = await well.operator('documented-seven');
    await well.accounts.setPlan(member.operator, 'granted');
    await ask(well, 'POST', '/api/v1/snapshots', member.token, well.snapshot(member));
    await well.publish();
    const of = async (token: string | undefined, method: string, path: string, status: number, body?: object) => {
      const answered = await ask(well, method, `/api/v1/leagues${path}`, token, body);
      expectStatus(answered, status, `${method} ${path}`);
      return z.object({ slug: z.string(), code: z.string() }).partial().catch({}).parse(answered.json);
    };
    const { slug, code } = await of(owner.token, 'POST', '', 201, { name: 'Documented', visibility: 'public' });
    await of(owner.token, 'GET', '', 200);
    for (const path of ['', '/leaderboard']) {
      await of(undefined, 'GET', `/${slug}${path}`, 200);
      await of(undefined, 'GET', `/nowhere${path}`, 404);
      await of(undefined, 'GET', `/${slug}${path}?page=2`, 400);
    }
    await of(member.token, 'POST', `/${slug}/join`, 200, { code });
    await of(member.token, 'POST', `/nowhere/join`, 404, { code });
    for (const [method, path, status, body] of [
      ['PATCH', '', 200, { name: 'Described' }],
      ['DELETE', '/members/documented-seven', 204],
      ['DELETE', '', 204],
    ] as const) {
      await of(owner.token, method, `/nowhere${path}`, 404, body);
      await of(owner.token, method, `/${slug}${path}`, status, body);
    }
  });

  it('of what is sold: bought, unpaid for, and not to be had', async () => {
    for (const [path, units] of SOLD) {
      expectStatus(await ask(well, 'GET', path), 402, path);
      expectStatus(await ask(well, 'GET', path, undefined, undefined, await payment(units)), 200, path);
    }
    const nowhere = '/api/analytics/distribution?platform=nobody-uses-this';
    expectStatus(await ask(well, 'GET', nowhere, undefined, undefined, await payment(20_000n)), 404, nowhere);
  });

  it('of requests that are wrong, or without a token', async () => {
    const { token, operator } = await well.operator('documented-three');
    const ofAnApp = await well.token(operator, { clientId: 'an-app' });
    for (const [method, path, access] of REQUESTS) {
      if (access === 'public') continue;
      const wrong = `${path}?access_token=${token}`;
      expectStatus(await ask(well, method, wrong, token), 400, path);
      expectStatus(await ask(well, method, path), 401, path);
    }
    for (const [method, path] of REQUESTS) {
      if (!OWNERS_ACTS.has(operationIdOf(method, path, well.settings) ?? '')) continue;
      expectStatus(await ask(well, method, path, ofAnApp), 403, path);
    }
    const unreadable = { 'payment-signature': 'no payment' };
    for (const [path] of SOLD) {
      expectStatus(await ask(well, 'GET', path, undefined, undefined, unreadable), 400, path);
    }
  });

  it('of too many requests', async () => {
    await using narrow = await openTestApi({ settings: { rates: NARROW_RATES } });
    const { token } = await narrow.operator('documented-four');
    for (const [method, path, access] of REQUESTS) {
      const send = (): Promise<Answered> => ask(narrow, method, path, access === 'public' ? undefined : token);
      await send();
      expectStatus(await send(), 429, `${method} ${path}`);
    }
  });

  it('of a service whose stores are gone', async () => {
    await using broken = await openTestApi({
      settings: { premium: loadConfig({ X402_PAY_TO: PAYEE }).premium },
      context: ({ accounts, board }) => ({
        accounts: {
          ...accounts,
          bySubject: async () => gone(),
          leagues: {
            ...accounts.leagues,
            visible: async () => gone(),
            board: async () => gone(),
            invitation: async () => gone(),
          },
        },
        board: {
          ...board,
          view: () => spoilt(board.view()),
          page: async () => gone(),
          standing: async () => gone(),
          profile: async () => gone(),
          history: async () => gone(),
          withBoardView: async () => gone(),
        },
      }),
    });
    broken.now = well.now;
    const { token } = await broken.operator('documented-five');
    for (const [method, path, access] of REQUESTS) {
      // Without a facilitator, what is sold cannot be paid for.
      const units = SOLD.find(([sold]) => sold === path)?.[1];
      const headers = units === undefined ? {} : await payment(units);
      const body = path.endsWith('/invitation') ? { code: 'a-code' } : undefined;
      const answered = await ask(broken, method, path, access === 'public' ? undefined : token, body, headers);
      expectStatus(answered, 500, `${method} ${path}`);
    }
  });

  it('of the first request of each operation is in the reference', () => {
    const made = Object.fromEntries([...samples].toSorted(([one], [other]) => (one < other ? -1 : 1)));
    if (processEnvironment()['UPDATE_GOLDEN'] === '1') writeFileSync(GOLDEN, `${JSON.stringify(made, null, 1)}\n`);
    expect(shapeOf(JSON.parse(readFileSync(GOLDEN, 'utf8')))).to.deep.equal(shapeOf(made));
    const documented = new Set(documentedAnswers(well.settings).map((answer) => answer.split(' ', 1)[0] ?? ''));
    const sold = new Set(['getPremiumApiAccess', 'getTierPopulations', 'getFieldDistribution', 'getBoardExport']);
    expect([...documented].filter((operation) => !samples.has(operation) && !sold.has(operation))).to.deep.equal([]);
  });

  it('comes', () => {
    const expected = documentedAnswers(well.settings);
    expect(expected.length).to.be.greaterThan(80);
    expect(expected.filter((answer) => !produced.has(answer))).to.deep.equal([]);
  });
});
