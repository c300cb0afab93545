import { Gauge, type Registry } from 'prom-client';

/** Time without an update after which the gauge is reset. */
const FADES_AFTER_MS = 30_000;

/**
 * A gauge that one process at a time updates, not always the same one. It is reset to 0 after 30 s without an update, so
 * that `max()` over processes ignores former leaders.
 */
export function createFadingGauge(name: string, help: string, registry: Registry): { set(value: number): void } {
  let updatedAt = Number.NEGATIVE_INFINITY;
  const gauge = new Gauge({
    name,
    help: `${help}; take the maximum over processes`,
    registers: [registry],
    collect: () => {
      if (performance.now() - updatedAt > FADES_AFTER_MS) gauge.set(0);
    },
  });
  return {
    set(value) {
      updatedAt = performance.now();
      gauge.set(value);
    },
  };
}
