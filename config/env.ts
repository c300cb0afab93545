import { z } from 'zod';
import {
  address,
  contact,
  evmAddress,
  evmNetwork,
  flag,
  integer,
  isAbsent,
  mongoUrl,
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
import { SettingsError } from './settings-error.ts';

const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** Not 0: clients could not know which port the system chose. */
const port = (defaultPort: number) => integer({ min: 1, max: 65_535, default: defaultPort });

/** Every setting of the service, by the name of its environment variable. An empty variable counts as unset. */
const ENV = z.object({
  HOST: address('127.0.0.1'),
  PORT: port(3000),
  METRICS_PORT: port(9464),
  WORKERS: integer({ min: 1, max: 64, default: 1 }),
  WORKER_INDEX: integer({ min: 1, max: 64, default: 1 }),
  DATA_DIR: text().optional(),
  MONGODB_URL: mongoUrl().optional(),
  REDIS_URL: redisUrl().optional(),
  SECRETS_KEY: secretsKeys(),
  BASE_URL: publicUrl().optional(),
  SITE_URL: publicUrl().optional(),
  LOGIN_URL: publicUrl().optional(),
  AUTH_URL: publicUrl().optional(),
  CONTACT: contact().optional(),
  ISSUER: publicUrl().optional(),
  JWKS_URL: publicUrl().optional(),
  GITHUB_CLIENT_ID: text().optional(),
  GITHUB_CLIENT_SECRET: text().optional(),
  GITHUB_URL: publicUrl().default('https://github.com'),
  GITHUB_API_URL: publicUrl().default('https://api.github.com'),
  TWITTER_CLIENT_ID: text().optional(),
  TWITTER_CLIENT_SECRET: text().optional(),
  TWITTER_URL: publicUrl().default('https://x.com'),
  TWITTER_API_URL: publicUrl().default('https://api.x.com'),
  SMTP_URL: smtpUrl().optional(),
  MAIL_FROM: text().optional(),
  STRIPE_SECRET_KEY: text().optional(),
  STRIPE_WEBHOOK_SECRET: text().optional(),
  STRIPE_API_URL: publicUrl().default('https://api.stripe.com'),
  PLAN_MONTHLY_CENTS: integer({ min: 1, max: 99_999_999, default: 500 }),
  PLAN_ANNUAL_CENTS: integer({ min: 1, max: 99_999_999, default: 5_000 }),
  PLAN_CURRENCY: text()
    .regex(/^[A-Za-z]{3}$/, 'is not an ISO 4217 code')
    .default('usd'),
  DEV_SIGN_IN: optionalFlag().optional(),
  NODE_ENV: text().optional(),
  TRUSTED_PROXIES: trustedProxies(),
  CONNECTIONS_PER_ADDRESS: integer({ min: 1, max: 10_000, default: 256 }),
  ENFORCE_PLAN: flag(false),
  X402_PAY_TO: evmAddress().optional(),
  X402_NETWORK: evmNetwork('eip155:84532'),
  X402_ASSET: evmAddress().optional(),
  X402_ASSET_NAME: text().optional(),
  X402_ASSET_VERSION: text().optional(),
  X402_ASSET_DECIMALS: integer({ min: 0, max: 18, default: 6 }),
  X402_FACILITATOR_URL: serverUrl().optional(),
  X402_RPC_URL: serverUrl().optional(),
  X402_PRICE: price(PREMIUM_PRICES.access),
  VERDICT_WAIT_MS: integer({ min: 0, max: 30_000, default: 1500 }),
  OTEL_EXPORTER_OTLP_ENDPOINT: serverUrl().optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: serverUrl().optional(),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], 'is neither otlp nor none').default('otlp'),
  OTEL_SDK_DISABLED: flag(false),
  LOG_LEVEL: z.enum(LOG_LEVELS, `is none of ${LOG_LEVELS.join(', ')}`).default('info'),
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

/**
 * Reads all settings. Together with `processEnvironment` the only reader of `process.env`.
 *
 * @throws SettingsError that lists every problem.
 */
export function readEnv(source: EnvSource = processEnvironment()): Env {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => !isAbsent(value)));
  const parsed = ENV.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new SettingsError(parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`));
}
