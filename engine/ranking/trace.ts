/** Steps that get a separate span in a trace. */
export type TracedStep = 'verify' | 'apply';

/** Connects the engine's steps to a tracer. */
export interface EngineTrace {
  step<T>(name: TracedStep, work: () => Promise<T>): Promise<T>;
  /** The current trace context as a W3C `traceparent`; undefined when tracing is off. */
  current(): string | undefined;
}

export const NO_TRACE: EngineTrace = { step: (_name, work) => work(), current: () => undefined };
