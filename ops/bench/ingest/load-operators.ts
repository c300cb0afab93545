import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HOUR_MS } from '../../../config/units.ts';
import { createAccounts } from '../../../engine/accounts/index.ts';
import type { Connection } from '../../../engine/mongo/index.ts';
import type { BenchContext } from '../frame/bench.ts';
import { withMongo } from '../frame/open-ranking.ts';
import { backdateOperators, seedPopulation } from '../frame/seed-population.ts';
import { startTaskProcess, type TaskProcess } from '../frame/task-process.ts';
import type { ClientTasks } from './client-main.ts';
import { type BenchOperator, benchKey } from './signed-requests.ts';

const COMMAND_ACCOUNTS = 2_000;
const MAX_CONCURRENT_TOKENS = 500;
/** Seconds: longer than any run. */
const TOKEN_LIFETIME_S = 3 * 60 * 60;
const SCOPE = 'openid profile email';

/** Starts a process that runs all clients; it ends with the bench. */
export async function startClients(
  context: BenchContext,
  operators: readonly BenchOperator[],
  baseUrl: string,
): Promise<TaskProcess<ClientTasks>> {
  const file = join(context.dataDir, 'operators.json');
  await writeFile(file, JSON.stringify(operators));
  return startTaskProcess(context, new URL('client-main.ts', import.meta.url), [file, baseUrl]);
}

/** Fills a database with operators that can submit: record, account, one device key. Returns them with access tokens. */
export async function loadOperators(mongoUrl: string, baseUrl: string, count: number): Promise<BenchOperator[]> {
  const codenames = Array.from({ length: count }, (_, index) => `bench-${index.toString(36).padStart(6, '0')}`);
  const asOf = Date.now() - HOUR_MS;
  const first = await seedPopulation(mongoUrl, count, (index) => {
    const codename = codenames[index]!;
    const counts = { input: 1_000 + (index % 977), output: 50_000 + index, cache_read: 900_000, cache_write: 8_000 };
    const usage = [{ ledger: benchKey(codename).kid, platform: 'claude-code', epoch: 0, asOf, counts }];
    return { codename, displayName: null, usage };
  });
  return withMongo(mongoUrl, async (connection) => {
    const accounts = createAccounts({ connection, clock: Date.now });
    await accounts.ensureIndexes();
    await backdateOperators(connection);
    await storeAccounts(connection, codenames, first);
    const mint = (codename: string): Promise<string> =>
      accounts.signingKeys.mintAccessToken({
        subject: `subject-of-${codename}`,
        scope: SCOPE,
        audience: baseUrl,
        issuer: new URL(baseUrl).origin,
        lifetimeSeconds: TOKEN_LIFETIME_S,
      });
    const tokens: string[] = [];
    for (let done = 0; done < count; done += MAX_CONCURRENT_TOKENS) {
      tokens.push(...(await Promise.all(codenames.slice(done, done + MAX_CONCURRENT_TOKENS).map(mint))));
    }
    return codenames.map((codename, index) => ({ number: first + index, codename, token: tokens[index]! }));
  });
}

/** Writes the documents of accounts and devices directly: creating them one by one takes minutes. */
async function storeAccounts(connection: Connection, codenames: readonly string[], first: number): Promise<void> {
  const created_at = new Date();
  for (let done = 0; done < codenames.length; done += COMMAND_ACCOUNTS) {
    const batch = codenames.slice(done, done + COMMAND_ACCOUNTS);
    const operatorOf = (index: number): number => first + done + index;
    await connection.collection<{ _id: number }>('accounts').insertMany(
      batch.map((codename, index) => ({
        _id: operatorOf(index),
        subject: `subject-of-${codename}`,
        plan: 'free',
        suspended: false,
        created_at,
      })),
    );
    await connection.collection<{ _id: string }>('devices').insertMany(
      batch.map((codename, index) => {
        const { kid, x } = benchKey(codename);
        return { _id: kid, operator: operatorOf(index), x, name: null, created_at, slot: 0 };
      }),
    );
  }
}
