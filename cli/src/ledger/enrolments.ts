import { join } from 'node:path';
import { readPrivateJson, writePrivateJson } from '../files/private-files.ts';
import { isObject } from '../json.ts';

/** A key that a service has enrolled for an operator. */
export interface Enrolment {
  readonly base_url: string;
  readonly codename: string;
  readonly kid: string;
}

function enrolmentsPath(configDir: string): string {
  return join(configDir, 'enrolments.json');
}

/** Whether this key is recorded as enrolled at this service for this codename. */
export async function isEnrolled(configDir: string, wanted: Enrolment): Promise<boolean> {
  return (await readEnrolments(configDir)).some((known) => isSame(known, wanted));
}

/** Records an enrolment. Losing a record is harmless: the key is then enrolled again. */
export async function rememberEnrolment(configDir: string, made: Enrolment): Promise<void> {
  const others = (await readEnrolments(configDir)).filter((known) => !isSame(known, made));
  await writePrivateJson(enrolmentsPath(configDir), { version: 1, enrolments: [...others, made] });
}

async function readEnrolments(configDir: string): Promise<readonly Enrolment[]> {
  const value = await readPrivateJson(enrolmentsPath(configDir));
  const listed = isObject(value) ? value['enrolments'] : undefined;
  return Array.isArray(listed) ? listed.filter(isEnrolment) : [];
}

function isEnrolment(value: unknown): value is Enrolment {
  if (!isObject(value)) return false;
  const { base_url, codename, kid } = value;
  return typeof base_url === 'string' && typeof codename === 'string' && typeof kid === 'string';
}

function isSame(left: Enrolment, right: Enrolment): boolean {
  return left.base_url === right.base_url && left.codename === right.codename && left.kid === right.kid;
}
