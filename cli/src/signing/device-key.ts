import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { CliError } from '../cli-error.ts';
import { createPrivateJson, damaged, readPrivateJson } from '../files/private-files.ts';
import { isObject } from '../json.ts';
import { type LoadKeyring, openKeychain } from '../secrets/secret-store.ts';

/** The public part of a device key, as it is enrolled. */
export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
}

/** The key of this machine. */
export interface DeviceKey {
  readonly path: string;
  /** RFC 7638 thumbprint. */
  readonly kid: string;
  readonly publicJwk: PublicJwk;
  readonly privateKey: KeyObject;
}

/** The key's file inside the settings folder. */
export function deviceKeyPath(configDir: string): string {
  return join(configDir, 'device-key.json');
}

/** The machine's key; null when there is none yet. Throws a `files` error when its file is damaged or open to others. */
export async function readDeviceKey(configDir: string, load?: LoadKeyring): Promise<DeviceKey | null> {
  const path = deviceKeyPath(configDir);
  const jwk = await readPrivateJson(path, 'secret');
  if (jwk === undefined) return null;
  if (!isObject(jwk)) throw damaged(path);
  const secret = jwk['keychain'] === true ? await readSecret(path, jwk['x'], load) : jwk['d'];
  const privateKey = importPrivate({ ...jwk, d: secret });
  if (privateKey === null) throw damaged(path);
  const publicJwk = publicPart(privateKey);
  // A public part that belongs to another key would sign under a name nobody can verify.
  if (jwk['x'] !== publicJwk.x) throw damaged(path);
  return { path, kid: thumbprint(publicJwk), publicJwk, privateKey };
}

/** The machine's key, made first if there is none: in the keychain if it may be used and there is one, else in the file. */
export async function openDeviceKey(
  configDir: string,
  keychainEnabled: boolean,
  load?: LoadKeyring,
): Promise<DeviceKey> {
  const known = await readDeviceKey(configDir, load);
  if (known !== null) return known;
  // Encoded while it is made: exporting a key object whose generator is being collected deadlocks Node 20.
  const { privateKey: encoded } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { format: 'der', type: 'pkcs8' },
    publicKeyEncoding: { format: 'der', type: 'spki' },
  });
  const { d, ...publicJwk } = createPrivateKey({ key: encoded, format: 'der', type: 'pkcs8' }).export({
    format: 'jwk',
  });
  const keychain = await openKeychain(keychainEnabled, load);
  const isTaken = (await keychain?.write(secretName(publicJwk.x), d!)) ?? false;
  const content = isTaken ? { ...publicJwk, keychain: true } : { ...publicJwk, d };
  const isOurs = await createPrivateJson(deviceKeyPath(configDir), content);
  if (!isOurs && isTaken) await keychain?.remove(secretName(publicJwk.x));
  // Another run may have been faster: whichever key stands in the file is the one.
  const made = await readDeviceKey(configDir, load);
  if (made === null) throw damaged(deviceKeyPath(configDir));
  return made;
}

async function readSecret(path: string, x: unknown, load?: LoadKeyring): Promise<string> {
  const secret = await (await openKeychain(true, load))?.read(secretName(x));
  if (typeof secret === 'string') return secret;
  throw new CliError(
    'files',
    'key_unavailable',
    `the key of ${path} is in the system's keychain, which does not give it`,
    'Unlock the keychain and run the tool again. If the key is lost, move the file away: the next run makes a new one.',
  );
}

/** A key's secret is listed by its public part, so that two settings folders never share one. */
function secretName(x: unknown): string {
  return `device-key ${String(x)}`;
}

/** RFC 7638: SHA-256 over the required members in lexicographic order, without white space. */
export function thumbprint(jwk: PublicJwk): string {
  const canonical = `{"crv":"${jwk.crv}","kty":"${jwk.kty}","x":"${jwk.x}"}`;
  return createHash('sha256').update(canonical, 'utf8').digest('base64url');
}

function importPrivate(jwk: unknown): KeyObject | null {
  if (!isObject(jwk)) return null;
  try {
    const key = createPrivateKey({ key: { ...jwk }, format: 'jwk' });
    return key.asymmetricKeyType === 'ed25519' ? key : null;
  } catch {
    return null;
  }
}

function publicPart(privateKey: KeyObject): PublicJwk {
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { kty: 'OKP', crv: 'Ed25519', x: x! };
}
