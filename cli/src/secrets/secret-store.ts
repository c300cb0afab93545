import { join } from 'node:path';
import { readPrivateJson, writePrivateJson } from '../files/private-files.ts';
import { type JsonObject, objectOf } from '../json.ts';

/** The service name of this tool's entries in the system's keychain. */
const SERVICE = 'upsilon';

export interface SecretStore {
  /** The location of the secrets, for people. */
  readonly place: string;
  read(name: string): Promise<string | null>;
  /** False: the store does not accept the secret. */
  write(name: string, secret: string): Promise<boolean>;
  remove(name: string): Promise<void>;
}

/** The part of `@napi-rs/keyring` that is used. */
export interface Keyring {
  readonly Entry: new (
    service: string,
    name: string,
  ) => {
    getPassword(): string | null;
    setPassword(secret: string): void;
    deletePassword(): boolean;
  };
}

/** The system's keychain; null when there is none, it is locked, or `enabled` is false. */
export async function openKeychain(enabled: boolean, load: LoadKeyring = loadKeyring): Promise<SecretStore | null> {
  if (!enabled) return null;
  const keyring = await load();
  if (keyring === null || !isUsable(keyring)) return null;
  const entry = (name: string) => new keyring.Entry(SERVICE, name);
  return {
    place: "the system's keychain",
    read: async (name) => attempt(() => entry(name).getPassword()),
    write: async (name, secret) =>
      attempt(() => {
        entry(name).setPassword(secret);
        // Some keychains accept a secret and lose it: read it back.
        return entry(name).getPassword() === secret;
      }) ?? false,
    remove: async (name) => void attempt(() => entry(name).deletePassword()),
  };
}

/** Secrets in a file of the settings folder that only its owner can read. */
export function openSecretFile(configDir: string): SecretStore {
  const path = join(configDir, 'secrets.json');
  const readAll = async (): Promise<JsonObject> => objectOf(await readPrivateJson(path, 'secret'));
  return {
    place: path,
    read: async (name) => {
      const secret = (await readAll())[name];
      return typeof secret === 'string' ? secret : null;
    },
    write: async (name, secret) => {
      await writePrivateJson(path, { ...(await readAll()), [name]: secret });
      return true;
    },
    remove: async (name) => {
      const { [name]: removed, ...rest } = await readAll();
      if (removed !== undefined) await writePrivateJson(path, rest);
    },
  };
}

/** Loads the keyring library; null where it has no binary for this system. */
export type LoadKeyring = () => Promise<Keyring | null>;

async function loadKeyring(): Promise<Keyring | null> {
  try {
    return await import('@napi-rs/keyring');
  } catch {
    return null;
  }
}

/** A machine without a session bus has the library but no keychain: reading a missing entry shows which. */
function isUsable(keyring: Keyring): boolean {
  try {
    new keyring.Entry(SERVICE, 'probe').getPassword();
    return true;
  } catch (error) {
    return /no (matching )?entry/i.test(String(error));
  }
}

function attempt<T>(action: () => T): T | null {
  try {
    return action();
  } catch {
    return null;
  }
}
