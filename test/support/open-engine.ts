import type { KeyObject } from 'node:crypto';
import { type Accounts, createAccounts } from '../../engine/accounts/index.ts';
import type { Connection } from '../../engine/mongo/index.ts';
import { type Clock, type Committer, createRanking, type Ranking } from '../../engine/ranking/index.ts';
import { rethrow } from './rethrow.ts';

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
