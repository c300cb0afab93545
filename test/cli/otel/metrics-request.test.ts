import { expect } from 'chai';
import * as fc from 'fast-check';
import { parseMetrics } from '../../../cli/src/otel/metrics-request.ts';
import { isTokenMetric } from '../../../cli/src/otel/token-metrics.ts';
import { RECORDED, recordedRequest } from '../support/otlp-fixtures.ts';

const all = (): boolean => true;
const TEXT = 'application/json';
const PROTOBUF = 'application/x-protobuf';

/** The points of a request with one point, between values that are none. */
function points(point: object, sum: object = { aggregationTemporality: 1 }) {
  const metrics = [{ name: 'any', sum: { ...sum, dataPoints: [point, null, 7] } }];
  return parseMetrics(Buffer.from(JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] })), TEXT, all);
}

describe('a request with metrics', () => {
  for (const name of RECORDED) {
    it(`has the same points in both encodings: ${name}`, () => {
      const found = parseMetrics(recordedRequest(name, 'pb'), PROTOBUF, all);
      expect(found).to.not.be.empty;
      expect(found).to.deep.equal(parseMetrics(recordedRequest(name, 'json'), TEXT, all));
    });
  }

  it('gives the points of wanted metrics alone', () => {
    const found = parseMetrics(recordedRequest('claude-code-delta', 'pb'), PROTOBUF, isTokenMetric) ?? [];
    expect(new Set(found.map(({ metric }) => metric))).to.deep.equal(new Set(['claude_code.token.usage']));
    expect(found.map(({ value }) => value)).to.deep.equal([6, 329, 78_397, 21_031, 4, 171, 1_603, 969, 5_000, 40]);
  });

  it('is read with numbers as text, and temporalities by name', () => {
    const body = recordedRequest('gemini-cli-cumulative-1', 'json').toString('utf8');
    const other = body
      .replaceAll(/"asInt":(\d+)/g, '"asInt":"$1"')
      .replaceAll('"aggregationTemporality":2', '"aggregationTemporality":"AGGREGATION_TEMPORALITY_CUMULATIVE"');
    expect(other).to.not.equal(body);
    expect(parseMetrics(Buffer.from(other), TEXT, all)).to.deep.equal(parseMetrics(Buffer.from(body), TEXT, all));
  });

  it('is refused, and never fails, when it is something else', () => {
    const junk = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(junk, (body) => {
        for (const encoding of [TEXT, PROTOBUF] as const) {
          const found = parseMetrics(body, encoding, all);
          if (found !== null) expect(found).to.deep.equal([]);
        }
      }),
    );
    for (const body of ['', 'null', '[]', '7', '{', '"resourceMetrics"'])
      expect(parseMetrics(Buffer.from(body), TEXT, all), body).to.equal(null);
  });

  it('never fails when it is damaged', () => {
    const recorded = fc.constantFrom(...RECORDED).map((name) => recordedRequest(name, 'pb'));
    fc.assert(
      fc.property(recorded, fc.nat(), fc.nat(255), fc.nat(), (bytes, at, byte, end) => {
        const damaged = Buffer.from(bytes);
        damaged[at % damaged.length] = byte;
        for (const body of [damaged, damaged.subarray(0, end % damaged.length)]) {
          for (const { value, time } of parseMetrics(body, PROTOBUF, all) ?? []) {
            expect(Number.isFinite(value) && Number.isFinite(time)).to.equal(true);
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('leaves out points without a value, a time or a temporality', () => {
    expect(points({ asInt: 7, timeUnixNano: '5000000' })).to.have.length(1);
    for (const value of ['seven', {}, [1, 2]])
      expect(points({ asInt: value, timeUnixNano: '5000000' })).to.deep.equal([]);
    expect(points({ asInt: 7 })).to.deep.equal([]);
    expect(points({ timeUnixNano: '5000000' })).to.deep.equal([]);
    expect(points({ asInt: 7, timeUnixNano: '5000000' }, {})).to.deep.equal([]);
    expect(points({ asInt: 7, timeUnixNano: '5000000' }, { aggregationTemporality: 'constructor' })).to.deep.equal([]);
  });
});
