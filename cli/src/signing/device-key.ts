import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { CliError } from '../cli-error.ts';
import { createPrivateFile, damagedFileError, readPrivateJson } from '../files/private-files.ts';
import { isObject, type JsonObject } from '../json.ts';
import { type LoadKeyring, openKeychain } from '../secrets/secret-store.ts';

/** The public part of a device key, as enrolled. */
export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
}

/** `kid` is the key's RFC 7638 thumbprint. */
export type DeviceKey = Readonly<NonNullable<Awaited<ReturnType<typeof readDeviceKey>>>>;

/** The path of the key's file. */
export function deviceKeyPath(configDir: string): string {
  return join(configDir, 'device-key.json');
}

/** This machine's key; null when there is none yet. Throws a `files` error when its file is damaged or open to others. */
export async function readDeviceKey(configDir: string, load?: LoadKeyring) {
  const path = deviceKeyPath(configDir);
  const jwk = await readPrivateJson(path, 'secret');
  if (jwk === undefined) return null;
  if (!isObject(jwk)) throw damagedFileError(path);
  const secret = jwk['keychain'] === true ? await readSecret(path, jwk['x'], load) : jwk['d'];
  const privateKey = importPrivate({ ...jwk, d: secret });
  if (privateKey === null) throw damagedFileError(path);
  const publicJwk = publicPart(privateKey);
  // With another key's public part, signatures would carry a key id that does not verify them.
  if (jwk['x'] !== publicJwk.x) throw damagedFileError(path);
  return { path, kid: thumbprint(publicJwk), publicJwk, privateKey };
}

/** This machine's key, created if there is none: in the keychain if that is enabled and present, else in the file. */
export async function openDeviceKey(
  configDir: string,
  keychainEnabled: boolean,
  load?: LoadKeyring,
): Promise<DeviceKey> {
  const known = await readDeviceKey(configDir, load);
  if (known !== null) return known;
  // Generate the key encoded: exporting a key object while its generator is garbage-collected deadlocks Node 20.
  const { privateKey: encoded } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { format: 'der', type: 'pkcs8' },
    publicKeyEncoding: { format: 'der', type: 'spki' },
  });
  const generated = createPrivateKey({ key: encoded, format: 'der', type: 'pkcs8' });
  const { d, ...publicJwk } = generated.export({ format: 'jwk' });
  const keychain = await openKeychain(keychainEnabled, load);
  const inKeychain = (await keychain?.write(secretName(publicJwk.x), d!)) ?? false;
  const content = inKeychain ? { ...publicJwk, keychain: true } : { ...publicJwk, d };
  const isCreated = await createPrivateFile(deviceKeyPath(configDir), `${JSON.stringify(content, null, 2)}\n`);
  if (!isCreated && inKeychain) await keychain?.remove(secretName(publicJwk.x));
  // Another run may have created the file first: its key is the valid one.
  const created = await readDeviceKey(configDir, load);
  if (created === null) throw damagedFileError(deviceKeyPath(configDir));
  return created;
}

async function readSecret(path: string, x: unknown, load?: LoadKeyring): Promise<string> {
  const secret = await (await openKeychain(true, load))?.read(secretName(x));
  if (typeof secret === 'string') return secret;
  const hint =
    'Unlock the keychain and run the tool again. If the key is lost, move the file away: the next run creates a new one.';
  const message = `the key of ${path} is in the system's keychain, which does not return it`;
  throw new CliError('files', 'key_unavailable', message, hint);
}

/** The secret's name includes the key's public part, so that settings folders never share one. */
function secretName(x: unknown): string {
  return `device-key ${String(x)}`;
}

/** RFC 7638: SHA-256 over the required members in lexicographic order, without white space. */
export function thumbprint(jwk: PublicJwk): string {
  const canonical = `{"crv":"${jwk.crv}","kty":"${jwk.kty}","x":"${jwk.x}"}`;
  return createHash('sha256').update(canonical, 'utf8').digest('base64url');
}

function importPrivate(jwk: JsonObject): KeyObject | null {
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
