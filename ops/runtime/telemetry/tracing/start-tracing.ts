import type { Tracing, TracingOptions } from './open-telemetry.ts';

/** Starts tracing. OpenTelemetry is imported here, so that a process without tracing does not load it. */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  const { openTelemetry } = await import('./open-telemetry.ts');
  return openTelemetry(options);
}
