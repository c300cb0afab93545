import { openMongo } from '../../../engine/mongo/index.ts';
import { LoadConnection } from '../client/load-connection.ts';
import { readText } from '../client/requests.ts';
import { median, timed } from '../frame/statistics.ts';
import { benchCodename } from '../sides/seed-population.ts';

/** Numbers of the clients that read profiles: each request is one of another client, so that no quota is reached. */
let client = 20_000_000;

/** Reads a profile as text. @throws for another status than 200. */
export async function readProfile(connection: LoadConnection, port: number, codename: string): Promise<string> {
  client += 1;
  const { status, body } = await connection.exchange(readText(port, { path: `/api/v1/operators/${codename}` }, client));
  if (status !== 200) throw new Error(`the profile of ${codename} returned ${status} ${body.toString()}`);
  return body.toString();
}

/**
 * Median times in milliseconds of profiles read for the first and the second time, and of finding an operator through the
 * driver, one at a time and alternating, after `warmUp` others, on the first few pages of the board.
 */
export async function measureProfiles(
  service: { readonly mongoUrl: string; readonly port: number },
  { operators, profiles, warmUp }: Readonly<Record<'operators' | 'profiles' | 'warmUp', number>>,
) {
  const { mongoUrl, port } = service;
  const api = await LoadConnection.open(port);
  const mongo = await openMongo(mongoUrl);
  const pick = (): string => benchCodename(Math.floor(Math.random() * operators));
  const read = async (codename: string) => (await timed(() => readProfile(api, port, codename))).ms;
  const find = async (codename: string) => (await timed(() => mongo.collection('operators').findOne({ codename }))).ms;
  try {
    for (let round = 0; round < warmUp; round++) {
      await read(benchCodename(round % operators));
      await find(benchCodename(round % operators));
    }
    const [first, second, found]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < profiles; round++) {
      const codename = pick();
      first.push(await read(codename));
      found.push(await find(pick()));
      second.push(await read(codename));
    }
    return { firstMs: median(first), secondMs: median(second), findOneMs: median(found) };
  } finally {
    api.close();
    await mongo.close();
  }
}
