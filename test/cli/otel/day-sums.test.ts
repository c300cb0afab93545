import { expect } from 'chai';
import * as fc from 'fast-check';
import { createAdder, type MetricSums } from '../../../cli/src/otel/day-sums.ts';
import { type MetricPoint, parseMetrics } from '../../../cli/src/otel/metrics-request.ts';
import { claudeRequest, OTLP_MARKER, RECORDED, recordedRequest } from '../support/otlp-fixtures.ts';

const DAY_MS = 86_400_000;
const pointsOf = (name: string): readonly MetricPoint[] =>
  parseMetrics(recordedRequest(name, 'pb'), 'application/x-protobuf', () => true)!;
const NOW = pointsOf('codex-delta')[0]!.time;
const TODAY = Math.floor(NOW / DAY_MS);

const empty = (): MetricSums => ({ days: {}, series: {} });

function sumsOf(deliveries: readonly (readonly MetricPoint[])[], sums = empty(), now = NOW): MetricSums {
  const add = createAdder(sums, () => now);
  for (const points of deliveries) add(points);
  return sums;
}

/** The points of metrics of Claude Code at a time. */
function at(time: number, counts: Readonly<Record<string, number>>): readonly MetricPoint[] {
  return parseMetrics(Buffer.from(claudeRequest(counts, time)), 'application/json', () => true)!;
}

function sum(input: number) {
  return { 'claude-code': { input, output: 0, cache_read: 0, cache_write: 0 } };
}

describe('sums of metrics', () => {
  it('are those of the logs: without requests of the tool itself, and cached tokens apart from input', () => {
    // By hand from the recorded values.
    expect(sumsOf(RECORDED.map(pointsOf)).days).to.deep.equal({
      [TODAY]: {
        'claude-code': { input: 10, output: 500, cache_read: 80_000, cache_write: 22_000 },
        'gemini-cli': { input: 4_000 - 3_000 + 20, output: 420, cache_read: 3_000, cache_write: 0 },
        codex: { input: 33_562 - 2_820 - 500, output: 135, cache_read: 2_820, cache_write: 500 },
      },
    });
  });

  it('are the same when requests are repeated, and cumulative ones in any order', () => {
    const once = sumsOf(RECORDED.map(pointsOf));
    const otherNames = fc.array(fc.constantFrom(...RECORDED), { maxLength: 8 });
    fc.assert(
      fc.property(otherNames, (more) => {
        const names = [...more, ...RECORDED];
        expect(sumsOf(names.map(pointsOf)).days).to.deep.equal(once.days);
      }),
    );
  });

  it('continue a cumulative series after a restart of the receiver', () => {
    const [first, second] = [pointsOf('gemini-cli-cumulative-1'), pointsOf('gemini-cli-cumulative-2')];
    const restarted: MetricSums = JSON.parse(JSON.stringify(sumsOf([first])));
    expect(sumsOf([second], restarted)).to.deep.equal(sumsOf([first, second]));
  });

  it('keep nothing of the attributes', () => {
    expect(JSON.stringify(pointsOf('gemini-cli-cumulative-1'))).to.include(OTLP_MARKER);
    expect(JSON.stringify(sumsOf(RECORDED.map(pointsOf)))).to.not.include(OTLP_MARKER);
  });

  it('are by the day of the metrics, for 40 days', () => {
    const midnight = TODAY * DAY_MS;
    const before = sumsOf([
      at(midnight - 1, { input: 3 }),
      at(midnight, { input: 4 }),
      at(midnight - 40 * DAY_MS, { input: 9 }),
      at(midnight + 2 * DAY_MS, { input: 9 }),
    ]);
    expect(before.days).to.deep.equal({ [TODAY - 1]: sum(3), [TODAY]: sum(4) });
    expect(sumsOf([at(midnight + 39 * DAY_MS, { input: 5 })], before, NOW + 39 * DAY_MS).days).to.deep.equal({
      [TODAY]: sum(4),
      [TODAY + 39]: sum(5),
    });
  });

  it('leave out values that no count can have, and kinds of tokens that are not counted', () => {
    expect(
      sumsOf([at(NOW, { input: -1, output: 1e300 }), at(NOW, { thinking: 5, constructor: 5, total: 5 })]).days,
    ).to.deep.equal({});
  });

  it('forget a cumulative series a week after its last point', () => {
    const sums = sumsOf([pointsOf('gemini-cli-cumulative-1')]);
    expect(Object.keys(sums.series)).to.have.length(5);
    expect(Object.keys(sumsOf([[]], sums, NOW + 6 * DAY_MS).series)).to.have.length(5);
    expect(Object.keys(sumsOf([[]], sums, NOW + 7 * DAY_MS).series)).to.have.length(0);
  });
});
