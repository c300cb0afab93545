import type { Env } from './env.ts';

const TRACES_PATH = '/v1/traces';

/** Where spans are sent, by OTLP over HTTP; null: there are no traces. By the names that OpenTelemetry gives its settings. */
export function readTracesUrl(env: Env): string | null {
  if (env.OTEL_SDK_DISABLED || env.OTEL_TRACES_EXPORTER === 'none') return null;
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: all } = env;
  return own ?? (all === undefined ? null : all.replace(/\/+$/, '') + TRACES_PATH);
}
