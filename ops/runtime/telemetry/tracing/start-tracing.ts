import type { Tracing, TracingOptions } from './tracing.ts';

/** Starts tracing; loads OpenTelemetry, which a process without tracing never does. */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  const { openTelemetry } = await import('./open-telemetry.ts');
  return openTelemetry(options);
}
