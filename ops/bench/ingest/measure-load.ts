import { cpus } from 'node:os';
import { median } from '../frame/statistics.ts';
import type { Client } from './client.ts';
import type { LoadResult, VerifyResult } from './client-main.ts';
import { type ProcessCpu, processCpu } from './cpu.ts';

/** Parts of a load, between which verifications are measured, because the speed of a shared machine varies. */
const PARTS = 6;

/** CPU microseconds per accepted snapshot, by process. */
export type SnapshotCpu = Readonly<Record<string, ProcessCpu>>;

/** A part of a load, with the mean verification speed just before and after it. */
export interface LoadPart {
  readonly result: LoadResult;
  readonly cpu: SnapshotCpu;
  /** Batches that the api wrote. */
  readonly batches: number;
  readonly peer: VerifyResult;
}

export interface MeasuredLoad {
  readonly name: string;
  /** Concurrent submissions. */
  readonly inFlight: number;
  readonly parts: readonly LoadPart[];
}

export interface LoadSetting {
  readonly client: Client;
  readonly pids: Readonly<Record<string, number>>;
  readonly metricsUrl: string;
  readonly connections: number;
  /** Duration of the load. */
  readonly seconds: number;
  /** Duration of each measurement of verifications. */
  readonly verifySeconds: number;
}

/** Submits the signed requests in parts and measures the CPU time of every process. */
export async function measureLoad(setting: LoadSetting, name: string): Promise<MeasuredLoad> {
  const { client, connections, seconds, verifySeconds } = setting;
  const parts: LoadPart[] = [];
  let before = await client.request('verify', verifySeconds);
  for (let part = 0; part < PARTS; part++) {
    const measured = await withCpu(setting, () => client.request('load', { connections, seconds: seconds / PARTS }));
    const after = await client.request('verify', verifySeconds);
    const peer = { perSecond: (before.perSecond + after.perSecond) / 2, cpu: (before.cpu + after.cpu) / 2 };
    parts.push({ ...measured, peer });
    before = after;
  }
  return { name, inFlight: connections, parts };
}

async function withCpu(
  { pids, metricsUrl }: LoadSetting,
  run: () => Promise<LoadResult>,
): Promise<Omit<LoadPart, 'peer'>> {
  const batchesBefore = await readBatches(metricsUrl);
  const before = new Map(Object.entries(pids).map(([process, pid]) => [process, processCpu(pid)]));
  const result = await run();
  const perSnapshot = (after: number, earlier: number): number => (after - earlier) / Math.max(1, result.accepted);
  const cpu = Object.fromEntries(
    Object.entries(pids).map(([process, pid]) => {
      const { main, others } = processCpu(pid);
      const earlier = before.get(process) ?? { main: 0, others: 0 };
      return [process, { main: perSnapshot(main, earlier.main), others: perSnapshot(others, earlier.others) }];
    }),
  );
  return { result, cpu, batches: (await readBatches(metricsUrl)) - batchesBefore };
}

/** Batches that the api has written so far, from its metrics. */
async function readBatches(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  return Number(/^upsilon_ingest_batch_entries_count(?:\{[^}]*\})? (\d+)/m.exec(text)?.[1] ?? Number.NaN);
}

/** Totals of a load: sums of its parts, medians of their percentiles, and the maximum latency. */
export function wholeLoad({ parts }: MeasuredLoad) {
  const results = parts.map(({ result }) => result);
  const sum = (value: (result: LoadResult) => number): number =>
    results.reduce((total, result) => total + value(result), 0);
  const middle = (value: (result: LoadResult) => number): number => median(results.map(value));
  const batches = parts.reduce((total, part) => total + part.batches, 0);
  return {
    accepted: sum(({ accepted }) => accepted),
    pending: sum(({ pending }) => pending),
    perSecond: sum(({ accepted }) => accepted) / sum(({ seconds }) => seconds),
    batchSize: sum(({ sent }) => sent) / Math.max(1, batches),
    p50: middle(({ p50 }) => p50),
    p90: middle(({ p90 }) => p90),
    p99: middle(({ p99 }) => p99),
    worst: Math.max(...results.map(({ worst }) => worst)),
    ratio: median(parts.map(({ result, peer }) => result.accepted / result.seconds / peer.perSecond)),
    cpuRatio: median(parts.map(({ cpu, peer }) => (cpus().length * peer.cpu) / cpuOf(cpu))),
    cpu: meanCpu(parts),
  };
}

/** CPU microseconds per snapshot, over all processes. */
export function cpuOf(cpu: SnapshotCpu): number {
  return Object.values(cpu).reduce((sum, { main, others }) => sum + main + others, 0);
}

function meanCpu(parts: readonly LoadPart[]): SnapshotCpu {
  const mean = (process: string, thread: keyof ProcessCpu): number =>
    parts.reduce((sum, { cpu }) => sum + (cpu[process]?.[thread] ?? 0), 0) / parts.length;
  const processes = Object.keys(parts[0]?.cpu ?? {});
  return Object.fromEntries(
    processes.map((process) => [process, { main: mean(process, 'main'), others: mean(process, 'others') }]),
  );
}
