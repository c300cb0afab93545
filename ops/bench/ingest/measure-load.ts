import type { Client } from './client.ts';
import type { LoadResult } from './client-tasks.ts';
import { type ProcessCpu, processCpu } from './cpu.ts';

/** A load with the CPU time, in microseconds, that each process used for one accepted snapshot. */
export interface MeasuredLoad {
  readonly name: string;
  readonly result: LoadResult;
  readonly cpu: Readonly<Record<string, ProcessCpu>>;
  /** Entries written to the log together, on average. */
  readonly groupSize: number;
}

export interface LoadSetting {
  readonly client: Client;
  readonly pids: Readonly<Record<string, number>>;
  readonly metricsUrl: string;
  readonly connections: number;
  readonly seconds: number;
}

/** CPU microseconds of one snapshot, over all processes. */
export function cpuOf({ cpu }: Pick<MeasuredLoad, 'cpu'>): number {
  return Object.values(cpu).reduce((sum, { main, others }) => sum + main + others, 0);
}

/** Submits what the client has signed, with the CPU time of every process. */
export async function measureLoad(setting: LoadSetting, name: string): Promise<MeasuredLoad> {
  const { client, pids, metricsUrl, connections, seconds } = setting;
  const groupsBefore = await readGroups(metricsUrl);
  const before = new Map(Object.entries(pids).map(([process, pid]) => [process, processCpu(pid)]));
  const result = await client.load({ connections, seconds });
  const perSnapshot = (after: number, earlier: number): number =>
    Math.round(((after - earlier) / Math.max(1, result.accepted)) * 10) / 10;
  const cpu = Object.fromEntries(
    Object.entries(pids).map(([process, pid]) => {
      const { main, others } = processCpu(pid);
      const earlier = before.get(process) ?? { main: 0, others: 0 };
      return [process, { main: perSnapshot(main, earlier.main), others: perSnapshot(others, earlier.others) }];
    }),
  );
  const groups = await readGroups(metricsUrl);
  return { name, result, cpu, groupSize: result.sent / Math.max(1, groups - groupsBefore) };
}

/** Groups that the api has written so far, as its metrics tell. */
async function readGroups(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  return Number(/^upsilon_ingest_group_entries_count(?:\{[^}]*\})? (\d+)/m.exec(text)?.[1] ?? Number.NaN);
}
