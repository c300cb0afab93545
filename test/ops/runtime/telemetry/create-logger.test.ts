import { expect } from 'chai';
import { Problem } from '../../../../api/http/problem.ts';
import { CORS_HEADERS, preflightHeaders } from '../../../../api/http/standard-headers.ts';
import { servedRoutes } from '../../../../api/routes.ts';
import { createLogger, type Logger } from '../../../../ops/runtime/telemetry/index.ts';
import { TEST_SETTINGS } from '../../../support/api-context.ts';

/** A made-up token: header, payload and signature. */
const TOKEN = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJub2JvZHkifQ.c2lnbmF0dXJl';

function logged(use: (log: Logger) => void): { text: string; lines: Array<Record<string, unknown>> } {
  let text = '';
  const destination = { write: (line: string) => void (text += line) };
  use(createLogger({ logLevel: 'info', name: 'test' }, destination));
  const lines = text.split('\n').filter((line) => line !== '');
  return { text, lines: lines.map((line): Record<string, unknown> => JSON.parse(line)) };
}

describe('createLogger', () => {
  it('writes one JSON object per line, with its level as text', () => {
    const { lines } = logged((log) => log.info({ route: 'leaderboard', status: 200 }, 'answered'));
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ level: 'info', name: 'test', msg: 'answered', route: 'leaderboard', status: 200 });
    expect(lines[0])
      .to.have.property('time')
      .that.matches(/^\d{4}-\d\d-\d\dT/);
  });

  it('is quiet below its level', () => {
    expect(logged((log) => log.debug('hidden')).lines).to.be.empty;
  });

  for (const name of [
    'authorization',
    'Authorization',
    'cookie',
    'set-cookie',
    'signature',
    'access_token',
    'refresh_token',
  ]) {
    it(`hides ${name} at any depth`, () => {
      const { text } = logged((log) =>
        log.info({ [name]: 'open sesame', request: { headers: [{ [name]: 'open sesame' }] } }, 'x'),
      );
      expect(text).to.not.contain('sesame');
      expect(text).to.contain('redacted');
    });
  }

  it('hides every header that a route takes or sets, except for those without secrets', () => {
    const lists = [
      CORS_HEADERS['Access-Control-Expose-Headers'],
      preflightHeaders('GET')['Access-Control-Allow-Headers'],
    ];
    const names = [
      ...lists.flatMap((list) => list!.split(', ')),
      ...servedRoutes(TEST_SETTINGS).flatMap(({ successes }) =>
        successes.flatMap(({ headers }) => Object.keys(headers ?? {})),
      ),
      'Cookie',
      'Set-Cookie',
      'Stripe-Signature',
      'X-New',
    ];
    expect(names).to.include.members(['Answer-Receipt', 'Answer-Claim', 'X-PAYMENT', 'Authorization', 'ETag']);
    const headers = Object.fromEntries(names.map((name) => [name, `sesame of ${name}`]));
    const err = new Problem('payment_unsettled', { headers });
    const { text } = logged((log) =>
      log.error({ err, request: { headers, rawHeaders: names.map(() => 'raw sesame') } }, 'x'),
    );
    const shown = new Set([...text.matchAll(/(\w+) sesame|sesame of ([\w-]+)/g)].map(([, raw, name]) => raw ?? name));
    expect([...shown]).to.have.members([
      'Accept',
      'Accept-Encoding',
      'Board-Version',
      'Content-Type',
      'ETag',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
    ]);
  });

  it('hides the arguments of a command that Redis refused', () => {
    const refused = new Error('WRONGPASS invalid username-password pair');
    const command = { name: 'auth', args: ['user', 'sesame'] };
    const { text, lines } = logged((log) => log.error({ err: Object.assign(refused, { command }) }, 'x'));
    expect(text).to.not.contain('sesame');
    expect(lines[0]).to.have.nested.property('err.command.name', 'auth');
  });

  it('hides tokens and detached signatures in text, and passwords in database addresses', () => {
    const detached = TOKEN.replace(/\.[^.]*\./, '..');
    const { text } = logged((log) => {
      log.info({ header: `Bearer ${TOKEN}`, sent: detached }, `refused ${TOKEN}`);
      log.info(
        { url: 'mongodb://user:sesame@one.example:27017,two.example/upsilon' },
        'to redis://:sesame@host.example:6379',
      );
    });
    expect(text).to.not.contain(TOKEN.split('.')[0]);
    expect(text).to.not.contain('sesame');
    expect(text).to.contain('mongodb://***@one.example:27017,two.example/upsilon');
  });

  it('keeps the message of an error and hides secrets in it', () => {
    const cause = new Error(`upstream said ${TOKEN}`);
    const error = Object.assign(new Error('not reached', { cause }), {
      code: 'ECONNREFUSED',
      request: { authorization: 'sesame' },
    });
    const { text, lines } = logged((log) => log.error({ err: error }, 'failed'));
    expect(lines[0]).to.have.nested.property('err.message', 'not reached');
    expect(lines[0]).to.have.nested.property('err.code', 'ECONNREFUSED');
    expect(lines[0])
      .to.have.nested.property('err.cause.message')
      .that.matches(/^upstream said \[redacted\]/);
    expect(lines[0]).to.have.nested.property('err.stack');
    expect(text).to.not.contain('sesame');
  });

  it('hides the keys of a payment provider everywhere', () => {
    const keys = ['sk_test_sesame0123456789', 'rk_live_sesame0123456789', 'whsec_sesame/0123456789='];
    const { text } = logged((log) => {
      for (const key of keys) log.warn({ err: new Error(`no such key: ${key}`), settings: { key } }, `refused ${key}`);
    });
    expect(text).to.include('redacted').and.not.include('sesame');
  });

  it('hides automation tokens everywhere', () => {
    const token = `ups_sesame${'x'.repeat(54)}`;
    const { text } = logged((log) => log.warn({ err: new Error(`no ${token}`), sent: [token] }, `refused ${token}`));
    expect(text).to.include('redacted').and.not.include('sesame');
  });

  it('accepts a circular object', () => {
    const circular: Record<string, unknown> = { name: 'loop' };
    circular['self'] = circular;
    expect(logged((log) => log.info({ circular }, 'x')).lines).to.have.length(1);
  });
});
