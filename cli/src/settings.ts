import { posix, resolve, win32 } from 'node:path';
import { CODENAME_PATTERN, codenameKey } from '../../engine/contract/signing/index.ts';
import { CliError } from './cli-error.ts';
import type { Environment } from './environment.ts';
import { isSafeAddress, normalAddress } from './net/web-address.ts';
import { isPlatform, PLATFORMS, type Platform } from './sources/platforms.ts';

export const DEFAULT_BASE_URL = 'http://localhost:3000/api/v1';

/** Options of the command line; absent members were not given. */
export interface Flags {
  readonly dryRun?: boolean | undefined;
  readonly sourceDir?: readonly string[] | undefined;
  readonly platform?: readonly string[] | undefined;
  readonly since?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly token?: string | undefined;
  readonly codename?: string | undefined;
  readonly configDir?: string | undefined;
  readonly json?: boolean | undefined;
  /** False after `--no-color`. */
  readonly color?: boolean | undefined;
}

/** Flags and environment merged and validated. A flag overrides its variable. */
export interface Settings {
  readonly dryRun: boolean;
  /** Absolute folders to scan instead of the default places; empty: the default places. */
  readonly sourceDirs: readonly string[];
  /** The platforms to scan and submit; empty: all. */
  readonly platforms: readonly Platform[];
  /** Also show the usage from this moment on, in seconds since the epoch; null: do not. */
  readonly since: number | null;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly token: string | null;
  /** In its stored (lower-case) form. */
  readonly codename: string | null;
  readonly configDir: string;
  readonly json: boolean;
}

/** The visible ASCII that RFC 6750 allows in a bearer token: anything else would be an invalid header. */
const TOKEN_PATTERN = /^[A-Za-z0-9._~+/-]+=*$/;

/** Merges and validates all settings; throws one usage error that lists every problem. */
export function readSettings(flags: Flags, env: Environment): Settings {
  const problems: string[] = [];
  const baseUrl = readBaseUrl(flags.baseUrl ?? env.baseUrl ?? DEFAULT_BASE_URL, problems);
  const token = flags.token ?? env.token ?? null;
  if (token !== null && !TOKEN_PATTERN.test(token))
    problems.push('the token contains characters that a bearer token cannot have');
  const codename = flags.codename ?? env.codename ?? null;
  if (codename !== null && !CODENAME_PATTERN.test(codenameKey(codename))) {
    problems.push(`"${codename}" is not a codename: 3 to 32 letters, digits and inner hyphens`);
  }
  const platforms = (flags.platform ?? []).filter(isPlatform);
  for (const name of flags.platform ?? []) {
    if (!isPlatform(name)) problems.push(`"${name}" is not a platform: use ${PLATFORMS.join(', ')}`);
  }
  const since = readSince(flags.since, problems);
  if (problems.length > 0) {
    throw new CliError('usage', 'settings_invalid', problems.join('; '), 'See upsilon --help.');
  }
  return {
    dryRun: flags.dryRun ?? false,
    sourceDirs: (flags.sourceDir ?? []).map((dir) => resolve(dir)),
    platforms,
    since,
    baseUrl,
    token,
    codename: codename === null ? null : codenameKey(codename),
    configDir: configDirectory(flags.configDir ?? env.configDir, env),
    json: flags.json ?? false,
  };
}

/** A day (UTC) or a moment, in seconds since the epoch; null when none is given. */
function readSince(text: string | undefined, problems: string[]): number | null {
  if (text === undefined) return null;
  const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) problems.push(`"${text}" is not a date such as 2026-05-31`);
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
  if (given !== undefined) return resolve(given);
  if (env.os === 'win32') return win32.join(env.appData ?? win32.join(env.home, 'AppData', 'Roaming'), 'upsilon');
  // The XDG specification requires that relative values be ignored.
  const xdg = env.xdgConfigHome?.startsWith('/') ? env.xdgConfigHome : posix.join(env.home, '.config');
  return posix.join(xdg, 'upsilon');
}
