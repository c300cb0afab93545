import type { KeyObject } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BillingConfig, readBilling } from './billing.ts';
import { type Env, type EnvSource, readEnv } from './env.ts';
import { type PremiumConfig, readPremium } from './premium.ts';
import { plainHttpProblems, readContact } from './public-addresses.ts';
import { SettingsError } from './settings-error.ts';
import { readSignIn, type SignInConfig } from './sign-in.ts';
import { readTracesUrl } from './tracing.ts';
import type { TrustedProxy } from './trusted-proxy.ts';

/** The folder that holds `package.json`: where the default data folder is. */
const PROJECT_DIR = fileURLToPath(new URL('..', import.meta.url));

/** Where data is kept when `DATA_DIR` is not set. */
export const DEFAULT_DATA_DIR = resolve(PROJECT_DIR, '.data');

/** Exit status of a command whose settings cannot be used. */
const SETTINGS_EXIT_STATUS = 78;

/** How this process is to run. Addresses carry no slash at their end. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Where `/metrics` of the api is; worker number n (from 1) uses the n-th port after it. */
  readonly metricsPort: number;
  readonly workerMetricsPort: number;
  /** Worker processes that `npm start` runs. */
  readonly workers: number;
  /** Which of them this process is, from 1. */
  readonly workerIndex: number;
  /** Absolute path. */
  readonly dataDir: string;
  /** Undefined: `npm start` runs an engine of its own. May carry credentials: print it only through `redactUrl`. */
  readonly mongoUrl: string | undefined;
  readonly redisUrl: string | undefined;
  /** The first key encrypts secrets in MongoDB, and each of them decrypts. Empty: secrets are stored in clear. */
  readonly secretsKeys: readonly KeyObject[];
  readonly baseUrl: string;
  readonly siteUrl: string;
  readonly loginUrl: string;
  readonly authUrl: string;
  /** Where security reports go; null on a local copy that names none. */
  readonly contact: string | null;
  /** Who issues the access tokens that are accepted: `authUrl` unless an outside provider is named. */
  readonly issuer: string;
  /** Where an outside issuer publishes its keys, or says where they are; undefined when the issuer is this service. */
  readonly jwksUrl: string | undefined;
  readonly signIn: SignInConfig;
  readonly billing: BillingConfig;
  /** What is paid for request by request; null when it is closed. */
  readonly premium: PremiumConfig | null;
  readonly trustedProxies: readonly TrustedProxy[];
  /** Connections that one client address may hold to one process, unless it is loopback or a trusted proxy. */
  readonly connectionsPerAddress: number;
  /** Whether submitting takes a paid plan. */
  readonly enforcePlan: boolean;
  /** How long a submission waits for its verdict when the client does not say, in milliseconds. */
  readonly verdictWaitMs: number;
  /** Where traces are sent, by OTLP over HTTP; null: there are none. */
  readonly tracesUrl: string | null;
  readonly logLevel: Env['LOG_LEVEL'];
}

/** The config of a process that serves: both databases are known. */
export interface ServiceConfig extends Config {
  readonly mongoUrl: string;
  readonly redisUrl: string;
}

/**
 * The settings of this process.
 *
 * @throws SettingsError that lists every problem.
 */
export function loadConfig(source?: EnvSource): Config {
  const env = readEnv(source);
  const problems = acrossPopulations(env);
  const origin = `http://localhost:${env.PORT}`;
  const authUrl = env.AUTH_URL ?? origin;
  const loginUrl = env.LOGIN_URL ?? origin;
  const addresses = [loginUrl, authUrl, env.SITE_URL ?? origin, env.BASE_URL ?? origin];
  const contact = readContact(env, addresses, problems);
  const signIn = readSignIn(env, addresses, problems);
  const billing = readBilling(env, signIn.local, problems);
  const premium = readPremium(env, signIn.local, problems);
  if (problems.length > 0) throw new SettingsError(problems);
  return {
    host: env.HOST,
    port: env.PORT,
    metricsPort: env.METRICS_PORT,
    workerMetricsPort: env.METRICS_PORT + env.WORKER_INDEX,
    workers: env.WORKERS,
    workerIndex: env.WORKER_INDEX,
    dataDir: dataDirectory(env.DATA_DIR),
    mongoUrl: env.MONGODB_URL,
    redisUrl: env.REDIS_URL,
    secretsKeys: env.SECRETS_KEY,
    baseUrl: env.BASE_URL ?? `${origin}/api/v1`,
    siteUrl: env.SITE_URL ?? origin,
    loginUrl,
    authUrl,
    contact,
    issuer: env.ISSUER ?? authUrl,
    jwksUrl: env.JWKS_URL ?? (env.ISSUER === undefined ? undefined : `${env.ISSUER}/.well-known/openid-configuration`),
    signIn,
    billing,
    premium,
    trustedProxies: env.TRUSTED_PROXIES,
    connectionsPerAddress: env.CONNECTIONS_PER_ADDRESS,
    enforcePlan: env.ENFORCE_PLAN,
    verdictWaitMs: env.VERDICT_WAIT_MS,
    tracesUrl: readTracesUrl(env),
    logLevel: env.LOG_LEVEL,
  };
}

/** As `loadConfig`, for a process that cannot do without the databases. */
export function loadServiceConfig(source?: EnvSource): ServiceConfig {
  const config = loadConfig(source);
  const { mongoUrl, redisUrl } = config;
  if (mongoUrl !== undefined && redisUrl !== undefined) return { ...config, mongoUrl, redisUrl };
  const missing = [mongoUrl === undefined ? 'MONGODB_URL' : '', redisUrl === undefined ? 'REDIS_URL' : ''];
  throw new SettingsError(
    missing
      .filter((name) => name !== '')
      .map((name) => `${name} is not set: this process starts no database of its own ("npm start" does)`),
  );
}

/** Runs `load`; settings that cannot be used are listed on standard error and end the process. */
export function configOrExit<C>(load: () => C): C {
  try {
    return load();
  } catch (error) {
    return exitOnSettings(error);
  }
}

/** Lists settings that turn out to be unusable after the stores were opened, and ends the process. */
export function exitOnSettings(error: unknown): never {
  if (!(error instanceof SettingsError)) throw error;
  process.stderr.write(`${error.message}\n`);
  return process.exit(SETTINGS_EXIT_STATUS);
}

function acrossPopulations(env: Env): string[] {
  const problems: string[] = [];
  const lastMetricsPort = env.METRICS_PORT + Math.max(env.WORKERS, env.WORKER_INDEX);
  if (env.PORT >= env.METRICS_PORT && env.PORT <= lastMetricsPort) {
    problems.push(`PORT ${env.PORT} is one of the metrics ports, ${env.METRICS_PORT} to ${lastMetricsPort}`);
  }
  if (lastMetricsPort > 65_535) problems.push('METRICS_PORT leaves no ports above it for the workers');
  if (env.ISSUER === undefined && env.JWKS_URL !== undefined) {
    problems.push('ISSUER is not set, but JWKS_URL names the keys of an outside identity provider');
  }
  return [...problems, ...plainHttpProblems(env)];
}

function dataDirectory(given: string | undefined): string {
  if (given === undefined) return DEFAULT_DATA_DIR;
  return isAbsolute(given) ? given : resolve(given);
}
