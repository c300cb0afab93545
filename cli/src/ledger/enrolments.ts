import { join } from 'node:path';
import { readPrivateList, writePrivateJson } from '../files/private-files.ts';
import { hasShape, type Shaped } from '../json.ts';

const ENROLMENT = { base_url: 'string', codename: 'string', kid: 'string' } as const;

/** A key that a service has enrolled for an operator. */
export type Enrolment = Shaped<typeof ENROLMENT>;

/** Whether this key is recorded as enrolled at this service for this codename. */
export async function isEnrolled(configDir: string, wanted: Enrolment): Promise<boolean> {
  return (await readEnrolments(configDir)).some((known) => isSame(known, wanted));
}

/** Whether any key is recorded as enrolled at this service. */
export async function hasEnrolment(configDir: string, baseUrl: string): Promise<boolean> {
  return (await readEnrolments(configDir)).some((known) => known.base_url === baseUrl);
}

/** Records an enrolment. Losing a record is harmless: the key is then enrolled again. */
export async function rememberEnrolment(configDir: string, made: Enrolment): Promise<void> {
  const others = (await readEnrolments(configDir)).filter((known) => !isSame(known, made));
  await writePrivateJson(enrolmentsPath(configDir), { version: 1, enrolments: [...others, made] });
}

function enrolmentsPath(configDir: string): string {
  return join(configDir, 'enrolments.json');
}

function readEnrolments(configDir: string): Promise<readonly Enrolment[]> {
  return readPrivateList(enrolmentsPath(configDir), 'enrolments', (value) => hasShape(value, ENROLMENT));
}

function isSame(left: Enrolment, right: Enrolment): boolean {
  return left.base_url === right.base_url && left.codename === right.codename && left.kid === right.kid;
}
