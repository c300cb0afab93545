import { createAccounts } from '../../../engine/accounts/index.ts';
import { type Connection, openMongo } from '../../../engine/mongo/index.ts';
import { backdateOperators } from '../frame/backdate-operators.ts';
import { createDatabase } from '../frame/open-ranking.ts';
import { type BenchOperator, benchKey } from './bench-operator.ts';

const COMMAND_ACCOUNTS = 2_000;
const MAX_CONCURRENT_TOKENS = 500;
/** Seconds: longer than any run. */
const TOKEN_LIFETIME_S = 3 * 60 * 60;
const SCOPE = 'openid profile email';

/** Fills an empty database with operators that can submit: record, account, one device key. Returns them with access tokens. */
export async function loadOperators(mongoUrl: string, baseUrl: string, count: number): Promise<BenchOperator[]> {
  const connection = await openMongo(mongoUrl);
  try {
    const clock = Date.now;
    const accounts = createAccounts({ connection, clock });
    const { deviceKeys, sharedSecret } = accounts;
    const ranking = await createDatabase(connection, { deviceKeys, sharedSecret });
    await accounts.ensureIndexes();
    const codenames = Array.from({ length: count }, (_, index) => `bench-${index.toString(36).padStart(6, '0')}`);
    const asOf = clock() - 3_600_000;
    const first = await ranking.operators.import(
      codenames.map((codename, index) => {
        const counts = { input: 1_000 + (index % 977), output: 5_000 + index, cache_read: 90_000, cache_write: 800 };
        const usage = [{ ledger: benchKey(codename).kid, platform: 'claude-code', epoch: 0, asOf, counts }];
        return { codename, displayName: null, usage };
      }),
    );
    await ranking.rebuildBoard();
    await backdateOperators(connection);
    await storeAccounts(connection, codenames, first);
    const issuer = new URL(baseUrl).origin;
    const mint = (codename: string): Promise<string> =>
      accounts.signingKeys.mintAccessToken({
        subject: `subject-of-${codename}`,
        scope: SCOPE,
        audience: baseUrl,
        issuer,
        lifetimeSeconds: TOKEN_LIFETIME_S,
      });
    const operators: BenchOperator[] = [];
    for (let done = 0; done < count; done += MAX_CONCURRENT_TOKENS) {
      const tokens = await Promise.all(codenames.slice(done, done + MAX_CONCURRENT_TOKENS).map(mint));
      for (const token of tokens) {
        const index = operators.length;
        operators.push({ number: first + index, codename: codenames[index] ?? '', token });
      }
    }
    return operators;
  } finally {
    await connection.close();
  }
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
