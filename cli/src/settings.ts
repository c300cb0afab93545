import { resolve } from 'node:path';
import { DAY_MS } from '../../config/units.ts';
import { AUTOMATION_TOKEN_PATTERN, CODENAME_PATTERN, codenameKey } from '../../engine/contract/signing/index.ts';
import { CliError } from './cli-error.ts';
import type { Environment } from './environment.ts';
import { isSafeAddress, normalAddress } from './net/web-address.ts';
import { isDay, readDay } from './sources/fields.ts';
import { appDataFolder, pathsOf, xdgFolder } from './sources/home-places.ts';
import { PLATFORMS } from './sources/registry.ts';

const DEFAULT_BASE_URL = 'http://localhost:3000/api/v1';

/** Options of the command line; absent members were not given. */
export interface Flags {
  readonly dryRun?: boolean | undefined;
  readonly requests?: boolean | undefined;
  readonly sourceDir?: readonly string[] | undefined;
  readonly platform?: readonly string[] | undefined;
  readonly since?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly service?: string | undefined;
  /** False: `--no-history`. */
  readonly history?: boolean | undefined;
  readonly token?: string | undefined;
  readonly codename?: string | undefined;
  readonly configDir?: string | undefined;
}

export type Settings = Readonly<ReturnType<typeof readSettings>>;

/** The name of a sign-in. */
const SERVICE_PATTERN = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** The visible ASCII that RFC 6750 allows in a bearer token: anything else would be an invalid header. */
const TOKEN_PATTERN = /^[A-Za-z0-9._~+/-]+=*$/;

/** A flag overrides its variable. Throws one usage error that lists every problem. */
export function readSettings(flags: Flags, env: Environment) {
  const problems: string[] = [];
  // What `npx` runs is from the address that the user typed; an installed copy serves every sign-in.
  const isFetched = env.command.startsWith('npx ') && (flags.service ?? env.variable('UPSILON_SERVICE')) === undefined;
  const givenBaseUrl =
    flags.baseUrl ?? env.variable('UPSILON_BASE_URL') ?? (isFetched ? (env.site ?? undefined) : undefined);
  const baseUrl = readBaseUrl(givenBaseUrl ?? env.site ?? DEFAULT_BASE_URL, problems);
  const token = flags.token ?? env.variable('UPSILON_TOKEN') ?? null;
  if (token !== null && !TOKEN_PATTERN.test(token))
    problems.push('the token contains characters that a bearer token cannot have');
  if (token?.startsWith('ups_') === true && !AUTOMATION_TOKEN_PATTERN.test(token))
    problems.push('the automation token is not complete: copy it again, or make another on your account page');
  // An address on the command line means that service, whatever the variable names.
  const named = flags.baseUrl === undefined ? env.variable('UPSILON_SERVICE') : undefined;
  const service = flags.service ?? named ?? null;
  if (service !== null && !SERVICE_PATTERN.test(service))
    problems.push(`"${service}" is not a name for a service: use up to 32 lower-case letters, digits and hyphens`);
  const codename = flags.codename ?? env.variable('UPSILON_CODENAME') ?? null;
  if (codename !== null && !CODENAME_PATTERN.test(codenameKey(codename))) {
    problems.push(
      `"${codename}" is not a codename: use 3 to 32 letters, digits and hyphens, with no hyphen at either end`,
    );
  }
  const platforms = flags.platform ?? [];
  for (const name of platforms) {
    if (!PLATFORMS.includes(name)) problems.push(`unknown platform "${name}": choose one of ${PLATFORMS.join(', ')}`);
  }
  const since = readSince(flags.since, problems);
  if (problems.length > 0) {
    throw new CliError('usage', 'settings_invalid', problems.join('; '), 'See upsilon --help.');
  }
  return {
    dryRun: flags.dryRun ?? false,
    requests: flags.requests ?? false,
    /** Absolute folders to scan instead of the default places; empty: the default places. */
    sourceDirs: (flags.sourceDir ?? []).map((dir) => resolve(dir)),
    /** The platforms to scan and submit; empty: all. */
    platforms,
    /** Also show the usage from this moment on, in seconds since the epoch; null: do not. */
    since,
    /** Without a trailing slash. */
    baseUrl,
    /** The name of the sign-in to use, or to make; null: none is given. */
    service,
    /** False: the service of the named or the latest sign-in, if there is one, replaces the default. */
    isBaseUrlGiven: givenBaseUrl !== undefined,
    /** Whether a first submission includes the totals of past days. */
    history: flags.history !== false && env.variable('UPSILON_HISTORY') !== 'off',
    token,
    /** In its stored (lower-case) form. */
    codename: codename === null ? null : codenameKey(codename),
    configDir: configDirectory(flags.configDir ?? env.variable('UPSILON_CONFIG_DIR'), env),
  };
}

/** A day (UTC) or a moment, in seconds since the epoch; null when none is given. */
function readSince(text: string | undefined, problems: string[]): number | null {
  if (text === undefined) return null;
  const day = readDay(text, Math.floor(Date.now() / DAY_MS));
  const at = Date.parse(day ?? (isDay(text.slice(0, 10)) ? text : ''));
  if (Number.isNaN(at)) problems.push(`"${text}" is not a date such as 2026-05-31, 20260531, yesterday or 7d`);
  return Math.floor(at / 1000);
}

function readBaseUrl(text: string, problems: string[]): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    problems.push(`"${text}" is not an http or https address`);
    return text;
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    problems.push('the base URL must not contain credentials, a query or a fragment');
  }
  const baseUrl = normalAddress(url);
  if (!isSafeAddress(baseUrl)) {
    problems.push('the base URL is not encrypted: use https (http is for a service on this machine, at localhost)');
  }
  return baseUrl;
}

/** The folder of the key and the ledger: the given one, else the system's default for settings. */
function configDirectory(given: string | undefined, env: Environment): string {
  const parent = env.os === 'win32' ? appDataFolder(env) : xdgFolder(env, 'XDG_CONFIG_HOME', '.config');
  return given === undefined ? pathsOf(env).join(parent, 'upsilon') : resolve(given);
}
