import { MICROSECONDS_PER_MS, MS_PER_SECOND } from '../../../config/units.ts';
import { mainThreadSeconds, withCpuTime } from '../frame/cpu-time.ts';
import { mean, median, sum } from '../frame/statistics.ts';
import type { TaskProcess } from '../frame/task-process.ts';
import type { ClientTasks, LoadReport } from './client-main.ts';
import type { Floor } from './floor.ts';

/** Parts of a load, of which percentiles are medians, because the speed of a shared machine varies. */
const PARTS = 6;
const US_PER_SECOND = MS_PER_SECOND * MICROSECONDS_PER_MS;

/** CPU microseconds per accepted snapshot, by process: of its main thread, and of its other threads and child processes. */
export type SnapshotCpu = Readonly<Record<string, { readonly main: number; readonly others: number }>>;

interface LoadPart {
  readonly result: LoadReport;
  readonly cpu: SnapshotCpu;
  /** Batches that the api wrote. */
  readonly batches: number;
}

export interface MeasuredLoad {
  readonly name: string;
  /** Concurrent submissions. */
  readonly inFlight: number;
  readonly parts: readonly LoadPart[];
  /** Measured just after it. */
  readonly floor: Floor;
}

export interface LoadSetting {
  readonly client: TaskProcess<ClientTasks>;
  readonly pids: Readonly<Record<string, number>>;
  readonly metricsUrl: string;
  readonly connections: number;
  /** Duration of the load. */
  readonly seconds: number;
}

/** Submits the signed requests in parts and measures the CPU time of every process. */
export async function measureLoad(setting: LoadSetting): Promise<readonly LoadPart[]> {
  const { client, connections, seconds } = setting;
  const parts: LoadPart[] = [];
  for (let part = 0; part < PARTS; part++) {
    parts.push(await withCpu(setting, () => client.request('submit', { connections, seconds: seconds / PARTS })));
  }
  return parts;
}

async function withCpu({ pids, metricsUrl }: LoadSetting, run: () => Promise<LoadReport>): Promise<LoadPart> {
  const batchesBefore = await readBatches(metricsUrl);
  const { value, cpu: all } = await withCpuTime(pids, () => withCpuTime(pids, run, mainThreadSeconds));
  const { value: result, cpu: mainThreads } = value;
  const perSnapshot = (seconds: number): number => (seconds * US_PER_SECOND) / Math.max(1, result.accepted);
  const cpu = Object.entries(mainThreads).map(([process, main]) => {
    return [process, { main: perSnapshot(main), others: perSnapshot(all[process]! - main) }];
  });
  return { result, cpu: Object.fromEntries(cpu), batches: (await readBatches(metricsUrl)) - batchesBefore };
}

/** Batches that the api has written so far, from its metrics. */
async function readBatches(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  return Number(/^upsilon_ingest_batch_entries_count(?:\{[^}]*\})? (\d+)/m.exec(text)?.[1] ?? Number.NaN);
}

/** Totals of a load: sums of its parts, medians of their percentiles, and the maximum latency. */
export function wholeLoad(parts: readonly LoadPart[]) {
  const results = parts.map(({ result }) => result);
  const total = (of: 'accepted' | 'pending' | 'sent' | 'seconds'): number => sum(results.map((result) => result[of]));
  const middle = (of: keyof LoadReport['latencies']): number => median(results.map(({ latencies }) => latencies[of]));
  return {
    accepted: total('accepted'),
    pending: total('pending'),
    perSecond: total('accepted') / total('seconds'),
    batchSize: total('sent') / Math.max(1, sum(parts.map(({ batches }) => batches))),
    p50: middle('p50'),
    p90: middle('p90'),
    p99: middle('p99'),
    worst: Math.max(...results.map(({ latencies }) => latencies.worst)),
    cpu: meanCpu(parts),
  };
}

/** CPU microseconds per snapshot, over all processes. */
export function cpuOf(cpu: SnapshotCpu): number {
  return sum(Object.values(cpu).map(({ main, others }) => main + others));
}

function meanCpu(parts: readonly LoadPart[]): SnapshotCpu {
  const means = Object.keys(parts[0]?.cpu ?? {}).map((process) => {
    const of = (thread: 'main' | 'others'): number => mean(parts.map(({ cpu }) => cpu[process]?.[thread] ?? 0));
    return [process, { main: of('main'), others: of('others') }];
  });
  return Object.fromEntries(means);
}
