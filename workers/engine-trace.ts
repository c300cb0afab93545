import type { EngineTrace } from '../engine/ranking/index.ts';
import type { Tracing } from '../ops/runtime/telemetry/index.ts';

/** The engine's steps as spans, and its lists of changes with the trace that made them. */
export function engineTrace(tracing: Pick<Tracing, 'span' | 'running'>): EngineTrace {
  return {
    step: (name, work) => tracing.span(name, {}, work),
    current: () => tracing.running()?.parent,
  };
}
