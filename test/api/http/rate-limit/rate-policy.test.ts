import { expect } from 'chai';
import { RATE_POLICIES, ratePolicies, STATED_POLICIES } from '../../../../api/http/rate-limit/rate-policy.ts';
import type { Route } from '../../../../api/http/route.ts';
import { servedRoutes } from '../../../../api/routes.ts';
import { readable } from '../../../../api/site/render/numbers.ts';
import { TEST_SETTINGS } from '../../../support/api-context.ts';
import { openTestApi, type TestApi } from '../../../support/test-api.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

/** What is asked, and the policy under which it counts. */
const ASKED = [
  ['/api/v1/leaderboard', 'public'],
  ['/api/v1/nowhere', 'public'],
  ['/developers', 'pages'],
  ['/nowhere', 'pages'],
  ['/llms.txt', 'documents'],
  ['/.well-known/oauth-protected-resource', 'documents'],
  ['/badge/shown-one.svg', 'images'],
  ['/preview.png', 'images'],
] as const;

async function openField(rates = RATE_POLICIES): Promise<TestApi> {
  const test = await openTestApi({ settings: { rates } });
  for (const codename of ['shown-one', 'shown-two', 'shown-three']) await test.ranking.operators.enrol({ codename });
  await test.publish();
  return test;
}

function callMcp(test: TestApi, headers: Readonly<Record<string, string>> = {}) {
  const accept = 'application/json, text/event-stream';
  const all = { 'content-type': 'application/json', accept, ...headers };
  return test.send('/mcp', { method: 'POST', headers: all, body: JSON.stringify(LIST) });
}

describe('rate policies', () => {
  it('count apart from each other, and name themselves in the headers', async () => {
    for (const key of new Set(ASKED.map(([, policy]) => policy))) {
      await using test = await openField({ ...RATE_POLICIES, [key]: { ...RATE_POLICIES[key], quota: 0 } });
      for (const [other, policy] of ASKED) {
        const { status, headers } = await test.get(other);
        expect(headers.get('ratelimit-policy'), other).to.match(new RegExp(`^"${policy}";`));
        expect(status === 429, `${other} after the end of ${key}`).to.equal(policy === key);
      }
    }
  });

  it('let one address read kept badges without end, but not have new ones made', async () => {
    await using test = await openField({ ...RATE_POLICIES, renders: { ...RATE_POLICIES.renders, quota: 2 } });
    const statusOf = async (codename: string) => (await test.get(`/badge/${codename}.svg`)).status;
    expect([await statusOf('shown-one'), await statusOf('shown-two')]).to.deep.equal([200, 200]);
    const refused = await test.get('/badge/shown-three.svg');
    expect([refused.status, refused.headers.get('ratelimit-policy')]).to.deep.equal([429, '"renders";q=2;w=60']);
    const { quota } = RATE_POLICIES.images;
    const statuses = new Set<number>();
    for (let count = 3; count < 400; count += 1) statuses.add(await statusOf('shown-one'));
    expect([...statuses]).to.deep.equal([200]);
    expect((await test.get('/badge/shown-one.svg')).headers.get('ratelimit-remaining')).to.equal(String(quota - 400));
  });

  it('count MCP messages by operator where a token is valid, and by address otherwise', async () => {
    await using test = await openTestApi({ settings: { rates: ratePolicies({ quota: 1 }) } });
    const [one, two] = [await test.operator('caller-one'), await test.operator('caller-two')];
    const statusOf = async (authorization?: string) =>
      (await callMcp(test, authorization === undefined ? {} : { authorization })).status;
    for (const status of [200, 429]) {
      expect(await statusOf(), 'without a token').to.equal(status);
      expect(await statusOf(`Bearer ${one.token}`), 'one').to.equal(status);
      expect(await statusOf(`Bearer ${two.token}`), 'two').to.equal(status);
      expect(await statusOf('Bearer guess'), 'a bad token counts as none').to.equal(429);
    }
    const failed = await test.get('/api/v1/me', { authorization: 'Bearer another-guess' });
    expect([failed.status, failed.headers.get('ratelimit-policy')]).to.deep.equal([429, '"failures";q=1;w=60']);
  });

  it('are on the page of limits and in the API description as they are', async () => {
    await using test = await openTestApi();
    const { text } = await test.get('/developers/rate-limits', { accept: 'text/markdown' });
    for (const { name, quota, windowMs, counts } of Object.values(STATED_POLICIES)) {
      expect(text).to.match(
        new RegExp(`\\| ${name} \\| ${readable(quota)} \\| ${readable(windowMs / 1_000)} \\| ${counts} \\|`),
      );
    }
    const { paths } = JSON.parse((await test.get('/openapi.json')).text);
    expect(paths['/leaderboard'].get['x-rate-limits']).to.deep.equal([{ policy: 'public', requests: 60, seconds: 60 }]);
    expect(paths['/snapshots'].post['x-rate-limits']).to.deep.equal([
      { policy: 'snapshots', requests: 300, seconds: 60 },
      { policy: 'snapshots-day', requests: 2_500, seconds: 86_400 },
    ]);
    const routes: readonly Route<never>[] = servedRoutes(TEST_SETTINGS);
    const used = new Set<string | null | undefined>(routes.flatMap(({ limit, alsoLimit }) => [limit, alsoLimit]));
    for (const policy of Object.keys(STATED_POLICIES)) {
      expect(used.has(policy) || ['mcp', 'failures'].includes(policy), policy).to.equal(true);
    }
  });
});
