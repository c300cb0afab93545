import type { KeyObject } from 'node:crypto';
import { MS_PER_SECOND } from '../../config/units.ts';
import { type Accounts, createAccounts } from '../../engine/accounts/index.ts';
import type { Connection } from '../../engine/mongo/index.ts';
import { type Clock, type Committer, createRanking, type LogEntry, type Ranking } from '../../engine/ranking/index.ts';
import { rethrow } from './rethrow.ts';
import { makeDeviceProof, namedDeviceKey, type TestDeviceKey } from './signing.ts';

/** Modules of the engine in one process. */
export interface OpenEngine {
  readonly accounts: Accounts;
  readonly ranking: Ranking;
}

/** Opens them on a connection, as the services do. */
export function openEngine(
  connection: Connection,
  clock: Clock = Date.now,
  secretsKeys: readonly KeyObject[] = [],
): OpenEngine {
  const accounts = createAccounts({ connection, clock, secretsKeys });
  const { deviceKeys, sharedSecret } = accounts;
  return { accounts, ranking: createRanking({ connection, clock, deviceKeys, sharedSecret }) };
}

/** A committer whose errors fail the test. */
export function committerOf(ranking: Ranking): Committer {
  return ranking.createCommitter(() => undefined, rethrow);
}

/** Enrols an operator under a free codename. Returns its number. */
export async function enrolOperator({ operators }: Pick<Ranking, 'operators'>, codename: string): Promise<number> {
  const enrolment = await operators.enrol({ codename });
  if (enrolment.kind !== 'enrolled') throw new Error(enrolment.detail);
  return enrolment.operator;
}

/** Appends entries to the log as one batch. Returns its id. */
export async function appendBatch({ log }: Pick<Ranking, 'log'>, entries: readonly LogEntry[]): Promise<string> {
  const [outcome] = await log.append(entries);
  if (outcome?.kind !== 'stored') throw new Error(`append returned ${outcome?.kind}`);
  return outcome.batch;
}

/** Appends entries to the log as one batch and processes it. Returns its id. */
export async function submitBatch(
  ranking: Pick<Ranking, 'log' | 'processBatch'>,
  entries: readonly LogEntry[],
): Promise<string> {
  const batch = await appendBatch(ranking, entries);
  await ranking.processBatch(batch, entries);
  return batch;
}

/** Enrols a device of an operator, with a proof made at `now`, in milliseconds. */
export async function enrolDevice(
  { devices }: Pick<Accounts, 'devices'>,
  { operator, codename }: { readonly operator: number; readonly codename: string },
  key: TestDeviceKey,
  now: number,
): Promise<void> {
  const proof = makeDeviceProof(key, { codename, iat: Math.floor(now / MS_PER_SECOND) });
  await devices.enrol({ operator, codename, jwk: key.jwk, proof });
}

/** Enrols an operator with an account and the device key that is named like it. */
export async function enrolMember({ accounts, ranking }: OpenEngine, codename: string, now = Date.now()) {
  const operator = await enrolOperator(ranking, codename);
  const { subject } = await accounts.create({ operator });
  const key = namedDeviceKey(codename);
  await enrolDevice(accounts, { operator, codename }, key, now);
  return { operator, codename, subject, key };
}
