import { expect } from 'chai';
import { defineRoute } from '../../../../api/context/api-context.ts';
import { isForAnyPage } from '../../../../api/http/execute-route.ts';
import { CORS_HEADERS } from '../../../../api/http/standard-headers.ts';
import { describeApi } from '../../../../api/openapi/describe.ts';
import { ROUTES } from '../../../../api/routes.ts';
import { loadConfig } from '../../../../config/config.ts';
import { LeaderboardResponse } from '../../../../engine/contract/index.ts';
import { TEST_SETTINGS } from '../../../support/api-context.ts';
import { openTestApi } from '../../../support/test-api.ts';
import { descriptionFor, member, objectAt, responseAt } from '../../conformance.ts';

/** The contract's table of statuses for each of its operations in v1. */
/** The last status of each public read belongs to parameters that the contract does not have. */
const STATUSES: readonly (readonly [method: string, path: string, operationId: string, statuses: readonly string[]])[] =
  [
    ['get', '/leaderboard', 'getLeaderboard', ['200', '400', '429', '500', '404']],
    ['get', '/operators/{codename}', 'getOperator', ['200', '404', '429', '500', '400']],
    ['post', '/snapshots', 'submitSnapshot', ['200', '400', '401', '402', '429', '500']],
    ['get', '/api', 'getPremiumApiAccess', ['200', '400', '402', '429', '500']],
  ];

const REQUIRED: Readonly<Record<string, readonly string[] | undefined>> = {
  LeaderboardResponse: undefined,
  LeaderboardEntry: ['codename', 'rank', 'platform', 'yield_'],
  OperatorProfile: ['codename'],
  SnapshotSubmission: ['codename', 'input', 'output', 'cache_read', 'cache_write', 'signature'],
  PremiumApiSummary: ['type', 'description', 'available_endpoints'],
  ProblemDetails: ['type', 'title', 'status'],
};

/** Headers that every page may read (the Fetch standard). */
const SAFELISTED = ['cache-control', 'content-length', 'content-type', 'last-modified'];

function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = '$ref' in value && typeof value.$ref === 'string' ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(references)];
}

describe('api: the description', () => {
  const { billing, premium } = loadConfig({
    PLAN_MONTHLY_CENTS: '750',
    PLAN_CURRENCY: 'eur',
    X402_PRICE: '0.03',
  });
  const document = descriptionFor({ ...TEST_SETTINGS, enforcePlan: true, billing, premium });

  it('is OpenAPI 3.0.3, version 1.0.0, for this service', () => {
    expect(document).to.deep.include({ openapi: '3.0.3' });
    expect(member(document, 'info', 'version')).to.equal('1.0.0');
    expect(member(document, 'servers', '0', 'url')).to.equal('http://upsilon.test/api/v1');
  });

  for (const [method, path, operationId, statuses] of STATUSES) {
    it(`gives ${operationId} exactly the contract's statuses`, () => {
      const operation = member(document, 'paths', path, method);
      expect(member(operation, 'operationId')).to.equal(operationId);
      expect(Object.keys(objectAt(operation, 'responses'))).to.have.members([...statuses]);
    });
  }

  it("requires exactly the contract's fields, and allows additional ones", () => {
    for (const [name, required] of Object.entries(REQUIRED)) {
      const schema = member(document, 'components', 'schemas', name);
      expect(member(schema, 'required'), name).to.deep.equal(required === undefined ? undefined : [...required]);
      expect(member(schema, 'additionalProperties'), name).to.not.equal(false);
    }
  });

  it('types Yields as doubles and ranks as integers from 1', () => {
    const properties = member(document, 'components', 'schemas', 'LeaderboardEntry', 'properties');
    expect(member(properties, 'yield_')).to.deep.include({ type: 'number', format: 'double' });
    expect(member(properties, 'rank')).to.deep.include({ type: 'integer', minimum: 1 });
    expect(member(document, 'components', 'schemas', 'OperatorProfile', 'properties', 'rank')).to.deep.include({
      nullable: true,
    });
  });

  it('bounds the query of the leaderboard', () => {
    const parameters = member(document, 'paths', '/leaderboard', 'get', 'parameters');
    expect(member(parameters, '0')).to.deep.include({ name: 'window', in: 'query', required: false });
    expect(member(parameters, '0', 'schema')).to.deep.equal({
      type: 'string',
      enum: ['all_time', '7d', '30d', '90d'],
      default: 'all_time',
    });
    expect(member(parameters, '1', 'schema')).to.deep.equal({ type: 'integer', minimum: 1, maximum: 100, default: 10 });
  });

  it('protects writes by OAuth with the three scopes, and says what they cost', () => {
    const submit = member(document, 'paths', '/snapshots', 'post');
    const oauth2 = ['openid', 'profile', 'email'];
    expect(member(submit, 'security')).to.deep.equal([{ oauth2 }, { automationToken: [] }]);
    expect(member(document, 'paths', '/me', 'patch', 'security')).to.deep.equal([{ oauth2 }]);
    expect(member(document, 'components', 'securitySchemes', 'automationToken', 'scheme')).to.equal('bearer');
    expect(member(submit, 'x-payment-info')).to.deep.include({
      method: 'card',
      amount: '7.50',
      currency: 'EUR',
      intent: 'charge',
    });
    const access = member(document, 'paths', '/api', 'get');
    expect(member(access, 'security')).to.deep.equal([]);
    expect(member(access, 'x-payment-info')).to.deep.include({
      method: 'stablecoin',
      amount: '0.03',
      currency: 'USDC',
      intent: 'charge',
    });
    expect(member(responseAt(document, access, '402'), 'headers')).to.include.all.keys('PAYMENT-REQUIRED');
    expect(member(document, 'paths', '/leaderboard', 'get', 'security')).to.deep.equal([]);
    const flow = member(document, 'components', 'securitySchemes', 'oauth2', 'flows', 'authorizationCode');
    expect(flow).to.deep.include({
      authorizationUrl: 'http://upsilon.test/oauth/authorize',
      tokenUrl: 'http://upsilon.test/oauth/token',
    });
  });

  it('lets pages of other origins read every header that an answer to them is documented to have', () => {
    const exposed = String(CORS_HEADERS['Access-Control-Expose-Headers']).toLowerCase().split(', ');
    const forAnyPage = new Set<string | undefined>(ROUTES.filter(isForAnyPage).map(({ operationId }) => operationId));
    const names = new Set<string>();
    for (const operations of Object.values(objectAt(document, 'paths'))) {
      for (const operation of Object.values(objectAt(operations))) {
        if (!forAnyPage.has(String(member(operation, 'operationId')))) continue;
        for (const status of Object.keys(objectAt(operation, 'responses'))) {
          const { headers = {} } = objectAt(responseAt(document, operation, status));
          for (const name of Object.keys(objectAt(headers))) names.add(name.toLowerCase());
        }
      }
    }
    for (const name of SAFELISTED) names.delete(name);
    expect(names).to.include('retry-after');
    expect([...names].filter((name) => !exposed.includes(name))).to.deep.equal([]);
  });

  it('leaves out what the installation does not have, and prices where no plan is needed', () => {
    const plain = describeApi(ROUTES, { ...TEST_SETTINGS, premium: null });
    const paths = objectAt(plain, 'paths');
    expect(paths)
      .to.include.keys('/snapshots')
      .and.not.include.keys('/api', '/api/analytics/tiers', '/billing/subscribe');
    expect(member(plain, 'paths', '/snapshots', 'post', 'x-payment-info')).to.equal(undefined);
    expect(member(plain, 'components', 'schemas')).to.not.include.keys('PremiumApiSummary', 'SubscriptionResult');
  });

  it("names the contract's responses once, and lists the codes of each operation", () => {
    const submit = member(document, 'paths', '/snapshots', 'post');
    for (const [status, name] of [
      ['400', 'BadRequest'],
      ['401', 'Unauthorized'],
      ['402', 'PaymentRequired'],
      ['429', 'TooManyRequests'],
      ['500', 'InternalError'],
    ] as const) {
      expect(member(submit, 'responses', status)).to.deep.equal({ $ref: `#/components/responses/${name}` });
    }
    expect(member(submit, 'x-problem-codes')).to.include.members(['plan_required', 'token_missing', 'json_malformed']);
    const inline = JSON.stringify(member(document, 'paths')).match(/application\/problem\+json/g);
    expect(inline).to.equal(null);
  });

  it('gives every 429 the headers of the contract', () => {
    for (const [path, item] of Object.entries(objectAt(document, 'paths'))) {
      for (const method of Object.keys(objectAt(item)).filter((name) => name !== 'servers')) {
        const headers = member(responseAt(document, member(item, method), '429'), 'headers');
        expect(headers, `${method} ${path}`).to.include.all.keys(
          'Retry-After',
          'RateLimit-Policy',
          'RateLimit-Limit',
          'RateLimit-Remaining',
          'RateLimit-Reset',
        );
      }
    }
  });

  it('refers to nothing that is not there, and holds nothing unused', () => {
    const used = new Set(references(document));
    for (const reference of used)
      expect(member(document, ...reference.slice(2).split('/')), reference).to.be.an('object');
    for (const kind of ['schemas', 'responses', 'headers']) {
      for (const name of Object.keys(objectAt(document, 'components', kind))) {
        expect(used.has(`#/components/${kind}/${name}`), name).to.equal(true);
      }
    }
  });

  it('is served as it is made', async () => {
    await using test = await openTestApi();
    const { status, json, headers } = await test.get('/openapi.json');
    expect(status).to.equal(200);
    expect(json).to.deep.equal(JSON.parse(JSON.stringify(describeApi(ROUTES, test.settings))));
    expect(headers.get('etag')).to.match(/^"/);
  });

  it('marks a retired operation', () => {
    const retired = defineRoute({
      method: 'get',
      surface: 'base',
      path: '/old',
      operationId: 'getOld',
      summary: 'Old',
      description: 'Old.',
      tag: 'leaderboard',
      auth: 'public',
      successes: [{ status: 200, description: 'Old.', schema: LeaderboardResponse }],
      problems: [],
      limit: 'public',
      deprecation: { sunset: new Date(0), link: { href: 'https://new.example', rel: 'successor-version' } },
      handle: () => ({ kind: 'json', status: 200, body: {} }),
    });
    const operation = member(describeApi([retired], TEST_SETTINGS), 'paths', '/old', 'get');
    expect(member(operation, 'deprecated')).to.equal(true);
    expect(member(operation, 'responses', '200', 'headers')).to.include.all.keys('Deprecation', 'Sunset', 'Link');
  });
});
