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

interface Entry {
  getPassword(): string | null;
  setPassword(secret: string): void;
  deletePassword(): boolean;
}

/** The part of `@napi-rs/keyring` that is used. */
export interface Keyring {
  readonly Entry: new (
    service: string,
    name: string,
    options: { readonly linux: { readonly store: 'secret-service' } },
  ) => Entry;
}

/**
 * The system's keychain; null when `enabled` is false or the library has no binary for this system. On Linux a Secret Service
 * only: the kernel's keyring, which the library takes without one, forgets secrets at a reboot or after three days without use.
 */
export async function openKeychain(enabled: boolean, load: LoadKeyring = loadKeyring): Promise<SecretStore | null> {
  if (!enabled) return null;
  const keyring = await load();
  if (keyring === null) return null;
  /** Null where the keychain is absent or locked. */
  const inKeychain = <T>(name: string, use: (entry: Entry) => T): T | null => {
    try {
      return use(new keyring.Entry(SERVICE, name, { linux: { store: 'secret-service' } }));
    } catch {
      return null;
    }
  };
  return {
    place: "the system's keychain",
    read: async (name) => inKeychain(name, (entry) => entry.getPassword()),
    write: async (name, secret) =>
      inKeychain(name, (entry) => {
        entry.setPassword(secret);
        // Some keychains accept a secret and lose it: read it back.
        return entry.getPassword() === secret;
      }) ?? false,
    remove: async (name) => void inKeychain(name, (entry) => entry.deletePassword()),
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
