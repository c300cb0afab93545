import { z } from 'zod';
import {
  absent,
  address,
  contact,
  evmAddress,
  evmNetwork,
  flag,
  givenFlag,
  integer,
  mongoUrl,
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

/** A PORT may be anything a listener takes; 0 would be a port nobody can name. */
const port = (otherwise: number) => integer({ least: 1, most: 65_535, otherwise });

/** Every setting of the service, by the name of its environment variable. An empty variable counts as unset. */
const ENV = z.object({
  HOST: address('127.0.0.1'),
  PORT: port(3000),
  METRICS_PORT: port(9464),
  WORKERS: integer({ least: 1, most: 64, otherwise: 1 }),
  WORKER_INDEX: integer({ least: 1, most: 64, otherwise: 1 }),
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
  PLAN_MONTHLY_CENTS: integer({ least: 1, most: 99_999_999, otherwise: 500 }),
  PLAN_ANNUAL_CENTS: integer({ least: 1, most: 99_999_999, otherwise: 5_000 }),
  PLAN_CURRENCY: text()
    .regex(/^[A-Za-z]{3}$/, 'is no ISO 4217 code')
    .default('usd'),
  DEV_SIGN_IN: givenFlag().optional(),
  NODE_ENV: text().optional(),
  TRUSTED_PROXIES: trustedProxies(),
  CONNECTIONS_PER_ADDRESS: integer({ least: 1, most: 10_000, otherwise: 256 }),
  ENFORCE_PLAN: flag(false),
  X402_PAY_TO: evmAddress().optional(),
  X402_NETWORK: evmNetwork('eip155:84532'),
  X402_ASSET: evmAddress().optional(),
  X402_ASSET_NAME: text().optional(),
  X402_ASSET_VERSION: text().optional(),
  X402_ASSET_DECIMALS: integer({ least: 0, most: 18, otherwise: 6 }),
  X402_FACILITATOR_URL: serverUrl().optional(),
  X402_RPC_URL: serverUrl().optional(),
  X402_PRICE: price(PREMIUM_PRICES.access),
  VERDICT_WAIT_MS: integer({ least: 0, most: 30_000, otherwise: 1500 }),
  OTEL_EXPORTER_OTLP_ENDPOINT: serverUrl().optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: serverUrl().optional(),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], 'is neither otlp nor none').default('otlp'),
  OTEL_SDK_DISABLED: flag(false),
  LOG_LEVEL: z.enum(LOG_LEVELS, `is none of ${LOG_LEVELS.join(', ')}`).default('info'),
});

export type Env = z.infer<typeof ENV>;

/** Variables by name, as a process gets them. */
export type EnvSource = Readonly<Record<string, string | undefined>>;

/** This process's variables, copied: what a child process starts from and where programs are looked for. */
export function processEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

/**
 * Reads every setting at once. The only place of the product that looks at `process.env`.
 *
 * @throws SettingsError that lists every problem, when there is any.
 */
export function readEnv(source: EnvSource = processEnvironment()): Env {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => !absent(value)));
  const parsed = ENV.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new SettingsError(parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`));
}
