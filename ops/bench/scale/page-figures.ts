import { openMongo } from '../../../engine/mongo/index.ts';
import { LoadConnection } from '../client/load-connection.ts';
import { readText } from '../client/requests.ts';
import { type Figure, figure } from '../frame/bench.ts';
import { median, timed } from '../frame/statistics.ts';
import { benchCodename } from '../sides/seed-population.ts';

/** What is read in each round, in this order. */
const READS = ['page', 'around', 'hundred', 'standing', 'one'] as const;
type Read = (typeof READS)[number];

/** Rows of a page. */
const ROWS = 100;

/** Numbers of the clients: each request is one of another client, so that no quota is reached. */
let client = 30_000_000;

/**
 * Pages anywhere on the board and places of Yields, one at a time and alternating with reads of as many records through the
 * driver. Pages and their records are those that nothing has read yet, but for chance.
 */
export async function pageFigures(
  { mongoUrl, port }: { readonly mongoUrl: string; readonly port: number },
  operators: number,
  rounds: number,
): Promise<readonly Figure[]> {
  const api = await LoadConnection.open(port);
  const mongo = await openMongo(mongoUrl);
  const some = (): number => Math.floor(Math.random() * (operators - ROWS));
  const get = async (path: string): Promise<void> => {
    client += 1;
    const { status, body } = await api.exchange(readText(port, { path: `/api/v1/${path}` }, client));
    if (status !== 200) throw new Error(`${path} returned ${status} ${body.toString()}`);
  };
  const records = mongo.collection<{ _id: number }>('operators');
  const reads: Readonly<Record<Read, () => Promise<unknown>>> = {
    page: () => get(`leaderboard?limit=${ROWS}&offset=${some()}`),
    around: () => get(`leaderboard?limit=${ROWS}&around=${benchCodename(some())}`),
    hundred: () => records.find({ _id: { $in: Array.from({ length: ROWS }, some) } }).toArray(),
    standing: () => get(`standing?yield=${Math.random() * 100}`),
    one: () => records.findOne({ _id: some() }),
  };
  const taken: Record<Read, number[]> = { page: [], around: [], hundred: [], standing: [], one: [] };
  try {
    for (let round = 0; round < rounds; round++) {
      for (const name of READS) taken[name].push((await timed(reads[name])).ms);
    }
  } finally {
    api.close();
    await mongo.close();
  }
  // The first half compiles code and fills what stays in memory, such as the order pages of the board.
  const ms = (name: Read): number => median(taken[name].slice(rounds / 2));
  const against = (name: Read, peer: Read, words: string, atMost: number): Figure =>
    figure(`${name} at ${operators} operators`, ms(name), 'ms', { ratio: ms(name) / ms(peer), peer: words, atMost });
  return [
    against('page', 'hundred', 'of one find of a hundred records', 3),
    against('around', 'hundred', 'of one find of a hundred records', 3),
    against('standing', 'one', 'of one findOne', 2),
  ];
}
