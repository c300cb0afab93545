import crypto from 'node:crypto';
import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { loadConfig, loadServiceConfig } from '../../config/config.ts';
import { redactUrl } from '../../config/redact-url.ts';
import { parseRedisClusterUrl } from '../../config/redis-address.ts';
import { SettingsError } from '../../config/settings-error.ts';

const CONTACT = 'mailto:security@upsilon.example';
const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64url');
/** What a public address requires. */
const REQUIRED = { CONTACT, SECRETS_KEY };

function problemsOf(load: () => unknown): readonly string[] {
  try {
    load();
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

const keysOf = (keys: string) => loadConfig({ SECRETS_KEY: keys }).secretsKeys.map((key) => key.export());

describe('loadConfig', () => {
  it('needs no setting at all', () => {
    const config = loadConfig({});
    expect(config).to.include({
      host: '127.0.0.1',
      port: 3000,
      workers: 1,
      baseUrl: 'http://localhost:3000/api/v1',
      siteUrl: 'http://localhost:3000',
      loginUrl: 'http://localhost:3000',
      authUrl: 'http://localhost:3000',
      enforcePlan: false,
      verdictWaitMs: 1500,
      logLevel: 'info',
    });
    expect(config.mongoUrl).to.equal(undefined);
    expect(config.dataDir).to.match(/^\/.*\/\.data$/);
  });

  it('lets the addresses follow the port, and an empty variable count as unset', () => {
    const config = loadConfig({ PORT: '4000', SITE_URL: 'https://upsilon.example/', AUTH_URL: ' ', ...REQUIRED });
    expect(config.baseUrl).to.equal('http://localhost:4000/api/v1');
    expect(config.siteUrl).to.equal('https://upsilon.example');
    expect(config.authUrl).to.equal('http://localhost:4000');
  });

  it('has an archive where its folder and its licence are set', () => {
    expect(loadConfig({ ARCHIVE_DAYS: '30' }).archive).to.equal(null);
    const settings = { ARCHIVE_DIR: '/srv/an archive', ARCHIVE_LICENSE: 'CC BY 4.0' };
    const archive = { dir: '/srv/an archive', license: 'CC BY 4.0', days: 400 };
    expect(loadConfig(settings).archive).to.deep.equal(archive);
    expect(loadConfig({ ...settings, ARCHIVE_DAYS: '30' }).archive).to.deep.equal({ ...archive, days: 30 });
    const wrong = [
      { ARCHIVE_DIR: '/srv' },
      { ARCHIVE_LICENSE: 'CC0' },
      { ...settings, ARCHIVE_DAYS: '29' },
      { ...settings, ARCHIVE_LICENSE: 'a'.repeat(201) },
    ];
    for (const each of wrong) expect(problemsOf(() => loadConfig(each))).to.have.lengthOf(1);
  });

  it('derives the other addresses from that of the API', () => {
    const config = loadConfig({
      BASE_URL: 'https://board.example/api/v1',
      LOGIN_URL: 'https://login.example',
      ...REQUIRED,
    });
    expect(config).to.deep.include({ siteUrl: 'https://board.example', authUrl: 'https://board.example' });
    expect(config).to.include({ loginUrl: 'https://login.example', authUrl: 'https://board.example' });
  });

  it('refuses an address of the API that does not end in its path', () => {
    for (const path of ['', '/', '/api', '/api/v2', '/api/v1beta']) {
      const problems = problemsOf(() => loadConfig({ BASE_URL: `https://board.example${path}`, ...REQUIRED }));
      expect(
        problems.map((problem) => problem.split(' ', 1)[0]),
        path,
      ).to.deep.equal(['BASE_URL']);
    }
  });

  it('gives each worker process a separate metrics port', () => {
    expect(loadConfig({ METRICS_PORT: '9000', WORKER_INDEX: '3' })).to.include({
      metricsPort: 9000,
      workerMetricsPort: 9003,
    });
  });

  it('reads networks of proxies', () => {
    expect(loadConfig({ TRUSTED_PROXIES: '10.0.0.0/8, ::1,192.0.2.7' }).trustedProxies).to.deep.equal([
      { address: '10.0.0.0', prefix: 8, family: 'ipv4' },
      { address: '::1', prefix: 128, family: 'ipv6' },
      { address: '192.0.2.7', prefix: 32, family: 'ipv4' },
    ]);
  });

  it('reads one secrets key, or two during a rotation, and prints none', () => {
    const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const [one, two] = [first.toString('base64url'), second.toString('base64url')];
    expect(keysOf('')).to.deep.equal([]);
    expect(keysOf(one)).to.deep.equal([first]);
    expect(keysOf(`${one}, ${two}`)).to.deep.equal([first, second]);
    expect(inspect(loadConfig({ SECRETS_KEY: one }), { depth: 9, showHidden: true })).not.to.include(one);
    const wrong = [
      one.slice(1),
      `${one}A`,
      `${one}=`,
      `${one.slice(1)}+`,
      `${one},`,
      `${one},${one}`,
      `${one},${two},${one}`,
    ];
    for (const keys of [...wrong, '0'.repeat(64), first.toString('hex')]) {
      const problems = problemsOf(() => loadConfig({ SECRETS_KEY: keys }));
      expect(problems, keys).to.have.length(1);
      expect(problems[0])
        .to.match(/^SECRETS_KEY is not one key of 32 bytes in base64url/)
        .and.not.include(one.slice(1));
    }
  });

  it('reports every problem at once, by variable', () => {
    const problems = problemsOf(() =>
      loadConfig({
        PORT: '70000',
        METRICS_PORT: '9e3',
        WORKERS: '0',
        MONGODB_URL: 'localhost:27017',
        REDIS_URL: 'http://localhost:6379',
        BASE_URL: 'upsilon.example',
        SITE_URL: 'https://user:sesame@upsilon.example',
        TRUSTED_PROXIES: '10.0.0.0/33,proxy.example',
        ENFORCE_PLAN: 'maybe',
        VERDICT_WAIT_MS: '-1',
        LOG_LEVEL: 'loud',
      }),
    );
    expect(problems.map((problem) => problem.split(' ', 1)[0])).to.have.members([
      'PORT',
      'METRICS_PORT',
      'WORKERS',
      'MONGODB_URL',
      'REDIS_URL',
      'BASE_URL',
      'SITE_URL',
      'TRUSTED_PROXIES',
      'ENFORCE_PLAN',
      'VERDICT_WAIT_MS',
      'LOG_LEVEL',
    ]);
    expect(problems.join('\n')).to.not.contain('sesame');
  });

  it('reports what cannot be read together with what is missing or contradicts, and nothing that only follows from it', () => {
    const given = {
      PORT: '70000',
      GITHUB_CLIENT_ID: 'an-id',
      BASE_URL: 'http://board.example/api/v1',
      SMTP_URL: 'nowhere',
      NODE_ENV: 'production',
    };
    const problems = problemsOf(() => loadServiceConfig(given, 'api'));
    const names = [
      'PORT',
      'BASE_URL',
      'CONTACT',
      'SECRETS_KEY',
      'GITHUB_CLIENT_SECRET',
      'SMTP_URL',
      'MONGODB_URL',
      'REDIS_URL',
    ];
    for (const name of names)
      expect(problems.filter((problem) => problem.includes(name)).length, name).to.be.at.least(1);
    expect(problemsOf(() => loadConfig({ GITHUB_CLIENT_ID: 'an-id', PORT: '70000' })).join()).to.not.include(
      'SMTP_URL',
    );
  });

  it('refuses settings that contradict each other', () => {
    expect(problemsOf(() => loadConfig({ PORT: '9465', METRICS_PORT: '9464' }))).to.have.length(1);
    expect(problemsOf(() => loadConfig({ METRICS_PORT: '65535' }))).to.have.length(1);
    // The name of one that cannot be read is within that of another.
    expect(problemsOf(() => loadConfig({ METRICS_PORT: '65535', PORT: 'x' }))).to.have.length(2);
  });

  it('takes an OpenID provider with all of its settings, at https or on this machine', () => {
    const client = { OIDC_CLIENT_ID: 'an-id', OIDC_CLIENT_SECRET: 'a-secret' };
    for (const issuer of ['https://id.example/tenant/', 'http://127.0.0.1:4000']) {
      const { oidc } = loadConfig({ ...client, OIDC_ISSUER: issuer }).signIn;
      expect(oidc).to.deep.equal({ issuer, clientId: 'an-id', clientSecret: 'a-secret', name: 'OpenID Connect' });
    }
    for (const env of [
      client,
      { OIDC_ISSUER: 'https://id.example' },
      { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'an-id' },
      { ...client, OIDC_ISSUER: 'http://id.example' },
      { ...client, OIDC_ISSUER: 'https://id.example/?tenant=1' },
    ]) {
      const problems = problemsOf(() => loadConfig(env));
      expect(problems).to.have.length(1);
      expect(problems.join()).to.include('OIDC_').and.not.include('a-secret');
    }
  });

  it('requires both databases for a service process', () => {
    const mongo = { MONGODB_URL: 'mongodb+srv://user:sesame@db.example/upsilon' };
    expect(problemsOf(() => loadServiceConfig({}))).to.have.length(2);
    expect(problemsOf(() => loadServiceConfig(mongo))).to.have.length(1);
    const config = loadServiceConfig({ ...mongo, REDIS_URL: 'rediss://:sesame@redis.example' });
    expect(config.redisUrl).to.equal('rediss://:sesame@redis.example');
  });

  it('recognizes a Redis Cluster by its scheme, with one address or several', () => {
    const parsed = parseRedisClusterUrl('rediss+cluster://app:s%40same@a.example:7000,[::1],b.example/');
    expect(parsed).to.deep.equal({
      nodes: [
        { host: 'a.example', port: 7_000 },
        { host: '::1', port: 6_379 },
        { host: 'b.example', port: 6_379 },
      ],
      tls: true,
      username: 'app',
      password: 's@same',
    });
    const open = parseRedisClusterUrl('redis+cluster://10.0.0.7');
    expect(open).to.deep.equal({
      nodes: [{ host: '10.0.0.7', port: 6_379 }],
      tls: false,
      username: undefined,
      password: undefined,
    });
    for (const url of ['redis+cluster://a,b:7001', 'rediss+cluster://:secret@a:1']) {
      expect(loadConfig({ REDIS_URL: url }).redisUrl).to.equal(url);
    }
    for (const url of [
      'redis+cluster://',
      'redis+cluster://a,',
      'redis+cluster://a:x',
      'redis+cluster://a/3',
      'redis+cluster://%@a',
    ]) {
      expect(
        problemsOf(() => loadConfig({ REDIS_URL: url })),
        url,
      ).to.have.length(1);
    }
  });
});

describe('public addresses', () => {
  const names = ['BASE_URL', 'SITE_URL', 'LOGIN_URL', 'AUTH_URL', 'X402_FACILITATOR_URL', 'X402_RPC_URL'];
  const all = (address: string): Record<string, string> => ({
    ...Object.fromEntries(names.map((name) => [name, address])),
    BASE_URL: `${address}/api/v1`,
  });

  it('are https in production: each one that is not is listed', () => {
    const env = { ...all('http://upsilon.example'), ...REQUIRED };
    const problems = problemsOf(() => loadConfig({ ...env, NODE_ENV: 'production' }));
    expect(problems.map((problem) => problem.split(' ', 1)[0])).to.have.members(names);
    for (const name of names) {
      const one = {
        ...all('https://upsilon.example'),
        ...REQUIRED,
        NODE_ENV: 'production',
        [name]: all('http://10.0.0.7')[name],
      };
      expect(problemsOf(() => loadConfig(one))[0], name).to.include(`${name} is not https`);
    }
    expect(loadConfig({ ...all('https://upsilon.example'), ...REQUIRED, NODE_ENV: 'production' }).contact).to.equal(
      CONTACT,
    );
    expect(loadConfig(env).siteUrl).to.equal('http://upsilon.example');
  });

  it('take a key for the secrets, and the message says how to make one', () => {
    for (const name of ['BASE_URL', 'SITE_URL', 'LOGIN_URL', 'AUTH_URL']) {
      const problems = problemsOf(() => loadConfig({ CONTACT, [name]: all('https://upsilon.example')[name] }));
      expect(problems, name).to.have.length(1);
      const command = /^SECRETS_KEY is not set, .* with `node -p "(.*)"`.* encrypted at the next start/.exec(
        problems[0]!,
      );
      const made: unknown = runInNewContext(command?.[1] ?? '', { crypto });
      expect(keysOf(String(made)), name).to.have.length(1);
    }
    expect(loadConfig({ BASE_URL: 'http://api.localhost/api/v1' }).secretsKeys).to.deep.equal([]);
  });

  it('of an api take a way to sign in', () => {
    const stores = { MONGODB_URL: 'mongodb://mongo', REDIS_URL: 'redis://redis' };
    const env = { ...stores, BASE_URL: 'https://board.example/api/v1', ...REQUIRED };
    expect(problemsOf(() => loadServiceConfig(env, 'api')).join()).to.match(
      /^nobody can sign in at https:\/\/board\.example: set SMTP_URL/,
    );
    for (const way of [
      { SMTP_URL: 'smtps://mail.example' },
      { GITHUB_CLIENT_ID: 'an-id', GITHUB_CLIENT_SECRET: 'a-secret' },
      { TWITTER_CLIENT_ID: 'an-id', TWITTER_CLIENT_SECRET: 'a-secret' },
      { OIDC_ISSUER: 'https://id.example/', OIDC_CLIENT_ID: 'an-id', OIDC_CLIENT_SECRET: 'a-secret' },
    ]) {
      expect(loadServiceConfig({ ...env, ...way }, 'api').siteUrl).to.equal('https://board.example');
    }
    expect(loadServiceConfig(stores, 'api').signIn.smtpUrl).to.equal(null);
  });

  it('of this machine may be plain http, and only those', () => {
    for (const host of ['localhost', '127.0.0.1', '127.8.8.8:3000', '[::1]:3000', 'login.localhost']) {
      const env = { SITE_URL: `http://${host}`, NODE_ENV: 'production' };
      expect(loadConfig(env).contact, host).to.equal(null);
    }
    for (const host of ['localhost.evil.example', '127.0.0.1.example', '[::2]', '0.0.0.0', '128.0.0.1']) {
      const problems = problemsOf(() => loadConfig({ SITE_URL: `http://${host}`, NODE_ENV: 'production' }));
      expect(problems, host).to.have.length(3);
    }
  });

  it('accept a contact for security reports in the form of security.txt', () => {
    expect(problemsOf(() => loadConfig({ SITE_URL: 'https://upsilon.example', SECRETS_KEY }))[0]).to.include(
      'CONTACT is not set',
    );
    for (const contact of [CONTACT, 'https://upsilon.example/security', 'tel:+1-201-555-0123']) {
      expect(loadConfig({ SITE_URL: 'https://upsilon.example', SECRETS_KEY, CONTACT: contact }).contact).to.equal(
        contact,
      );
    }
    for (const contact of ['security@upsilon.example', 'http://upsilon.example', `${CONTACT}\nContact: mailto:x@y.z`]) {
      expect(problemsOf(() => loadConfig({ CONTACT: contact }))[0], contact).to.include('CONTACT is not a mailto:');
    }
  });
});

describe('redactUrl', () => {
  for (const [address, shown] of [
    ['mongodb://user:pa%40ss@a.example:1,b.example:2/db?x=1', 'mongodb://***@a.example:1,b.example:2/db?x=1'],
    ['redis://:sesame@redis.example:6379/0', 'redis://***@redis.example:6379/0'],
    ['redis://redis.example:6379', 'redis://redis.example:6379'],
    ['rediss+cluster://user:sesame@a.example:1,b.example:2', 'rediss+cluster://***@a.example:1,b.example:2'],
    ['mongodb://user:p@ss@db.example/', 'mongodb://***@db.example/'],
    ['https://upsilon.example/@name', 'https://upsilon.example/@name'],
  ] as const) {
    it(`shows ${shown}`, () => expect(redactUrl(address)).to.equal(shown));
  }
});

describe('development sign-in', () => {
  it('is available on a local installation, unless it is turned off', () => {
    expect(loadConfig({}).signIn).to.include({ local: true, development: 'loopback' });
    expect(loadConfig({ DEV_SIGN_IN: 'on' }).signIn).to.include({ local: true, development: 'everybody' });
    expect(loadConfig({ DEV_SIGN_IN: 'off' }).signIn).to.include({ local: true, development: 'off' });
  });

  for (const env of [
    { NODE_ENV: 'production' },
    { LOGIN_URL: 'https://upsilon.example', ...REQUIRED },
    { AUTH_URL: 'http://id.upsilon.example', ...REQUIRED },
    { BASE_URL: 'https://localhost/api/v1' },
    { HOST: '0.0.0.0' },
    { TRUSTED_PROXIES: '10.0.0.0/8' },
  ]) {
    it(`is refused, and off by itself, with ${JSON.stringify(env)}`, () => {
      expect(loadConfig(env).signIn.development).to.equal('off');
      const problems = problemsOf(() => loadConfig({ ...env, DEV_SIGN_IN: 'true' }));
      expect(problems).to.have.length(1);
      expect(problems[0]).to.match(/^DEV_SIGN_IN /);
    });
  }
});
