import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readBilling } from './billing.ts';
import { type Env, type EnvSource, readEnv } from './env.ts';
import type { ArchiveConfig } from './env-fields.ts';
import { readPremium } from './premium.ts';
import { isLoopback, plainHttpProblems, readContact, readSecretsKeys } from './public-addresses.ts';
import { SettingsError } from './settings-error.ts';
import { readSignIn, type SignInConfig } from './sign-in.ts';

/** The folder of `package.json`, which contains the default data folder. */
const PROJECT_DIR = fileURLToPath(new URL('..', import.meta.url));

/** The data folder when `DATA_DIR` is not set. */
export const DEFAULT_DATA_DIR = resolve(PROJECT_DIR, '.data');

/** Exit status for unusable settings (`EX_CONFIG` of sysexits). */
const SETTINGS_EXIT_STATUS = 78;

const TRACES_PATH = '/v1/traces';

/** The settings of this process. Addresses have no trailing slash. */
export type Config = Readonly<ReturnType<typeof loadConfig>>;

/** The config of a process that needs both databases. */
export interface ServiceConfig extends Config {
  readonly mongoUrl: string;
  readonly redisUrl: string;
}

/** What a process is for: an api must have a way to sign in where it is public. */
type Role = 'api' | null;

/**
 * The settings of this process.
 *
 * @throws SettingsError that lists every problem.
 */
export function loadConfig(source?: EnvSource, role: Role = null) {
  const { config, problems } = readConfig(source, role);
  if (problems.length > 0) throw new SettingsError(problems);
  return config;
}

function readConfig(source: EnvSource | undefined, role: Role) {
  const { env, problems: malformed, unreadable } = readEnv(source);
  const problems = crossFieldProblems(env);
  const baseUrl = env.BASE_URL ?? `http://localhost:${env.PORT}/api/v1`;
  const { origin } = new URL(baseUrl);
  const authUrl = env.AUTH_URL ?? origin;
  const loginUrl = env.LOGIN_URL ?? origin;
  const siteUrl = env.SITE_URL ?? origin;
  const addresses = [loginUrl, authUrl, siteUrl, baseUrl];
  const contact = readContact(env, addresses, problems);
  const secretsKeys = readSecretsKeys(env, addresses, problems);
  const signIn = readSignIn(env, addresses, problems);
  const billing = readBilling(env, problems);
  const premium = readPremium(env, signIn.local, problems);
  if (role === 'api') problems.push(...signInProblems(signIn, loginUrl));
  // What follows from a setting that cannot be read is not worth a line.
  const others = problems.filter((problem) => !problem.split(/\W+/).some((word) => unreadable.includes(word)));
  const config = {
    host: env.HOST,
    port: env.PORT,
    /** Port of the api's `/metrics`; worker number n (from 1) uses the n-th port after it. */
    metricsPort: env.METRICS_PORT,
    workerMetricsPort: env.METRICS_PORT + env.WORKER_INDEX,
    /** Number of api processes that share the address. */
    apiProcesses: env.API_PROCESSES,
    /** Number of worker processes that `npm start` runs. */
    workers: env.WORKERS,
    /** Number of this worker process, from 1. */
    workerIndex: env.WORKER_INDEX,
    /** Absolute path. */
    dataDir: env.DATA_DIR === undefined ? DEFAULT_DATA_DIR : resolve(env.DATA_DIR),
    /** Undefined: `npm start` runs a local engine. May contain credentials: print it only through `redactUrl`. */
    mongoUrl: env.MONGODB_URL,
    redisUrl: env.REDIS_URL,
    /** The first key encrypts secrets in MongoDB; every key decrypts. Empty: secrets are stored in clear. */
    secretsKeys,
    baseUrl,
    siteUrl,
    loginUrl,
    /** Issuer of the access tokens. */
    authUrl,
    /** The package that the site names for the tool; null: the site offers the tool itself. */
    cliPackage: env.CLI_PACKAGE ?? null,
    /** How people reach who runs the service; null on a local installation without one. */
    contact,
    operatedBy: env.OPERATED_BY,
    /** The terms of use and the privacy policy of the installation. */
    termsUrl: env.TERMS_URL,
    privacyUrl: env.PRIVACY_URL,
    signIn,
    billing,
    /** Requests paid with x402; null when closed. */
    premium,
    /** The daily archive; null: there is none. */
    archive: readArchive(env),
    trustedProxies: env.TRUSTED_PROXIES,
    /** Maximum connections of one client address to one process, unless it is loopback or a trusted proxy. */
    connectionsPerAddress: env.CONNECTIONS_PER_ADDRESS,
    /** Whether submitting requires a paid plan. */
    enforcePlan: env.ENFORCE_PLAN,
    /** How long a submission waits for its verdict without a `Prefer: wait`, in milliseconds. */
    verdictWaitMs: env.VERDICT_WAIT_MS,
    /** The OTLP/HTTP endpoint for traces; null: tracing is off. */
    tracesUrl: readTracesUrl(env),
    logLevel: env.LOG_LEVEL,
  };
  return { config, problems: [...malformed, ...others] };
}

/** As `loadConfig`. Throws a `SettingsError` also when a database address is missing. */
export function loadServiceConfig(source?: EnvSource, role: Role = null): ServiceConfig {
  const { config, problems } = readConfig(source, role);
  const { mongoUrl, redisUrl } = config;
  const missing = [
    ...(mongoUrl === undefined ? ['MONGODB_URL'] : []),
    ...(redisUrl === undefined ? ['REDIS_URL'] : []),
  ].filter((name) => !problems.some((problem) => problem.startsWith(name)));
  problems.push(
    ...missing.map((name) => `${name} is not set: this process starts no local database ("npm start" does)`),
  );
  if (problems.length > 0 || mongoUrl === undefined || redisUrl === undefined) throw new SettingsError(problems);
  return { ...config, mongoUrl, redisUrl };
}

/** What keeps everybody from signing in to a public installation. */
function signInProblems({ github, twitter, oidc, smtpUrl }: SignInConfig, loginUrl: string): string[] {
  const hasSignIn = [github, twitter, oidc, smtpUrl].some((way) => way !== null);
  if (hasSignIn || isLoopback(loginUrl)) return [];
  const ways =
    'set SMTP_URL for links by mail, or GITHUB_CLIENT_ID, TWITTER_CLIENT_ID or OIDC_CLIENT_ID with its secret';
  return [`nobody can sign in at ${loginUrl}: ${ways}`];
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
  if (env.BASE_URL !== undefined && !env.BASE_URL.endsWith('/api/v1')) {
    problems.push(`BASE_URL ${env.BASE_URL} does not end in /api/v1, the path of the API: add it`);
  }
  if ((env.ARCHIVE_DIR === undefined) !== (env.ARCHIVE_LICENSE === undefined)) {
    problems.push('ARCHIVE_DIR and ARCHIVE_LICENSE need each other: set both, or none');
  }
  if (lastMetricsPort > 65_535) problems.push('METRICS_PORT leaves no ports above it for the workers');
  return [...problems, ...plainHttpProblems(env)];
}

/** The OTLP/HTTP endpoint for spans; null: tracing is off. */
function readTracesUrl({ OTEL_EXPORTER_OTLP_ENDPOINT: collector }: Env): string | null {
  return collector === undefined ? null : collector.replace(/\/+$/, '') + TRACES_PATH;
}

function readArchive({ ARCHIVE_DIR: dir, ARCHIVE_LICENSE: license, ARCHIVE_DAYS: days }: Env): ArchiveConfig | null {
  return dir === undefined || license === undefined ? null : { dir: resolve(dir), license, days };
}
