import type { ThrottledLog } from '../create-throttled-log.ts';
import type { Tracing } from './tracing.ts';

export interface TracingOptions {
  /** Where spans go, by OTLP over HTTP. */
  readonly tracesUrl: string;
  /** What this process is called in traces. */
  readonly service: string;
  /** Told when spans cannot be sent. */
  readonly logThrottled: ThrottledLog;
}

/** Starts tracing; loads OpenTelemetry, which a process without tracing never does. */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  const { openTelemetry } = await import('./open-telemetry.ts');
  return openTelemetry(options);
}
