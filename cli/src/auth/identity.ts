import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import type { Environment } from '../environment.ts';
import { hasEnrolment } from '../ledger/enrolments.ts';
import { readLedger } from '../ledger/ledger.ts';
import { openClient, type TokenSource } from '../net/client.ts';
import { signInHint, tokenHint } from '../net/problem.ts';
import type { Settings } from '../settings.ts';
import { requireResource, requireService } from './discovery.ts';
import { openSessions, type Session } from './sessions.ts';
import { OAuthError, refreshTokens } from './token-requests.ts';

interface HeldTokens extends TokenSource {
  /** The token if it is valid now; else null: renewing it would write. */
  readonly current: () => Promise<string | null>;
}

/** The user of the tool: from flags and variables, else from the sign-in. */
export interface Identity {
  readonly codename: string | null;
  /** Null when there is neither a token nor a sign-in. */
  readonly tokens: HeldTokens | null;
  readonly session: Session | null;
  /** The given token, or the automation token that was kept: if it is one, its key signs. */
  readonly automation: string | null;
}

/** The identity that settings and stored sign-ins give. Sends no request. */
export async function findIdentity(settings: Settings, env: Environment): Promise<Identity> {
  const { token, codename, baseUrl, configDir } = settings;
  if (token !== null) {
    // A sign-in has recognized its service. A given token is sent only to a service that is recognized.
    let recognized: Promise<unknown> | null = null;
    const recognize = async () => (await hasEnrolment(configDir, baseUrl)) || requireService(baseUrl);
    const get = async () => {
      await (recognized ??= recognize());
      return token;
    };
    return { codename, tokens: { ...fixedToken(token), get, current: get }, session: null, automation: token };
  }
  const sessions = openSessions(configDir, env.keychain);
  const session = await sessions.find(baseUrl);
  if (session === null) return { codename, tokens: null, session: null, automation: null };
  const kept = isOfAutomation(session) ? await sessions.tokens(session) : null;
  const known = { codename: codename ?? session.codename, session, automation: kept?.access_token ?? null };
  return { ...known, tokens: kept === null ? sessionTokens(settings, env, session) : fixedToken(kept.access_token) };
}

/** Whose row on the board is the user's own: the identity's, else that of the only codename which submitted from this folder. */
export async function findOwnCodename(settings: Settings, env: Environment): Promise<string | null> {
  const { codename } = await findIdentity(settings, env);
  if (codename !== null) return codename;
  const ledger = await readLedger(settings.configDir);
  const made = ledger?.submissions.filter(({ base_url }) => base_url === settings.baseUrl) ?? [];
  const [only, ...others] = new Set(made.map((each) => each.codename));
  return others.length === 0 ? (only ?? null) : null;
}

/** Whether a sign-in is an automation token that was kept, which no authorization server renews. */
export function isOfAutomation({ token_endpoint }: Session): boolean {
  return token_endpoint === '';
}

/** A given token, which cannot be renewed. */
export function fixedToken(token: string): HeldTokens {
  const get = () => Promise.resolve(token);
  return { get, current: get, renew: () => Promise.resolve(null) };
}

/** The tokens of a sign-in, renewed shortly before they expire. Tokens for another service are neither used nor renewed. */
function sessionTokens(settings: Settings, env: Environment, session: Session): HeldTokens {
  const sessions = openSessions(settings.configDir, env.keychain);
  const renewed = async (refused: string | null): Promise<string> => {
    requireResource(session.resource, settings.baseUrl);
    const tokens = await sessions.renew(session, async (known) => {
      // Another run may have renewed them while this one waited for the lock.
      const isValid = known.expires_at > Date.now() && known.access_token !== refused;
      return isValid ? known : refreshTokens(session.token_endpoint, known, session.resource, Date.now());
    });
    if (tokens === null) throw signedOut('its tokens are missing, or the keychain that holds them is locked');
    return tokens.access_token;
  };
  const signedOut = (why: string) => {
    const message = `the sign-in at ${settings.baseUrl} has ended: ${why}`;
    return new CliError('auth', 'signed_out', message, signInHint(settings.baseUrl));
  };
  let used: string | null = null;
  const remember = async (token: string | Promise<string>): Promise<string> => {
    try {
      return (used = await token);
    } catch (error) {
      throw error instanceof OAuthError ? signedOut(error.why) : error;
    }
  };
  const current = async (): Promise<string | null> => {
    requireResource(session.resource, settings.baseUrl);
    const known = await sessions.tokens(session);
    return known !== null && known.expires_at > Date.now() ? known.access_token : null;
  };
  return {
    current,
    get: async () => remember((await current()) ?? renewed(null)),
    renew: () => remember(renewed(used)),
  };
}

/** The tokens of an identity. Throws an `auth` error when it has none. */
export function requireTokens({ tokens }: Identity, { baseUrl }: Settings): TokenSource {
  if (tokens !== null) return tokens;
  throw new CliError('auth', 'token_missing', `you are not signed in at ${baseUrl}`, tokenHint(baseUrl));
}

/** Opens a client for an identity, the user's if none is given; with null for reads without a token. Notes its waits on the screen. */
export async function openSignedInClient({ settings, env, screen }: CommandContext, identity?: Identity | null) {
  const tokens = identity === null ? null : requireTokens(identity ?? (await findIdentity(settings, env)), settings);
  return openClient(settings.baseUrl, tokens, {
    now: Date.now,
    sleep: (milliseconds) => sleep(milliseconds),
    random: Math.random,
    onEnd: screen.detail,
    onWait: (reason, milliseconds) => {
      screen.note(`${reason}. Trying again in ${Math.max(1, Math.ceil(milliseconds / 1000))} s.`);
    },
  });
}

/** The error of a run that needs a codename and has none. */
export function codenameMissing(): CliError {
  const hint = 'Set your codename with UPSILON_CODENAME (or --codename), or sign in with: upsilon login';
  return new CliError('usage', 'codename_missing', 'your codename is not set', hint);
}
