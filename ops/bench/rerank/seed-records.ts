import { DAY_MS } from '../../../config/units.ts';
import { joinTotals, sourceOf, statisticAt, statisticsOf } from '../../../engine/integrity/index.ts';
import { type Connection, MIGRATIONS, migrate } from '../../../engine/mongo/index.ts';
import type { CounterSeries } from '../../../engine/ranking/core/operator-state/index.ts';
import { encodeState } from '../../../engine/ranking/storage/operator-codec.ts';
import { benchCodename, recordUpkeep } from '../frame/seed-population.ts';
import { RECORD_WINDOWS, totalsOfRecord } from './record-counts.ts';

const COMMAND_RECORDS = 2_000;
/** Concurrent commands: the next one is prepared while the store writes the last. */
const MAX_CONCURRENT_COMMANDS = 3;
/** Number of distinct sample series; each record has one of them. */
const SERIES = 64;

/**
 * Fills the collection of operators with records 1 to `records`: raw documents as `applySamples` results in, because
 * processing a million snapshots would take longer than the measurement. Each also has its totals as plain numbers (`plain`),
 * before the samples, for MongoDB's pipelines, which cannot read packed ones. One of `smallEvery` is small
 * (`totalsOfRecord`); 0: none.
 */
export async function seedRecords(
  connection: Connection,
  records: number,
  samples: number,
  smallEvery = 0,
): Promise<void> {
  const operators = connection.collection<{ _id: number }>('operators');
  const series = Array.from({ length: SERIES }, (_, index) => seriesOf(index, samples));
  const at = new Date(Date.now() - DAY_MS);
  // Sets the schema version: otherwise the first process would compute the totals from the samples.
  await migrate(connection, { migrations: MIGRATIONS, clock: Date.now });
  await recordUpkeep(connection);
  await connection.collection<{ _id: string; last: number }>('sequences').insertOne({ _id: 'operator', last: records });
  const pending: Promise<unknown>[] = [];
  for (let first = 1; first <= records; first += COMMAND_RECORDS) {
    const length = Math.min(COMMAND_RECORDS, records - first + 1);
    const documents = Array.from({ length }, (_, offset) => recordOf(first + offset, smallEvery, series, at));
    pending.push(operators.insertMany(documents, { ordered: false, writeConcern: { w: 1, j: false } }));
    if (pending.length === MAX_CONCURRENT_COMMANDS) await pending.shift();
  }
  await Promise.all(pending);
  // The first measurement must not include writing them to disk.
  await connection.db?.admin().command({ fsync: 1 });
}

function seriesOf(index: number, samples: number): CounterSeries {
  const hours = Uint32Array.from({ length: samples }, (_, sample) => 480_000 + index + 7 * sample);
  return { hours, counts: Float64Array.from({ length: samples * 4 }, (_, at) => (at + 1) * (index + 1) * 1_234.5) };
}

function recordOf(index: number, smallEvery: number, series: readonly CounterSeries[], at: Date) {
  const counts = totalsOfRecord(index, smallEvery);
  const statistics = new Float64Array(counts.length);
  const totals = joinTotals({ counts, statistics });
  const platforms = Array.from({ length: RECORD_WINDOWS }, () => 'claude-code');
  for (const [window, platform] of platforms.entries()) {
    statisticsOf(totals)[statisticAt(window, 'source')] = sourceOf(platform);
    statisticsOf(totals)[statisticAt(window, 'spread')] = -1;
  }
  const stream = {
    ledger: 'ledger-1',
    platform: 'claude-code',
    epoch: 0,
    series: series[index % SERIES]!,
    provenance: null,
    former: null,
  };
  return {
    _id: index,
    codename: benchCodename(index),
    display_name: null,
    listed: true,
    revision: index.toString(36).padStart(12, '0'),
    plain: [...counts],
    ...encodeState({ hour: 0, totals, platforms, nextDue: null, streams: [stream] }),
    created_at: at,
    amended_at: at,
  };
}
