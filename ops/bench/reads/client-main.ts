import { getRequest, LoadConnection } from '../frame/load-connection.ts';
import { quantile } from '../frame/statistics.ts';
import { serveTasks } from '../frame/task-process.ts';

/** A GET request repeated on several connections; each sends the next when it has received a response. */
interface Load {
  readonly port: number;
  readonly path: string;
  readonly connections: number;
  readonly durationMs: number;
}

/** The load client of the bench in a separate process. */
const tasks = { load: runLoad };
export type ReadTasks = typeof tasks;
serveTasks(tasks);

async function runLoad({ port, path, connections, durationMs }: Load) {
  const request = getRequest(port, path);
  const statuses = new Map<number, number>();
  const latencies: number[] = [];
  let broken = 0;
  const opened = await LoadConnection.openAll(port, connections);
  const startedAt = performance.now();
  const until = startedAt + durationMs;
  const repeat = async (connection: LoadConnection): Promise<void> => {
    for (let sentAt = startedAt; sentAt < until; sentAt = performance.now()) {
      const { status } = await connection.exchange(request);
      latencies.push(performance.now() - sentAt);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(opened.map((connection) => repeat(connection).catch(() => void (broken += 1))));
  for (const connection of opened) connection.close();
  return {
    responses: latencies.length,
    /** Responses by status. */
    statuses: Object.fromEntries(statuses),
    /** Connections that broke during a response. */
    broken,
    seconds: (performance.now() - startedAt) / 1000,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  };
}
