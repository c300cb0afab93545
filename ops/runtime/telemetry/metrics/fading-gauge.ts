import { Gauge, type Registry } from 'prom-client';

/** A number that this process has not told anew for this long is not its to tell. */
const FADES_AFTER_MS = 30_000;

/**
 * A gauge of something that one process at a time looks at, and not always the same one. It goes back to 0 when this process
 * has not looked for a while, so that the maximum over processes is the newest look.
 */
export function createFadingGauge(name: string, help: string, registry: Registry): { tell(value: number): void } {
  let toldAt = Number.NEGATIVE_INFINITY;
  const gauge = new Gauge({
    name,
    help: `${help}; take the maximum over processes`,
    registers: [registry],
    collect: () => {
      if (performance.now() - toldAt > FADES_AFTER_MS) gauge.set(0);
    },
  });
  return {
    tell(value) {
      toldAt = performance.now();
      gauge.set(value);
    },
  };
}
