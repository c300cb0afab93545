import { collectDefaultMetrics, Registry } from 'prom-client';

export type { Registry } from 'prom-client';

/** Creates a registry with the default process metrics: CPU, memory, open files, event-loop lag, garbage collection. */
export function createRegistry(labels: Readonly<Record<string, string>> = {}): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ ...labels });
  collectDefaultMetrics({ register: registry });
  return registry;
}
