import { join } from 'node:path';
import { withLock } from '../files/lock.ts';
import { readPrivateList, writePrivateJson } from '../files/private-files.ts';
import { hasShape, objectOf, parseJson, type Shaped, textOf } from '../json.ts';
import { type LoadKeyring, openKeychain, openSecretFile, type SecretStore } from '../secrets/secret-store.ts';

const SESSION = {
  base_url: 'string',
  codename: 'string',
  issuer: 'string',
  /** The audience of the tokens (RFC 8707). */
  resource: 'string',
  token_endpoint: 'string',
  /** Whether the tokens are in the keychain; else they are in the secrets file. */
  keychain: 'boolean',
} as const;

/** A sign-in at a service, without its secrets. */
export interface Session extends Shaped<typeof SESSION> {
  readonly revocation_endpoint: string | null;
  /** The name that `--service` takes; absent without one. */
  readonly name?: string | undefined;
}

export interface Tokens {
  readonly access_token: string;
  /** Milliseconds since the epoch. */
  readonly expires_at: number;
  readonly refresh_token: string | null;
}

/** Opens the sign-ins of a settings folder. `keychainEnabled`: store the tokens of new sign-ins in the keychain, if it accepts them. */
export function openSessions(configDir: string, keychainEnabled: boolean, load?: LoadKeyring) {
  const path = join(configDir, 'sessions.json');
  const secretStoreOf = async ({ keychain }: Pick<Session, 'keychain'>): Promise<SecretStore | null> =>
    keychain ? await openKeychain(true, load) : openSecretFile(configDir);
  const secretName = ({ base_url }: Pick<Session, 'base_url'>): string => `tokens ${configDir} ${base_url}`;
  const list = (): Promise<readonly Session[]> => readPrivateList(path, 'sessions', isSession);
  const write = (sessions: readonly Session[]): Promise<void> => writePrivateJson(path, { version: 1, sessions });
  const find = async (baseUrl: string): Promise<Session | null> =>
    (await list()).find((known) => known.base_url === baseUrl) ?? null;
  /** Replaces a session in its place; the last one stays the latest sign-in. */
  const replace = async (session: Session): Promise<void> => {
    await write((await list()).map((known) => (isOther(session)(known) ? known : session)));
  };
  /** Stores tokens in the keychain if that is enabled and it accepts them, else in the file; in one of them alone. */
  const store = async (made: Omit<Session, 'keychain'>, tokens: Tokens, enabled: boolean) => {
    const keychain = await openKeychain(enabled, load);
    const isInKeychain = (await keychain?.write(secretName(made), JSON.stringify(tokens))) ?? false;
    const file = openSecretFile(configDir);
    if (isInKeychain) await file.remove(secretName(made));
    else {
      await file.write(secretName(made), JSON.stringify(tokens));
      await keychain?.remove(secretName(made));
    }
    const { place } = isInKeychain ? keychain! : file;
    return { session: { ...made, keychain: isInKeychain }, place };
  };
  const locked = <T>(action: () => Promise<T>): Promise<T> => withLock(join(configDir, 'sessions.lock'), action);
  /** Reads the session again: its tokens may have moved between keychain and file since it was found. */
  const readTokens = async (session: Session): Promise<Tokens | null> => {
    const secrets = await secretStoreOf((await find(session.base_url)) ?? session);
    return parseTokens((await secrets?.read(secretName(session))) ?? '');
  };
  return {
    find,
    tokens: readTokens,
    /** The sign-ins, the latest one last. */
    list,
    latest: async () => (await list()).at(-1) ?? null,
    named: async (name: string) => (await list()).find((known) => known.name === name) ?? null,
    /** Stores a sign-in, by default with the name of the former one at the service; returns where its tokens are, for people. */
    save: (made: Omit<Session, 'keychain'>, tokens: Tokens) =>
      locked(async () => {
        const name = made.name ?? (await find(made.base_url))?.name;
        const { session, place } = await store({ ...made, name }, tokens, keychainEnabled);
        const others = (await list()).filter(isOther(session));
        await write([...others.map((known) => (known.name === name ? { ...known, name: undefined } : known)), session]);
        return place;
      }),
    rename: (session: Session, codename: string) =>
      locked(async () => replace({ ...((await find(session.base_url)) ?? session), codename })),
    /** Replaces the tokens by the result of `change`, under a lock: a refresh token works once. */
    renew: (session: Session, change: (tokens: Tokens) => Promise<Tokens>) =>
      locked(async () => {
        const known = await readTokens(session);
        if (known === null) return null;
        const renewed = await change(known);
        // The old refresh token no longer works, so the new ones must be stored, even if only in the file.
        if (renewed !== known) await replace((await store(session, renewed, session.keychain)).session);
        return renewed;
      }),
    remove: (session: Session) =>
      locked(async () => {
        await (await secretStoreOf(session))?.remove(secretName(session));
        await write((await list()).filter(isOther(session)));
      }),
  };
}

function isOther(session: Session) {
  return (known: Session) => known.base_url !== session.base_url;
}

function parseTokens(text: string): Tokens | null {
  const { access_token, expires_at, refresh_token } = objectOf(parseJson(text));
  if (typeof access_token !== 'string' || typeof expires_at !== 'number') return null;
  return { access_token, expires_at, refresh_token: textOf(refresh_token) };
}

function isSession(value: unknown): value is Session {
  const { revocation_endpoint, name } = objectOf(value);
  if (name !== undefined && typeof name !== 'string') return false;
  return hasShape(value, SESSION) && (revocation_endpoint === null || typeof revocation_endpoint === 'string');
}
