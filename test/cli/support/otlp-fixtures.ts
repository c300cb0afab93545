import { readFileSync } from 'node:fs';

const FOLDER = new URL('../../fixtures/otlp/', import.meta.url);

/** Planted in the attributes of recorded requests that name the user: must not be kept. */
export const OTLP_MARKER = 'planted-marker-7261';

/** A request as the JavaScript SDK of OpenTelemetry 2.12 sends it, with names and attributes that the AI tools document. */
export function recordedRequest(name: string, encoding: 'json' | 'pb'): Buffer {
  return readFileSync(new URL(`${name}.${encoding}`, FOLDER));
}

/** The recorded requests, in the order in which they were made. */
export const RECORDED = ['claude-code-delta', 'gemini-cli-cumulative-1', 'gemini-cli-cumulative-2', 'codex-delta'];

function text(key: string, stringValue: string) {
  return { key, value: { stringValue } };
}

/** Counts of a token metric of Claude Code at a time (milliseconds), as the JSON body of a request. */
export function claudeRequest(counts: Readonly<Record<string, number>>, at: number): string {
  const dataPoints = Object.entries(counts).map(([type, asInt]) => ({
    attributes: [text('type', type), text('session.id', OTLP_MARKER)],
    startTimeUnixNano: `${at - 60_000}000000`,
    timeUnixNano: `${at}000000`,
    asInt,
  }));
  const metric = { name: 'claude_code.token.usage', sum: { aggregationTemporality: 1, isMonotonic: true, dataPoints } };
  const resource = { attributes: [text('service.name', 'claude-code')] };
  return JSON.stringify({ resourceMetrics: [{ resource, scopeMetrics: [{ metrics: [metric] }] }] });
}
