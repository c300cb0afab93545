import type { EngineTrace } from '../engine/ranking/index.ts';
import type { Tracing } from '../ops/runtime/telemetry/index.ts';

/** Traces the engine's steps as spans, and links dirty sets to the trace that created them. */
export function engineTrace(tracing: Pick<Tracing, 'span' | 'running'>): EngineTrace {
  return {
    step: (name, work) => tracing.span(name, {}, work),
    current: () => tracing.running()?.parent,
  };
}
