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
  /** What tokens are asked for. */
  readonly resource: string;
  readonly token_endpoint: string;
  readonly revocation_endpoint: string | null;
  /** Whether the tokens are in the keychain; else they are in the secrets file. */
  readonly keychain: boolean;
}

/** What a sign-in gave. */
export interface Tokens {
  readonly access_token: string;
  /** Milliseconds since the epoch. */
  readonly expires_at: number;
  readonly refresh_token: string | null;
}

/** The sign-ins of a settings folder. */
export interface SessionStore {
  find(baseUrl: string): Promise<Session | null>;
  tokens(session: Session): Promise<Tokens | null>;
  save(session: Omit<Session, 'keychain'>, tokens: Tokens): Promise<string>;
  /** Replaces the tokens by what `renew` makes of them, one run at a time: a refresh token works once. */
  renew(session: Session, renew: (tokens: Tokens) => Promise<Tokens>): Promise<Tokens | null>;
  remove(session: Session): Promise<void>;
}

/** Opens them. `keychainEnabled` says where new sign-ins keep their tokens, if the keychain takes them. */
export function openSessions(configDir: string, keychainEnabled: boolean, load?: LoadKeyring): SessionStore {
  const path = join(configDir, 'sessions.json');
  const secretsOf = async ({ keychain }: Pick<Session, 'keychain'>): Promise<SecretStore | null> =>
    keychain ? await openKeychain(true, load) : openSecretFile(configDir);
  const nameOf = ({ base_url }: Pick<Session, 'base_url'>): string => `tokens ${configDir} ${base_url}`;
  const readTokens = async (session: Session): Promise<Tokens | null> =>
    parseTokens((await (await secretsOf(session))?.read(nameOf(session))) ?? null);
  const list = async (): Promise<readonly Session[]> => {
    const value = await readPrivateJson(path);
    const listed = isObject(value) ? value['sessions'] : undefined;
    return Array.isArray(listed) ? listed.filter(isSession) : [];
  };
  const replace = async (baseUrl: string, by: readonly Session[]): Promise<void> => {
    const others = (await list()).filter((known) => known.base_url !== baseUrl);
    await writePrivateJson(path, { version: 1, sessions: [...others, ...by] });
  };
  /** Keeps tokens in the keychain if that may be and it takes them, else in the file; answers where. */
  const keep = async (made: Omit<Session, 'keychain'>, tokens: Tokens, enabled: boolean): Promise<string> => {
    const keychain = await openKeychain(enabled, load);
    const isTaken = (await keychain?.write(nameOf(made), JSON.stringify(tokens))) ?? false;
    const place = isTaken ? keychain! : openSecretFile(configDir);
    if (!isTaken) await place.write(nameOf(made), JSON.stringify(tokens));
    await replace(made.base_url, [{ ...made, keychain: isTaken }]);
    return place.place;
  };
  const locked = <T>(action: () => Promise<T>): Promise<T> => withLock(join(configDir, 'sessions.lock'), action);
  const find = async (baseUrl: string): Promise<Session | null> =>
    (await list()).find((known) => known.base_url === baseUrl) ?? null;
  /** Where the tokens are may have changed since the session was found. */
  const readTokensNow = async (session: Session): Promise<Tokens | null> =>
    readTokens((await find(session.base_url)) ?? session);
  return {
    find,
    tokens: readTokensNow,
    save: (made, tokens) => locked(() => keep(made, tokens, keychainEnabled)),
    renew: (session, renew) =>
      locked(async () => {
        const known = await readTokensNow(session);
        if (known === null) return null;
        const renewed = await renew(known);
        // The old refresh token works no more: wherever these can be kept, they have to be.
        if (renewed !== known) await keep(session, renewed, session.keychain);
        return renewed;
      }),
    remove: (session) =>
      locked(async () => {
        await (await secretsOf(session))?.remove(nameOf(session));
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
