import type { KeyObject } from 'node:crypto';
import mongoose, { type Connection } from 'mongoose';
import { type Accounts, createAccounts } from '../../../engine/accounts/index.ts';
import { emptyDatabase, returnDatabase } from '../../support/engines.ts';

/** Accounts on a database of their own, under a clock that the test sets. */
export interface AccountsUnderTest {
  readonly accounts: Accounts;
  readonly connection: Connection;
  /** The same accounts as another process would open them: nothing kept in memory is shared. */
  another(secretsKeys?: readonly KeyObject[]): Promise<Accounts>;
  /** Milliseconds since the epoch. */
  now: number;
  close(): Promise<void>;
}

export const START = Date.parse('2026-03-01T12:00:00.000Z');

export async function openAccounts(): Promise<AccountsUnderTest> {
  const { mongoUrl } = await emptyDatabase();
  const connections: Connection[] = [];
  const connect = async (): Promise<Connection> => {
    const connection = await mongoose.createConnection(mongoUrl).asPromise();
    connections.push(connection);
    return connection;
  };
  const connection = await connect();
  const clock = (): number => opened.now;
  const opened: AccountsUnderTest = {
    accounts: createAccounts({ connection, clock }),
    connection,
    another: async (secretsKeys = []) => createAccounts({ connection: await connect(), clock, secretsKeys }),
    now: START,
    close: async () => {
      await returnDatabase(connection);
      await Promise.all(connections.map((each) => each.close()));
    },
  };
  await opened.accounts.ensureIndexes();
  return opened;
}
