import { collectDefaultMetrics, Registry } from 'prom-client';

export type { Registry } from 'prom-client';

/** A registry for this process, with the metrics that every process has: CPU, memory, open files, event-loop lag, garbage collection. */
export function createRegistry(labels: Readonly<Record<string, string>> = {}): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ ...labels });
  collectDefaultMetrics({ register: registry });
  return registry;
}
