import type { Connection } from '../../../engine/mongo/index.ts';
import { withCpuTime } from '../frame/cpu-time.ts';
import { timed } from '../frame/statistics.ts';

const COUNTS = 4;

/** The Yield of a window from a record's plain totals. */
function yieldOf(window: number): object {
  const count = (at: number): object => ({ $arrayElemAt: ['$plain', window * COUNTS + at] });
  const [input, output, cacheRead] = [count(0), count(1), count(2)];
  return { $divide: [{ $multiply: [cacheRead, output] }, { $multiply: [input, input] }] };
}

/** The stages with which MongoDB scores and ranks all records in some windows. */
function rankingStages(windows: readonly number[]): object[] {
  return [
    { $project: Object.fromEntries(windows.map((window) => [`yield${window}`, yieldOf(window)])) },
    ...windows.map((window) => ({
      $setWindowFields: { sortBy: { [`yield${window}`]: -1 }, output: { [`rank${window}`]: { $rank: {} } } },
    })),
  ];
}

/** Costs of a ranking by MongoDB. */
export type ServerRanking = Awaited<ReturnType<typeof rankOnServer>>;

/**
 * Ranks all records by pipelines of the server, each into a separate collection, by `$merge` or `$out`. `pipelines` contains
 * the windows that each of them ranks; `pid` is the server's.
 */
export async function rankOnServer(
  connection: Connection,
  into: 'merge' | 'out',
  pipelines: readonly (readonly number[])[],
  pid: number | undefined,
) {
  const operators = connection.collection('operators');
  let [ms, used, bytes] = [0, 0, 0];
  for (const windows of pipelines) {
    const target = `ranked_by_${into}`;
    const last = into === 'merge' ? { $merge: { into: target, whenMatched: 'replace' } } : { $out: target };
    const ranked = await timed(() =>
      withCpuTime(pid === undefined ? {} : { server: pid }, () =>
        operators.aggregate([...rankingStages(windows), last], { allowDiskUse: true }).toArray(),
      ),
    );
    ms += ranked.ms;
    used += ranked.value.cpu['server'] ?? Number.NaN;
    bytes += await bytesOf(connection, target);
    await connection.collection(target).drop();
  }
  /** `cpu`: seconds of the server, NaN where unknown; `bytes`: of the written collection, before compression. */
  return { ms, cpu: used, bytes };
}

/** Bytes of a collection's documents, before compression. */
export async function bytesOf(connection: Connection, collection: string): Promise<number> {
  const [stats] = await connection
    .collection(collection)
    .aggregate<{ storageStats: { size: number } }>([{ $collStats: { storageStats: {} } }])
    .toArray();
  return stats?.storageStats.size ?? 0;
}
