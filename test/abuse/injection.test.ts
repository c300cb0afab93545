import { expect } from 'chai';
import { z } from 'zod';
import { openTestApi } from '../support/test-api.ts';
import { useFixture } from '../support/use-fixture.ts';
import { overTheWire, requestText } from '../support/wire.ts';
import { createCaseTable } from './support/case-table.ts';

/** CPU time allowed per response: a backtracking regular expression takes minutes. */
const PROCESSOR_MS = 10_000;
/** Less than what a request's headers may have together. */
const LONG = 12_000;

const LINE_BREAKS = '\r\nSet-Cookie: stolen=1\r\nX-Injected: 1';

interface InjectionCase {
  readonly name: string;
  readonly path: string;
  /** The code of the refusal; null where the request is answered as if it were not there. */
  readonly code: string | null;
  /** The members of a body that are refused. */
  readonly pointers?: readonly string[];
  /** Sent as JSON by POST, with the operator's token; a text is sent as it is. */
  readonly body?: unknown;
}

const COUNTS = { input: 1, output: 2, cache_read: 3, cache_write: 4, signature: 'a.b.c' };

/** The signature of each is malformed as well, which alone is refused where `code` is null, and first where the platform is. */
const inBody = (name: string, member: object, code: string | null): InjectionCase => ({
  name,
  path: '/api/v1/snapshots',
  body: { codename: 'injector', ...COUNTS, ...member },
  code: code === null || code === 'platform_invalid' ? 'signature_malformed' : code,
  pointers: [...(code === null ? [] : [`/${Object.keys(member)[0]}`]), '/signature'],
});

const OPERATORS: readonly InjectionCase[] = [
  inBody('operator: $ne for a codename', { codename: { $ne: null } }, 'codename_invalid'),
  inBody('operator: $gt for a count', { input: { $gt: 0 } }, 'count_not_a_number'),
  inBody('operator: $where beside the fields', { $where: 'sleep(5000)' }, null),
  inBody('operator: $expr for a platform', { platform: { $expr: { $function: {} } } }, 'platform_invalid'),
  inBody('operator: a list for a codename', { codename: ['injector'] }, 'codename_invalid'),
  inBody('operator: $ne for a signature', { signature: { $ne: '' } }, null),
  {
    name: 'operator: for a codename in the path',
    path: '/api/v1/operators/%7B%22%24ne%22%3Anull%7D',
    code: 'operator_unknown',
  },
  { name: 'operator: for a jti', path: '/api/v1/snapshots/%7B%22%24gt%22%3A%22%22%7D', code: 'token_missing' },
  { name: 'operator: a regular expression for a codename', path: '/api/v1/operators/.*', code: 'operator_unknown' },
  {
    name: 'operator: for a device key',
    path: '/api/v1/devices',
    body: { jwk: { kty: 'OKP', crv: 'Ed25519', x: { $ne: '' } }, proof: { $gt: '' } },
    code: 'key_invalid',
    pointers: ['/jwk/x', '/proof'],
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
  ].map((body) => ({ name: `prototype: ${body}`, path: '/api/v1/snapshots', body, code: 'json_forbidden_key' })),
  { name: 'prototype: in the query', path: '/api/v1/leaderboard?__proto__[polluted]=1', code: null },
  { name: 'prototype: as a query parameter', path: '/api/v1/leaderboard?__proto__=1', code: null },
  { name: 'prototype: as a window', path: '/api/v1/leaderboard?window=__proto__', code: 'window_invalid' },
  {
    name: 'prototype: constructor as a window',
    path: '/api/v1/leaderboard?window=constructor',
    code: 'window_invalid',
  },
  { name: 'prototype: as a codename', path: '/api/v1/operators/__proto__', code: 'operator_unknown' },
  { name: 'prototype: toString as a codename', path: '/api/v1/operators/toString', code: 'operator_unknown' },
  inBody('prototype: as a platform', { platform: '__proto__' }, 'platform_invalid'),
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

/** Headers by what reads them, with the answer to each slow text. */
const SLOW_PLACES = {
  read: [
    ['accept', 200, undefined],
    ['accept-encoding', 200, undefined],
    ['cookie', 200, undefined],
    ['forwarded', 200, undefined],
    ['if-modified-since', 200, undefined],
    ['if-none-match', 200, undefined],
    ['range', 200, undefined],
    ['x-forwarded-for', 200, undefined],
  ],
  sale: [
    ['payment-signature', 400, 'payment_malformed'],
    ['x-payment', 400, 'payment_malformed'],
  ],
  submission: [
    ['authorization', 401, 'token_invalid'],
    ['content-type', 400, 'media_type_unsupported'],
    ['prefer', 200, undefined],
  ],
} as const;

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

  for (const { name, path, code, body, pointers } of [...OPERATORS, ...PROTOTYPES]) {
    it(`refuses ${name}`, async () => {
      const { status, json } = await (body === undefined ? test().get(path) : test().post(path, sender().token, body));
      table.note(name, String(status));
      expect([status < 400, json?.['code'] ?? null]).to.deep.equal([code === null, code]);
      const refused = z.array(z.object({ pointer: z.string() })).parse(pointers === undefined ? [] : json?.['errors']);
      expect(refused.map(({ pointer }) => pointer)).to.have.members(pointers ?? []);
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
    for (const [reader, places] of Object.entries(SLOW_PLACES)) {
      for (const [place, expected, code] of places) {
        it(`is not slowed down by ${what} in ${place}`, async () => {
          const body = test().snapshot(sender());
          const began = process.cpuUsage();
          const headers = { [place]: text };
          const { status, json } = await (reader === 'submission'
            ? test().post('/api/v1/snapshots', sender().token, body, headers)
            : test().get(reader === 'sale' ? '/api' : '/api/v1/leaderboard?limit=3', headers));
          const took = processorMs(began);
          table.note(`ReDoS: ${what} in ${place}`, `${status} in ${Math.ceil(took)} ms`);
          expect([status, status < 400 ? undefined : json?.['code']]).to.deep.equal([expected, code]);
          expect(took).to.be.below(PROCESSOR_MS);
        });
      }
    }

    it(`is not slowed down by ${what} in fields, queries and paths`, async () => {
      const began = process.cpuUsage();
      // Three of them fit into a body, quotes as well, which take two bytes there.
      const part = text.slice(0, LONG / 5);
      const body = { ...COUNTS, codename: part, platform: part, signature: part };
      const answers = [
        await test().post('/api/v1/snapshots', sender().token, body),
        await test().get(`/api/v1/leaderboard?window=${encodeURIComponent(part)}`),
        await test().get(`/api/v1/operators/${encodeURIComponent(part)}`),
      ];
      const took = processorMs(began);
      const codes = answers.map(({ json }) => json?.['code']);
      table.note(`ReDoS: ${what} in fields, query, path`, `${codes.join(', ')} in ${Math.ceil(took)} ms`);
      expect(codes).to.deep.equal(['codename_invalid', 'window_invalid', 'operator_unknown']);
      expect(took).to.be.below(PROCESSOR_MS);
    });
  }
});

/** Processor time that this process, in which the api runs, took since then, in milliseconds. */
function processorMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}
