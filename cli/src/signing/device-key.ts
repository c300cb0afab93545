import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { automationKey } from '../../../engine/contract/automation-key.ts';
import { AUTOMATION_TOKEN_PATTERN } from '../../../engine/contract/signing/index.ts';
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

/** A key as it is stored. `kid` is its RFC 7638 thumbprint; the private half is null when the keychain does not return it. */
export type StoredKey = Readonly<NonNullable<Awaited<ReturnType<typeof readDeviceKey>>>>;

/** A key that can sign. */
export type DeviceKey = StoredKey & { readonly privateKey: KeyObject };

/** What signs a snapshot. */
export type SigningKey = Pick<DeviceKey, 'kid' | 'privateKey'>;

/** The key that an automation token stands for, which is enrolled with the token; null for other tokens. */
export function keyOfToken(token: string | null): SigningKey | null {
  if (token === null || !AUTOMATION_TOKEN_PATTERN.test(token)) return null;
  const privateKey = automationKey(token);
  return { kid: thumbprint(publicPart(privateKey)), privateKey };
}

/** The path of the key's file. */
export function deviceKeyPath(configDir: string): string {
  return join(configDir, 'device-key.json');
}

/** This machine's key; null when there is none yet. Throws a `files` error when its file is damaged or open to others. */
export async function readDeviceKey(configDir: string, load?: LoadKeyring) {
  const path = deviceKeyPath(configDir);
  const jwk = await readPrivateJson(path, 'secret');
  if (jwk === undefined) return null;
  if (!isObject(jwk) || typeof jwk['x'] !== 'string') throw damagedFileError(path);
  const publicJwk: PublicJwk = { kty: 'OKP', crv: 'Ed25519', x: jwk['x'] };
  const inKeychain = jwk['keychain'] === true;
  const secret = inKeychain ? await (await openKeychain(true, load))?.read(secretName(publicJwk)) : jwk['d'];
  const privateKey = importPrivate({ ...publicJwk, d: secret });
  // With another key's public part, signatures would carry a key id that does not verify them.
  const isDamaged = privateKey === null ? !inKeychain : publicPart(privateKey).x !== publicJwk.x;
  if (isDamaged) throw damagedFileError(path);
  return { path, kid: thumbprint(publicJwk), publicJwk, privateKey, inKeychain };
}

/**
 * This machine's key, created if there is none: in the keychain if that is enabled, present and lasting, else in the file.
 * Throws a `files` error when the keychain does not return it.
 */
export async function openDeviceKey(
  configDir: string,
  keychainEnabled: boolean,
  load?: LoadKeyring,
): Promise<DeviceKey> {
  const known = await readDeviceKey(configDir, load);
  if (known !== null) {
    if (!isUsable(known)) throw keyUnavailableError(known);
    return known;
  }
  // Generate the key encoded: exporting a key object while its generator is garbage-collected deadlocks Node 20.
  const { privateKey: encoded } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { format: 'der', type: 'pkcs8' },
    publicKeyEncoding: { format: 'der', type: 'spki' },
  });
  const generated = createPrivateKey({ key: encoded, format: 'der', type: 'pkcs8' });
  const { d, ...publicJwk } = generated.export({ format: 'jwk' });
  const keychain = await openKeychain(keychainEnabled, load);
  const inKeychain = (await keychain?.write(secretName(publicJwk), d!)) ?? false;
  const content = inKeychain ? { ...publicJwk, keychain: true } : { ...publicJwk, d };
  const isCreated = await createPrivateFile(deviceKeyPath(configDir), `${JSON.stringify(content, null, 2)}\n`);
  if (!isCreated && inKeychain) await keychain?.remove(secretName(publicJwk));
  // Another run may have created the file first: its key is the valid one.
  const created = await readDeviceKey(configDir, load);
  if (created === null) throw damagedFileError(deviceKeyPath(configDir));
  if (!isUsable(created)) throw keyUnavailableError(created);
  return created;
}

/** Moves the file of a key that was given up, so that the next run creates a new key. Returns where it is now. */
export async function setKeyAside({ path, kid }: StoredKey): Promise<string> {
  const aside = path.replace(/\.json$/, `-${kid}.json`);
  await rename(path, aside);
  return aside;
}

/** Whether a key can sign. */
export function isUsable(key: StoredKey): key is DeviceKey {
  return key.privateKey !== null;
}

/** The error for a key that the keychain does not return. */
export function keyUnavailableError({ path, kid }: StoredKey): CliError {
  // A kid may begin with a hyphen; without the separator it would be an option.
  const operand = kid.startsWith('-') ? `-- ${kid}` : kid;
  const hint =
    'If the keychain is locked, unlock it and run the tool again. If the key is lost, replace it with\n' +
    `  upsilon devices revoke ${operand}\nThe next run then creates a new key. Your rank and your counts stay.`;
  const message = `the key of ${path} is in the system's keychain, which does not return it`;
  return new CliError('files', 'key_unavailable', message, hint);
}

/** The secret's name includes the key's public part, so that settings folders never share one. */
function secretName({ x }: { readonly x?: string }): string {
  return `device-key ${x}`;
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
