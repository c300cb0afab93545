import { openMongo } from '../../engine/mongo/index.ts';
import { createRanking } from '../../engine/ranking/index.ts';

/** The methodology without floors and rules: tests of mechanisms count few tokens. */
export const PLAIN_METHODOLOGY = 1;

const unused = async (): Promise<never> => Promise.reject(new Error('not used'));

/** Creates the board of a new database under it, or another, before processes create theirs. */
export async function createPlainBoard(
  mongoUrl: string,
  clock: () => number = Date.now,
  methodology: number = PLAIN_METHODOLOGY,
): Promise<void> {
  const connection = await openMongo(mongoUrl);

  await createRanking({ connection, clock, deviceKeys: unused, sharedSecret: unused }).ensureBoard(methodology);
  await connection.close();
}
