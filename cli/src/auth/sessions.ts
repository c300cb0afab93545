import { join } from 'node:path';
import { withLock } from '../files/lock.ts';
import { readPrivateJson, writePrivateJson } from '../files/private-files.ts';
import { isObject } from '../json.ts';
import { type LoadKeyring, openKeychain, openSecretFile, type SecretStore } from '../secrets/secret-store.ts';

/** A sign-in at a service, without its secrets. */
export interface Session {
  readonly base_url: string;
  readonly codename: string;
  readonly issuer: string;
  /** The audience of the tokens (RFC 8707). */
  readonly resource: string;
  readonly token_endpoint: string;
  readonly revocation_endpoint: string | null;
  /** Whether the tokens are in the keychain; else they are in the secrets file. */
  readonly keychain: boolean;
}

export interface Tokens {
  readonly access_token: string;
  /** Milliseconds since the epoch. */
  readonly expires_at: number;
  readonly refresh_token: string | null;
}

export interface SessionStore {
  find(baseUrl: string): Promise<Session | null>;
  tokens(session: Session): Promise<Tokens | null>;
  /** Returns where the tokens are stored, for people. */
  save(session: Omit<Session, 'keychain'>, tokens: Tokens): Promise<string>;
  /** Replaces the tokens by the result of `renew`, under a lock: a refresh token works once. */
  renew(session: Session, renew: (tokens: Tokens) => Promise<Tokens>): Promise<Tokens | null>;
  remove(session: Session): Promise<void>;
}

/** Opens the sign-ins of a settings folder. `keychainEnabled`: store the tokens of new sign-ins in the keychain, if it accepts them. */
export function openSessions(configDir: string, keychainEnabled: boolean, load?: LoadKeyring): SessionStore {
  const path = join(configDir, 'sessions.json');
  const secretStoreOf = async ({ keychain }: Pick<Session, 'keychain'>): Promise<SecretStore | null> =>
    keychain ? await openKeychain(true, load) : openSecretFile(configDir);
  const secretName = ({ base_url }: Pick<Session, 'base_url'>): string => `tokens ${configDir} ${base_url}`;
  const readTokens = async (session: Session): Promise<Tokens | null> =>
    parseTokens((await (await secretStoreOf(session))?.read(secretName(session))) ?? null);
  const list = async (): Promise<readonly Session[]> => {
    const value = await readPrivateJson(path);
    const listed = isObject(value) ? value['sessions'] : undefined;
    return Array.isArray(listed) ? listed.filter(isSession) : [];
  };
  const replace = async (baseUrl: string, by: readonly Session[]): Promise<void> => {
    const others = (await list()).filter((known) => known.base_url !== baseUrl);
    await writePrivateJson(path, { version: 1, sessions: [...others, ...by] });
  };
  /** Stores tokens in the keychain if that is enabled and it accepts them, else in the file; returns where. */
  const store = async (made: Omit<Session, 'keychain'>, tokens: Tokens, enabled: boolean): Promise<string> => {
    const keychain = await openKeychain(enabled, load);
    const inKeychain = (await keychain?.write(secretName(made), JSON.stringify(tokens))) ?? false;
    const place = inKeychain ? keychain! : openSecretFile(configDir);
    if (!inKeychain) await place.write(secretName(made), JSON.stringify(tokens));
    await replace(made.base_url, [{ ...made, keychain: inKeychain }]);
    return place.place;
  };
  const locked = <T>(action: () => Promise<T>): Promise<T> => withLock(join(configDir, 'sessions.lock'), action);
  const find = async (baseUrl: string): Promise<Session | null> =>
    (await list()).find((known) => known.base_url === baseUrl) ?? null;
  /** Reads the session again: its tokens may have moved between keychain and file since it was found. */
  const readTokensNow = async (session: Session): Promise<Tokens | null> =>
    readTokens((await find(session.base_url)) ?? session);
  return {
    find,
    tokens: readTokensNow,
    save: (made, tokens) => locked(() => store(made, tokens, keychainEnabled)),
    renew: (session, renew) =>
      locked(async () => {
        const known = await readTokensNow(session);
        if (known === null) return null;
        const renewed = await renew(known);
        // The old refresh token no longer works, so the new ones must be stored, even if only in the file.
        if (renewed !== known) await store(session, renewed, session.keychain);
        return renewed;
      }),
    remove: (session) =>
      locked(async () => {
        await (await secretStoreOf(session))?.remove(secretName(session));
        await replace(session.base_url, []);
      }),
  };
}

function parseTokens(text: string | null): Tokens | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return null;
    const { access_token, expires_at, refresh_token } = value;
    if (typeof access_token !== 'string' || typeof expires_at !== 'number') return null;
    return { access_token, expires_at, refresh_token: typeof refresh_token === 'string' ? refresh_token : null };
  } catch {
    return null;
  }
}

function isSession(value: unknown): value is Session {
  if (!isObject(value)) return false;
  const { base_url, codename, issuer, resource, token_endpoint, revocation_endpoint, keychain } = value;
  const texts = [base_url, codename, issuer, resource, token_endpoint];
  if (!texts.every((text) => typeof text === 'string') || typeof keychain !== 'boolean') return false;
  return revocation_endpoint === null || typeof revocation_endpoint === 'string';
}
