import { expect } from 'chai';
import * as fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { DenseHistogram } from '../../../../../ops/runtime/telemetry/metrics/dense-histogram.ts';

const BUCKETS = [0.001, 0.01, 1];

describe('the dense histogram', () => {
  it("is exposed like prom-client's histogram for any observations", async () => {
    const observation = fc.record({
      place: fc.constantFrom('here', 'there', 'a "quoted" place'),
      value: fc.oneof(fc.constantFrom(0, 0.001, 0.01, 1), fc.double({ min: 0, max: 100, noNaN: true })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(observation, { maxLength: 30 }), async (observations) => {
        const [ours, theirs] = [new Registry(), new Registry()];
        const configuration = { name: 'seconds', help: 'Time', labelNames: ['place'] as const, buckets: BUCKETS };
        const dense = new DenseHistogram({ ...configuration, registers: [ours] });
        const plain = new Histogram({ ...configuration, registers: [theirs] });
        for (const registry of [ours, theirs]) registry.setDefaultLabels({ process: 'api' });
        const series = new Map<string, ReturnType<typeof dense.series>>();
        for (const { place, value } of observations) {
          const kept = series.get(place) ?? dense.series({ place });
          series.set(place, kept);
          kept.observe(value);
          plain.observe({ place }, value);
        }
        expect(lines(await ours.metrics())).to.deep.equal(lines(await theirs.metrics()));
        expect(await ours.getMetricsAsJSON()).to.have.length(1);
      }),
      { numRuns: 50 },
    );
  });
});

/** Lines with sorted labels, whose order is insignificant. */
function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').sort().join(',')}}`));
}
