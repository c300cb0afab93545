import { expect } from 'chai';
import { openTestApi } from '../support/test-api.ts';
import { useFixture } from '../support/use-fixture.ts';
import { overTheWire, requestText } from '../support/wire.ts';
import { createCaseTable } from './support/case-table.ts';

/** CPU time allowed per response: a backtracking regular expression takes minutes. */
const PROCESSOR_MS = 400;
/** Less than what a request's headers may have together. */
const LONG = 12_000;

const LINE_BREAKS = '\r\nSet-Cookie: stolen=1\r\nX-Injected: 1';

interface InjectionCase {
  readonly name: string;
  readonly path: string;
  readonly statuses: readonly number[];
  /** Sent as JSON by POST, with the operator's token; a text is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const COUNTS = { input: 1, output: 2, cache_read: 3, cache_write: 4, signature: 'a.b.c' };

const inBody = (name: string, member: object): InjectionCase => ({
  name,
  path: '/api/v1/snapshots',
  body: { codename: 'injector', ...COUNTS, ...member },
  statuses: [400],
});

const OPERATORS: readonly InjectionCase[] = [
  inBody('operator: $ne for a codename', { codename: { $ne: null } }),
  inBody('operator: $gt for a count', { input: { $gt: 0 } }),
  inBody('operator: $where beside the fields', { $where: 'sleep(5000)' }),
  inBody('operator: $expr for a platform', { platform: { $expr: { $function: {} } } }),
  inBody('operator: a list for a codename', { codename: ['injector'] }),
  inBody('operator: $ne for a signature', { signature: { $ne: '' } }),
  { name: 'operator: for a codename in the path', path: '/api/v1/operators/%7B%22%24ne%22%3Anull%7D', statuses: [404] },
  { name: 'operator: for a jti', path: '/api/v1/snapshots/%7B%22%24gt%22%3A%22%22%7D', statuses: [401, 404] },
  { name: 'operator: a regular expression for a codename', path: '/api/v1/operators/.*', statuses: [404] },
  {
    name: 'operator: for a device key',
    path: '/api/v1/devices',
    body: { jwk: { kty: 'OKP', crv: 'Ed25519', x: { $ne: '' } }, proof: { $gt: '' } },
    statuses: [400],
  },
];

const PROTOTYPES: readonly InjectionCase[] = [
  ...[
    '{"__proto__":{"polluted":true}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    '{"codename":{"__proto__":{"polluted":true}}}',
    '{"__proto__":null}',
    '{"\\u005f_proto__":{"polluted":true}}',
    '{"prototype":{"polluted":true}}',
  ].map((body) => ({ name: `prototype: ${body}`, path: '/api/v1/snapshots', body, statuses: [400] })),
  { name: 'prototype: in the query', path: '/api/v1/leaderboard?__proto__[polluted]=1', statuses: [200] },
  { name: 'prototype: as a query parameter', path: '/api/v1/leaderboard?__proto__=1', statuses: [200] },
  { name: 'prototype: as a window', path: '/api/v1/leaderboard?window=__proto__', statuses: [400] },
  { name: 'prototype: constructor as a window', path: '/api/v1/leaderboard?window=constructor', statuses: [400] },
  { name: 'prototype: as a codename', path: '/api/v1/operators/__proto__', statuses: [404] },
  { name: 'prototype: toString as a codename', path: '/api/v1/operators/toString', statuses: [404] },
  inBody('prototype: as a platform', { platform: '__proto__' }),
];

const PATHS: readonly (readonly [name: string, target: string])[] = [
  ['dots', '/api/v1/../../../etc/passwd'],
  ['escaped dots', '/assets/%2e%2e/%2e%2e/package.json'],
  ['twice escaped dots', '/assets/%252e%252e%252fpackage.json'],
  ['escaped slashes', '/assets/..%2f..%2fpackage.json'],
  ['backslashes', '/assets/..\\..\\package.json'],
  ['overlong dots', '/assets/%c0%ae%c0%ae/package.json'],
  ['a parameter behind dots', '/assets/..;/package.json'],
  ['an escaped nul', '/assets/style.css%00.html'],
  ['two slashes in front', '//attacker.example/%2e%2e'],
  ['a slash in a codename', '/api/v1/operators/a%2f..%2fme'],
  ['a full-width stop', '/assets/\uff0e\uff0e/package.json'],
];

/** Texts on which expressions of the usual kinds take time that grows faster than the text. */
const SLOW_TEXTS = {
  'a and dashes': `${'a-'.repeat(LONG / 2)}!`,
  spaces: `a${' '.repeat(LONG)}b`,
  commas: `${','.repeat(LONG)}x`,
  quotes: `"${'\\"'.repeat(LONG / 2)}`,
  digits: `${'9'.repeat(LONG)}.`,
  'semicolons and equals signs': ';q='.repeat(LONG / 3),
  parentheses: `${'('.repeat(LONG / 2)}${')'.repeat(LONG / 2)}`,
} as const;

const SLOW_PLACES: readonly string[] = [
  'accept',
  'accept-encoding',
  'authorization',
  'content-type',
  'cookie',
  'forwarded',
  'if-modified-since',
  'if-none-match',
  'payment-signature',
  'prefer',
  'range',
  'x-forwarded-for',
  'x-payment',
];

describe('abuse: injection', () => {
  const table = createCaseTable('abuse: injection');
  const test = useFixture(openTestApi);
  const sender = useFixture(() => test().operator('injector'));
  const port = useFixture(() => Number(new URL(test().origin).port));

  after(() => table.print());

  afterEach(() => {
    expect(Reflect.get({}, 'polluted')).to.equal(undefined);
  });

  it('ignores operators in the names of parameters', async () => {
    const { json: board } = await test().get('/api/v1/leaderboard');
    for (const search of ['window[$ne]=7d', 'limit[$gt]=1']) {
      const { status, json } = await test().get(`/api/v1/leaderboard?${search}`);
      table.note(`operator: ${search}`, String(status));
      expect(json, search).to.deep.equal(board);
    }
  });

  for (const { name, path, statuses, body, headers = {} } of [...OPERATORS, ...PROTOTYPES]) {
    it(`refuses ${name}`, async () => {
      const answer = await (body === undefined
        ? test().get(path, headers)
        : test().post(path, sender().token, body, headers));
      table.note(name, String(answer.status));
      expect(answer.status).to.be.oneOf([...statuses]);
    });
  }

  for (const [name, target] of PATHS) {
    it(`gives no file for ${name}`, async () => {
      const request = requestText('GET', target, ['Host', 'upsilon.test', 'Connection', 'close']);
      const answer = await overTheWire(port(), request);
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 'none';
      table.note(`path: ${name}`, status);
      expect(status).to.be.oneOf(['400', '404']);
      expect(answer).to.not.match(/root:|upsilon-service|attacker\.example\/(?!%2e)/);
    });
  }

  for (const [where, target, headers] of [
    ['an address', `/login?next=${encodeURIComponent(`/x${LINE_BREAKS}`)}`, []],
    ['a codename', `/api/v1/operators/${encodeURIComponent(`a${LINE_BREAKS}`)}`, []],
    ['a page', `/operators/${encodeURIComponent(`a${LINE_BREAKS}`)}/`, []],
    ['Prefer', '/api/v1/leaderboard', ['Prefer', `wait=1${LINE_BREAKS.replaceAll('\r\n', '\r')}`]],
    ['Host', '/login', ['Host', `upsilon.test${LINE_BREAKS.replaceAll('\r\n', '\n ')}`]],
  ] as const) {
    it(`copies no headers from ${where}`, async () => {
      const own = where === 'Host' ? headers : ['Host', 'upsilon.test', ...headers];
      const answer = await overTheWire(port(), requestText('GET', target, [...own, 'Connection', 'close']));
      const [head = ''] = answer.split('\r\n\r\n');
      table.note(`header injection: ${where}`, /^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 'closed');
      expect(head).to.not.match(/^(Set-Cookie: stolen|X-Injected)/im);
    });
  }

  for (const [what, text] of Object.entries(SLOW_TEXTS)) {
    for (const place of SLOW_PLACES) {
      it(`is not slowed down by ${what} in ${place}`, async () => {
        const began = process.cpuUsage();
        const { status } = await test().post('/api/v1/snapshots', null, '{}', { [place]: text });
        const took = processorMs(began);
        table.note(`ReDoS: ${what} in ${place}`, `${status} in ${Math.ceil(took)} ms`);
        expect(status).to.be.within(400, 431);
        expect(took).to.be.below(PROCESSOR_MS);
      });
    }

    it(`is not slowed down by ${what} in fields, queries and paths`, async () => {
      const began = process.cpuUsage();
      const body = { ...COUNTS, codename: text, platform: text, signature: text };
      const statuses = [
        (await test().post('/api/v1/snapshots', sender().token, body)).status,
        (await test().get(`/api/v1/leaderboard?window=${encodeURIComponent(text.slice(0, LONG / 4))}`)).status,
        (await test().get(`/api/v1/operators/${encodeURIComponent(text.slice(0, LONG / 4))}`)).status,
      ];
      const took = processorMs(began);
      table.note(`ReDoS: ${what} in fields, query, path`, `${statuses.join(', ')} in ${Math.ceil(took)} ms`);
      for (const status of statuses) expect(status).to.be.within(400, 431);
      expect(took).to.be.below(PROCESSOR_MS);
    });
  }
});

/** Processor time that this process, in which the api runs, took since then, in milliseconds. */
function processorMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}
