import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { RELEASE } from '../../../../config/release.ts';

export type { Registry } from 'prom-client';

/** Histogram buckets for short work (a request, a commit), in seconds. */
export const SHORT_WORK_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Histogram buckets for queue waits and job runs, in seconds; the longest jobs read every record. */
export const WAITING_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];

/** Histogram buckets for the number of items handled in one step. */
export const BATCH_SIZES = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000, 100_000];

/** Time without an update after which a fading gauge is reset. */
const FADES_AFTER_MS = 30_000;

/** Creates a registry with the default process metrics: CPU, memory, open files, event-loop lag, garbage collection. */
export function createRegistry(labels: Readonly<Record<string, string>> = {}): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ ...labels });
  collectDefaultMetrics({ register: registry });
  createBuildMetric(registry);
  return registry;
}

export function createBuildMetric(registry: Registry): void {
  const { gauge } = defineMetrics(registry);
  gauge('upsilon_build_info', 'Always 1; the release that runs, as a label', 'version').set({ version: RELEASE }, 1);
}

/** Functions that define metrics in a registry by name, help text and labels. */
export function defineMetrics(registry: Registry) {
  const registers = [registry];
  return {
    counter: <L extends string>(name: string, help: string, ...labelNames: L[]) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <L extends string>(name: string, help: string, ...labelNames: L[]) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: <L extends string>(name: string, help: string, buckets: number[], ...labelNames: L[]) =>
      new Histogram({ name, help, buckets, labelNames, registers }),
    /**
     * A gauge that one process at a time updates, not always the same one. It is reset after 30 s without an update, to 0 or,
     * with labels, to no series, so that `max()` over processes ignores former leaders.
     */
    fadingGauge: <L extends string>(name: string, text: string, ...labelNames: L[]) => {
      let updatedAt = Number.NEGATIVE_INFINITY;
      const help = `${text}; take the maximum over processes`;
      const collect = (): void => {
        if (performance.now() - updatedAt > FADES_AFTER_MS) gauge.reset();
      };
      const gauge = new Gauge({ name, help, labelNames, registers, collect });
      return {
        set(value: number, labels: Partial<Record<L, string>> = {}): void {
          updatedAt = performance.now();
          gauge.set(labels, value);
        },
      };
    },
  };
}
