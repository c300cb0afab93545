import { isObject, type JsonObject, objectOf, parseJson } from '../json.ts';
import { decodeMessage, type MessageSchema } from './protobuf.ts';

// opentelemetry-proto 1.x: collector/metrics/v1, metrics/v1, common/v1.
const VALUE: MessageSchema = {
  1: ['stringValue', 'text'],
  2: ['boolValue', 'integer'],
  3: ['intValue', 'integer'],
  4: ['doubleValue', 'double'],
};
const ATTRIBUTE: MessageSchema = { 1: ['key', 'text'], 2: ['value', VALUE] };
const TIMES: MessageSchema = { 2: ['startTimeUnixNano', 'fixed64'], 3: ['timeUnixNano', 'fixed64'] };
const NUMBER: MessageSchema = {
  ...TIMES,
  4: ['asDouble', 'double'],
  6: ['asInt', 'fixed64'],
  7: ['attributes[]', ATTRIBUTE],
};
const HISTOGRAM: MessageSchema = { ...TIMES, 5: ['sum', 'double'], 9: ['attributes[]', ATTRIBUTE] };
const series = (point: MessageSchema): MessageSchema => ({
  1: ['dataPoints[]', point],
  2: ['aggregationTemporality', 'integer'],
});
const METRIC: MessageSchema = { 1: ['name', 'text'], 7: ['sum', series(NUMBER)], 9: ['histogram', series(HISTOGRAM)] };
const RESOURCE_METRICS: MessageSchema = {
  1: ['resource', { 1: ['attributes[]', ATTRIBUTE] }],
  2: ['scopeMetrics[]', { 2: ['metrics[]', METRIC] }],
};
const REQUEST: MessageSchema = { 1: ['resourceMetrics[]', RESOURCE_METRICS] };

/** A point of a sum or a histogram, with what identifies its series. */
export interface MetricPoint {
  readonly metric: string;
  /** Attributes of the process, and of the point. */
  readonly resource: readonly JsonObject[];
  readonly attributes: readonly JsonObject[];
  readonly isCumulative: boolean;
  /** Nanoseconds since the epoch, as text. */
  readonly start: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** The sum of a histogram. */
  readonly value: number;
}

export const ENCODINGS = { 'application/json': parseText, 'application/x-protobuf': parseProtobuf } as const;

/**
 * The points of an OTLP request for metrics whose names are wanted; null when the body is not such a request. Malformed
 * points are left out.
 */
export function parseMetrics(
  body: Buffer,
  encoding: keyof typeof ENCODINGS,
  isWanted: (metric: string) => boolean,
): readonly MetricPoint[] | null {
  const request = ENCODINGS[encoding](body);
  if (!isObject(request)) return null;
  return objectsIn(request, 'resourceMetrics').flatMap(({ resource, ...rest }) =>
    objectsIn(rest, 'scopeMetrics')
      .flatMap((scope) => objectsIn(scope, 'metrics'))
      .flatMap((metric) => (isWanted(String(metric['name'])) ? pointsOf(metric, objectOf(resource)) : [])),
  );
}

function parseText(body: Buffer): unknown {
  return parseJson(body.toString('utf8'));
}

function parseProtobuf(body: Buffer): unknown {
  try {
    return decodeMessage(body, REQUEST);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function pointsOf(metric: JsonObject, resource: JsonObject): MetricPoint[] {
  const data = isObject(metric['sum']) ? metric['sum'] : metric['histogram'];
  if (!isObject(data)) return [];
  const temporality = TEMPORALITIES.get(String(data['aggregationTemporality']));
  if (temporality === undefined) return [];
  return objectsIn(data, 'dataPoints').flatMap((point): MetricPoint[] => {
    const value = Number(point['asInt'] ?? point['asDouble'] ?? point['sum']);
    const time = Number(point['timeUnixNano']) / 1e6;
    if (!Number.isFinite(value) || !Number.isFinite(time)) return [];
    return [
      {
        metric: String(metric['name']),
        resource: objectsIn(resource, 'attributes'),
        attributes: objectsIn(point, 'attributes'),
        isCumulative: temporality === 'cumulative',
        start: String(point['startTimeUnixNano']),
        time,
        value,
      },
    ];
  });
}

/** Both spellings of the JSON encoding. */
const TEMPORALITIES: ReadonlyMap<string, 'delta' | 'cumulative'> = new Map([
  ['1', 'delta'],
  ['2', 'cumulative'],
  ['AGGREGATION_TEMPORALITY_DELTA', 'delta'],
  ['AGGREGATION_TEMPORALITY_CUMULATIVE', 'cumulative'],
]);

function objectsIn(value: JsonObject, name: string): readonly JsonObject[] {
  const list = value[name];
  return Array.isArray(list) ? list.filter(isObject) : [];
}
