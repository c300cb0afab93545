import { CliError } from '../cli-error.ts';
import { objectOf } from '../json.ts';
import { type Enrolment, isEnrolled, rememberEnrolment } from '../ledger/enrolments.ts';
import type { Client } from '../net/client.ts';
import { foreignServerError } from '../net/problem.ts';
import type { DeviceKey } from '../signing/device-key.ts';
import { signDeviceProof } from '../signing/sign-snapshot.ts';

/** Characters of the key's id in its name: enough to distinguish one user's keys. */
const NAME_ID_CHARACTERS = 8;

/** The request body that enrols a key. Its name derives from its id: a host name would reveal more than the tool promises. */
export function enrolmentBody(codename: string, key: DeviceKey, now: number): string {
  const proof = signDeviceProof(codename, key.privateKey, now);
  return JSON.stringify({ jwk: key.publicJwk, name: deviceName(key.kid), proof });
}

export function deviceName(kid: string): string {
  return `command line ${kid.slice(0, NAME_ID_CHARACTERS)}`;
}

/** What to do on this machine about a refusal of the key. */
const ENROLMENT_ADVICE: Readonly<Record<string, string>> = {
  key_taken: 'Use a separate settings folder for each codename (--config-dir).',
  proof_invalid: 'The codename (--codename) has to be that of the sign-in, and the clock of this machine right.',
  key_revoked: 'Move the key away: the next run creates a new one, and the ledger continues.',
};

/** Enrols the key unless it is recorded as enrolled; true when it was enrolled now. `again`: ignore the record. */
export async function enrolDevice(
  client: Client,
  configDir: string,
  codename: string,
  key: DeviceKey,
  again: boolean,
): Promise<boolean> {
  const { baseUrl } = client;
  const enrolment: Enrolment = { base_url: baseUrl, codename, kid: key.kid };
  if (!again && (await isEnrolled(configDir, enrolment))) return false;
  try {
    const { body } = await client.post('/devices', enrolmentBody(codename, key, client.context.now()));
    if (objectOf(body)['kid'] !== key.kid) throw foreignServerError(baseUrl);
  } catch (error) {
    const advice = error instanceof CliError ? ENROLMENT_ADVICE[error.code] : undefined;
    if (!(error instanceof CliError) || advice === undefined) throw error;
    throw new CliError(error.exit, error.code, error.message, `${advice} The key of this machine is ${key.path}.`);
  }
  await rememberEnrolment(configDir, enrolment);
  return true;
}
