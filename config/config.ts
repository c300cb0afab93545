import type { KeyObject } from 'node:crypto';
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BillingConfig, readBilling } from './billing.ts';
import { type Env, type EnvSource, readEnv } from './env.ts';
import { type PremiumConfig, readPremium } from './premium.ts';
import { plainHttpProblems, readContact } from './public-addresses.ts';
import { SettingsError } from './settings-error.ts';
import { readSignIn, type SignInConfig } from './sign-in.ts';
import type { TrustedProxy } from './trusted-proxy.ts';

/** The folder of `package.json`, which contains the default data folder. */
const PROJECT_DIR = fileURLToPath(new URL('..', import.meta.url));

/** The data folder when `DATA_DIR` is not set. */
export const DEFAULT_DATA_DIR = resolve(PROJECT_DIR, '.data');

/** Exit status for unusable settings (`EX_CONFIG` of sysexits). */
const SETTINGS_EXIT_STATUS = 78;

const TRACES_PATH = '/v1/traces';

/** The settings of this process. Addresses have no trailing slash. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Port of the api's `/metrics`; worker number n (from 1) uses the n-th port after it. */
  readonly metricsPort: number;
  readonly workerMetricsPort: number;
  /** Number of worker processes that `npm start` runs. */
  readonly workers: number;
  /** Number of this worker process, from 1. */
  readonly workerIndex: number;
  /** Absolute path. */
  readonly dataDir: string;
  /** Undefined: `npm start` runs a local engine. May contain credentials: print it only through `redactUrl`. */
  readonly mongoUrl: string | undefined;
  readonly redisUrl: string | undefined;
  /** The first key encrypts secrets in MongoDB; every key decrypts. Empty: secrets are stored in clear. */
  readonly secretsKeys: readonly KeyObject[];
  readonly baseUrl: string;
  readonly siteUrl: string;
  readonly loginUrl: string;
  readonly authUrl: string;
  /** Contact for security reports; null on a local installation without one. */
  readonly contact: string | null;
  /** Issuer of the accepted access tokens: `authUrl` unless an external provider is configured. */
  readonly issuer: string;
  /** The JWKS or discovery document of an external issuer; undefined when the issuer is this service. */
  readonly jwksUrl: string | undefined;
  readonly signIn: SignInConfig;
  readonly billing: BillingConfig;
  /** Requests paid with x402; null when closed. */
  readonly premium: PremiumConfig | null;
  readonly trustedProxies: readonly TrustedProxy[];
  /** Maximum connections of one client address to one process, unless it is loopback or a trusted proxy. */
  readonly connectionsPerAddress: number;
  /** Whether submitting requires a paid plan. */
  readonly enforcePlan: boolean;
  /** How long a submission waits for its verdict without a `Prefer: wait`, in milliseconds. */
  readonly verdictWaitMs: number;
  /** The OTLP/HTTP endpoint for traces; null: tracing is off. */
  readonly tracesUrl: string | null;
  readonly logLevel: Env['LOG_LEVEL'];
}

/** The config of a process that needs both databases. */
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
  const problems = crossFieldProblems(env);
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

/** As `loadConfig`. Throws a `SettingsError` when a database address is missing. */
export function loadServiceConfig(source?: EnvSource): ServiceConfig {
  const config = loadConfig(source);
  const { mongoUrl, redisUrl } = config;
  if (mongoUrl !== undefined && redisUrl !== undefined) return { ...config, mongoUrl, redisUrl };
  const missing = [mongoUrl === undefined ? 'MONGODB_URL' : '', redisUrl === undefined ? 'REDIS_URL' : ''];
  throw new SettingsError(
    missing
      .filter((name) => name !== '')
      .map((name) => `${name} is not set: this process starts no local database ("npm start" does)`),
  );
}

/** Runs `load`. Prints unusable settings to standard error and exits with status 78. */
export function configOrExit<C>(load: () => C): C {
  try {
    return load();
  } catch (error) {
    return exitOnSettings(error);
  }
}

/** Prints settings that turn out to be unusable after startup has begun, and exits with status 78. */
export function exitOnSettings(error: unknown): never {
  // An engine reports settings that do not match the stored data by an error with `problems`.
  if (!(error instanceof Error && 'problems' in error && Array.isArray(error.problems))) throw error;
  const { message } = error instanceof SettingsError ? error : new SettingsError(error.problems);
  process.stderr.write(`${message}\n`);
  return process.exit(SETTINGS_EXIT_STATUS);
}

function crossFieldProblems(env: Env): string[] {
  const problems: string[] = [];
  const lastMetricsPort = env.METRICS_PORT + Math.max(env.WORKERS, env.WORKER_INDEX);
  if (env.PORT >= env.METRICS_PORT && env.PORT <= lastMetricsPort) {
    problems.push(`PORT ${env.PORT} is one of the metrics ports, ${env.METRICS_PORT} to ${lastMetricsPort}`);
  }
  if (lastMetricsPort > 65_535) problems.push('METRICS_PORT leaves no ports above it for the workers');
  if (env.ISSUER === undefined && env.JWKS_URL !== undefined) {
    problems.push('ISSUER is not set, but JWKS_URL gives the keys of an external identity provider');
  }
  return [...problems, ...plainHttpProblems(env)];
}

function dataDirectory(given: string | undefined): string {
  if (given === undefined) return DEFAULT_DATA_DIR;
  return isAbsolute(given) ? given : resolve(given);
}

/** The OTLP/HTTP endpoint for spans; null: tracing is off. Follows OpenTelemetry's variables. */
function readTracesUrl(env: Env): string | null {
  if (env.OTEL_SDK_DISABLED || env.OTEL_TRACES_EXPORTER === 'none') return null;
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: all } = env;
  return own ?? (all === undefined ? null : all.replace(/\/+$/, '') + TRACES_PATH);
}
