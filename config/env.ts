import { z } from 'zod';
import {
  address,
  contact,
  evmAddress,
  flag,
  integer,
  isAbsent,
  issuer,
  mongoUrl,
  npmPackage,
  optionalFlag,
  price,
  publicUrl,
  redisUrl,
  secretsKeys,
  serverUrl,
  smtpUrl,
  text,
  trustedProxies,
} from './env-fields.ts';
import { PREMIUM_PRICES } from './premium-prices.ts';
import { PAYMENT_NETWORK_IDS } from './x402-networks.ts';

const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** Not 0: clients could not know which port the system chose. */
const port = (defaultPort: number) => integer({ min: 1, max: 65_535, default: defaultPort });

/**
 * Every setting of the service, by the name of its environment variable. An empty variable counts as unset. A description is
 * also that of the settings after it which have none; `ops/docs/SETTINGS.md` contains it.
 */
export const ENV = z.object({
  HOST: address('127.0.0.1').describe('where the API listens'),
  PORT: port(3000),
  METRICS_PORT: port(9464).describe('Prometheus metrics of the API; worker n uses the n-th port after it'),
  API_PROCESSES: integer({ min: 1, max: 64, default: 1 }).describe(
    'processes of the API behind its address, for machines with several cores; the metrics of all are at `METRICS_PORT`',
  ),
  WORKERS: integer({ min: 1, max: 64, default: 1 }).describe('worker processes that `npm start` runs'),
  WORKER_INDEX: integer({ min: 1, max: 64, default: 1 }).describe('number of this worker process, from 1'),
  DATA_DIR: text()
    .optional()
    .describe('data of local engines, and the note of what runs; without it `.data` in the project'),
  MONGODB_URL: mongoUrl()
    .optional()
    .describe(
      'engines to use instead of local ones. A Redis Cluster is named by some of its nodes: ' +
        '`redis+cluster://user:password@host:6379,host:6379`, with TLS `rediss+cluster://`',
    ),
  REDIS_URL: redisUrl().optional(),
  SECRETS_KEY: secretsKeys().describe(
    'encrypts signing keys, cookie keys and form keys in MongoDB and in exports: 32 random bytes in base64url. ' +
      'While you replace the key, two keys separated by a comma, of which the first encrypts. Required with a public address; once it was set, ' +
      'processes without it do not start: see [the runbook](runbooks/secrets-key-lost.md)',
  ),
  BASE_URL: publicUrl()
    .optional()
    .describe(
      'the public address of the API, which ends in `/api/v1`; without it `http://localhost:PORT/api/v1`. Website, ' +
        'sign-in and authorization server have its origin unless they get addresses of their own. With ' +
        '`NODE_ENV=production` each must be https, or on this machine',
    ),
  SITE_URL: publicUrl().optional(),
  LOGIN_URL: publicUrl().optional(),
  AUTH_URL: publicUrl().optional(),
  CONTACT: contact()
    .optional()
    .describe(
      'how people reach you, and where to report vulnerabilities (`/.well-known/security.txt`): a `mailto:`, `https:` or `tel:` ' +
        'address; required with a public address',
    ),
  OPERATED_BY: text()
    .max(100, 'is longer than 100 characters')
    .optional()
    .describe('who runs this installation, a person or an organisation, for `/about` and the foot of every page'),
  TERMS_URL: publicUrl()
    .optional()
    .describe(
      'your terms of use, and your words on privacy beside those of `/privacy`: linked from every page and from the API description',
    ),
  PRIVACY_URL: publicUrl().optional(),
  CLI_PACKAGE: npmPackage()
    .optional()
    .describe(
      'the npm package under which you publish the command-line tool, such as `@your-scope/upsilon`; without it the ' +
        'site offers the tool itself, at `/cli/upsilon.tgz`',
    ),
  GITHUB_CLIENT_ID: text().optional().describe('sign-in by GitHub'),
  GITHUB_CLIENT_SECRET: text().optional(),
  TWITTER_CLIENT_ID: text().optional().describe('sign-in by X'),
  TWITTER_CLIENT_SECRET: text().optional(),
  OIDC_ISSUER: issuer()
    .optional()
    .describe(
      'sign-in by an OpenID provider, such as that of your company: its issuer; the client, which is registered there ' +
        'with the redirect address `LOGIN_URL/auth/callback`; and the name on the button',
    ),
  OIDC_CLIENT_ID: text().optional(),
  OIDC_CLIENT_SECRET: text().optional(),
  OIDC_NAME: text().max(40, 'is longer than 40 characters').default('OpenID Connect'),
  SMTP_URL: smtpUrl()
    .optional()
    .describe(
      'mail for sign-in links, notices and weekly letters; without it a local copy shows them in its log and, where `DEV_SIGN_IN` allows it, ' +
        'at `/login/outbox`',
    ),
  MAIL_FROM: text().optional(),
  STRIPE_SECRET_KEY: text()
    .optional()
    .describe('subscriptions by card; two webhook secrets, separated by a comma, while one is exchanged'),
  STRIPE_WEBHOOK_SECRET: text().optional(),
  PLAN_MONTHLY_CENTS: integer({ min: 1, max: 99_999_999, default: 500 }).describe('what a plan costs'),
  PLAN_ANNUAL_CENTS: integer({ min: 1, max: 99_999_999, default: 5_000 }),
  PLAN_CURRENCY: text()
    .regex(/^[A-Za-z]{3}$/, 'is not an ISO 4217 code')
    .default('usd'),
  DEV_SIGN_IN: optionalFlag()
    .optional()
    .describe(
      'sign in under any address, and `/login/outbox`. `on`: for every request that reaches a local copy, also ' +
        'through a proxy or tunnel; `off`: never. Without it: on a local copy, only for requests to a loopback host ' +
        'without `Forwarded`, `X-Forwarded-*`, `Via` or another header of proxies, such as `X-Real-IP`. Refused with ' +
        '`NODE_ENV=production` or public addresses',
    ),
  NODE_ENV: text().optional().describe('`production` refuses what is meant for a local copy'),
  TRUSTED_PROXIES: trustedProxies().describe(
    'proxies whose `X-Forwarded-For` is trusted: addresses, CIDR ranges. List your proxies one by one, such as ' +
      '`192.0.2.10`: every client within a range can choose the address that its requests count under',
  ),
  CONNECTIONS_PER_ADDRESS: integer({ min: 1, max: 10_000, default: 256 }).describe(
    'connections one address (IPv6: /64) may hold to one process; loopback and trusted proxies are exempt',
  ),
  ENFORCE_PLAN: flag(false).describe('whether submitting takes a paid plan'),
  X402_PAY_TO: evmAddress()
    .optional()
    .describe(
      'receives the payments of the premium routes; without it they are closed, but a local copy uses an address ' +
        'without a known key',
    ),
  X402_NETWORK: z
    .enum(PAYMENT_NETWORK_IDS, `is none of ${PAYMENT_NETWORK_IDS.join(', ')}`)
    .default('eip155:84532')
    .describe(
      'the chain, whose USDC is taken; `eip155:84532` is Base Sepolia, a test network, and a public installation takes ' +
        'no test network (`eip155:8453` is Base)',
    ),
  X402_FACILITATOR_URL: serverUrl()
    .optional()
    .describe('verifies and settles payments; without it the routes only return their price'),
  X402_RPC_URL: serverUrl()
    .optional()
    .describe(
      "where the chain is read when the outcome of a payment is not known; without it the network's public address",
    ),
  X402_PRICE: price(PREMIUM_PRICES.access).describe('what `GET /api` costs, in dollars of the stablecoin'),
  ARCHIVE_DIR: text()
    .optional()
    .describe(
      'publish the first board of each day: a folder that the workers write and the API reads, the licence of the data such as ' +
        '`CC-BY-4.0`, and for how many days lines are kept. Without the first two there is no archive',
    ),
  ARCHIVE_LICENSE: text().max(200, 'is longer than 200 characters').optional(),
  ARCHIVE_DAYS: integer({ min: 30, max: 9_999, default: 400 }),
  VERDICT_WAIT_MS: integer({ min: 0, max: 30_000, default: 1500 }).describe(
    'how long a submission waits for its verdict',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: serverUrl()
    .optional()
    .describe('a collector for traces, with the other `OTEL_*` variables; see [TRACES.md](TRACES.md)'),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, `is none of ${LOG_LEVELS.join(', ')}`)
    .default('info')
    .describe('the least severe lines of the log'),
});

export type Env = z.infer<typeof ENV>;

/** Environment variables by name. */
export type EnvSource = Readonly<Record<string, string | undefined>>;

/** A copy of this process's variables, for child processes and for finding programs. */
export function processEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

/** The settings of an environment, and what is wrong with those that cannot be read; those have their defaults. */
export interface ReadEnv {
  readonly env: Env;
  readonly problems: readonly string[];
  /** The names of settings that cannot be read. */
  readonly unreadable: readonly string[];
}

/** Reads all settings. Together with `processEnvironment` the only reader of `process.env`. */
export function readEnv(source: EnvSource = processEnvironment()): ReadEnv {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => !isAbsent(value)));
  const parsed = ENV.safeParse(given);
  if (parsed.success) return { env: parsed.data, problems: [], unreadable: [] };
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  const unreadable = [...new Set(parsed.error.issues.map((issue) => String(issue.path[0])))];
  const readable = Object.entries(given).filter(([name]) => !unreadable.includes(name));
  return { env: ENV.parse(Object.fromEntries(readable)), problems, unreadable };
}
