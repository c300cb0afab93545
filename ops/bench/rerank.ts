import { MIB } from '../../config/units.ts';
import { WINDOWS } from '../../engine/contract/index.ts';
import { openMongo } from '../../engine/mongo/index.ts';
import { costsAgainstCommit } from './frame/against.ts';
import { defineBench, figure } from './frame/bench.ts';
import { peakBytes } from './frame/cpu-time.ts';
import { alternate, median, timed } from './frame/statistics.ts';
import { mib, ms, operatorsText } from './frame/text-table.ts';
import { openSides, type Population, type Side } from './sides/side.ts';

/** Methodologies to switch between: the one of a new board, with all rules of integrity, and one without rules. */
const METHODOLOGIES = [3, 2] as const;
const COUNTS = 4;
const COMMAND_RECORDS = 10_000;

/** A re-rank of a population against a ranking computed by MongoDB. */
export const rerank = defineBench({
  name: 'rerank',
  summary: 'four windows re-ranked under another methodology and switched against $setWindowFields into $merge',
  method:
    'One process scores all operators under another methodology, sorts four windows, writes a base run and switches the board to it. ' +
    'MongoDB computes Yields and ranks of as many records, which have their counts as plain numbers, with one pipeline ' +
    '(`$setWindowFields` for each window) into another collection (`$merge`).',
  options: { operators: [1_000_000, 2_000], rounds: [3, 1], peer: [1, 1] },
  async run(context, { operators, rounds, peer }) {
    const sides = await openSides(context, async (side) => {
      context.progress(`seeding ${operators} operators: ${side.name}`);
      return { ...side, population: await seed(side, operators) };
    });
    const populations = sides.map(({ population }) => population);
    context.progress('re-ranking');
    await alternate(populations, 1, (population) => population.request('rerank', METHODOLOGIES[1]));
    // A round switches there and back, and counts the mean.
    const taken = await alternate(populations, rounds, async (population) => {
      const there = await population.request('rerank', METHODOLOGIES[0]);
      const back = await population.request('rerank', METHODOLOGIES[1]);
      return { wallMs: (there.wallMs + back.wallMs) / 2, cpuMs: (there.cpuMs + back.cpuMs) / 2 };
    });
    const memory = await Promise.all(populations.map(({ pid }) => peakBytes(pid)));
    context.progress('MongoDB ranks');
    const peerMs = peer === 0 ? null : await rankByMongo(sides[0].newDatabase(), operators);
    const wall = taken.map((costs) => median(costs.map(({ wallMs }) => wallMs)));
    context.table(`Four windows of ${operators} operators, ranked and stored`, [
      ['by', 'time', 'CPU', 'peak memory'],
      ...taken.map((costs, index) => {
        const cpuMs = median(costs.map((one) => one.cpuMs));
        return [`re-rank, ${sides[index]!.name}`, ms(wall[index]!), ms(cpuMs), mib(memory[index]!)];
      }),
      ...(peerMs === null ? [] : [['$setWindowFields into $merge', ms(peerMs), '', '']]),
    ]);
    const name = `re-rank of ${operatorsText(operators)}`;
    const compared = peerMs === null ? {} : { ratio: peerMs / wall[0]!, peer: 'times as fast as $merge', atLeast: 4 };
    return [
      figure(name, wall[0]!, 'ms', compared),
      figure('most memory of the process', memory[0]! / MIB, 'MiB', { atMost: 500 }),
      ...costsAgainstCommit(context, name, taken),
    ];
  },
});

/** Seeds a population in one process, and opens it in another, whose memory the seeding does not use. */
async function seed(side: Side, operators: number): Promise<Population> {
  const mongoUrl = side.newDatabase();
  await side.fill(mongoUrl, (population) => population.request('seed', { operators }));
  return side.openPopulation(mongoUrl);
}

/** The Yield of a window from a record's plain counts. */
function yieldOf(window: number): object {
  const count = (at: number): object => ({ $arrayElemAt: ['$counts', window * COUNTS + at] });
  const [input, output, cacheRead] = [count(0), count(1), count(2)];
  return { $divide: [{ $multiply: [cacheRead, output] }, { $multiply: [input, input] }] };
}

const randomCount = (): number => 10_000 + Math.floor(Math.random() * 1e6);

/** Milliseconds in which MongoDB ranks as many records in all windows. */
async function rankByMongo(mongoUrl: string, records: number): Promise<number> {
  // A pipeline may take longer than the service's time limit for commands.
  const connection = await openMongo(mongoUrl, { commandMs: 0 });
  const collection = connection.collection<{ _id: number; counts: readonly number[] }>('records');
  for (let from = 0; from < records; from += COMMAND_RECORDS) {
    const length = Math.min(COMMAND_RECORDS, records - from);
    const countsOf = (): number[] => Array.from({ length: WINDOWS.length * COUNTS }, randomCount);
    await collection.insertMany(Array.from({ length }, (_, index) => ({ _id: from + index, counts: countsOf() })));
  }
  await connection.db?.admin().command({ fsync: 1 });
  const windows = [...WINDOWS.keys()];
  const stages = [
    { $project: Object.fromEntries(windows.map((window) => [`yield${window}`, yieldOf(window)])) },
    ...windows.map((window) => ({
      $setWindowFields: { sortBy: { [`yield${window}`]: -1 }, output: { [`rank${window}`]: { $rank: {} } } },
    })),
    { $merge: { into: 'ranked', whenMatched: 'replace' } },
  ];
  const ranked = await timed(() => collection.aggregate(stages, { allowDiskUse: true }).toArray());
  await connection.close();
  return ranked.ms;
}
