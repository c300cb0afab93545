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

interface Keychain extends SecretStore {
  /** Whether the secret will be lost at a reboot, because an earlier version stored it in the kernel's keyring. */
  isVolatile(name: string): Promise<boolean>;
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
    options: { readonly linux: { readonly store: 'secret-service' | 'keyutils' } },
  ) => Entry;
  /** Other systems ignore the choice of a store. */
  readonly isLinux: boolean;
}

/**
 * The system's keychain; null when `enabled` is false or the library has no binary for this system. It accepts secrets only
 * where it is lasting: without a Secret Service, Linux has the kernel's keyring, which forgets them at a reboot or after three
 * days without use. Earlier versions stored secrets there, which are still read and removed.
 */
export async function openKeychain(enabled: boolean, load: LoadKeyring = loadKeyring): Promise<Keychain | null> {
  if (!enabled) return null;
  const keyring = await load();
  if (keyring === null) return null;
  const inKeychain = <T>(name: string, use: (entry: Entry) => T): T | null =>
    attempt(() => use(new keyring.Entry(SERVICE, name, { linux: { store: 'secret-service' } })));
  const inKernel = <T>(name: string, use: (entry: Entry) => T): T | null => {
    if (!keyring.isLinux) return null;
    const once = () => attempt(() => use(new keyring.Entry(SERVICE, name, { linux: { store: 'keyutils' } })));
    // The first access of a process may be denied: it links the user's keyring to that of the process.
    return once() ?? once();
  };
  return {
    place: "the system's keychain",
    read: async (name) =>
      inKeychain(name, (entry) => entry.getPassword()) ?? inKernel(name, (entry) => entry.getPassword()),
    write: async (name, secret) =>
      inKeychain(name, (entry) => {
        entry.setPassword(secret);
        // Some keychains accept a secret and lose it: read it back.
        return entry.getPassword() === secret;
      }) ?? false,
    remove: async (name) => {
      inKeychain(name, (entry) => entry.deletePassword());
      inKernel(name, (entry) => entry.deletePassword());
    },
    isVolatile: async (name) => inKernel(name, (entry) => entry.getPassword()) !== null,
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
    const { Entry } = await import('@napi-rs/keyring');
    return { Entry, isLinux: process.platform === 'linux' };
  } catch {
    return null;
  }
}

function attempt<T>(action: () => T): T | null {
  try {
    return action();
  } catch {
    return null;
  }
}
