/** Steps of the engine's work that a trace shows one by one. */
export type TracedStep = 'verify' | 'fold';

/** How the engine's steps become part of a trace; whoever runs it makes spans of them. */
export interface EngineTrace {
  step<T>(name: TracedStep, work: () => Promise<T>): Promise<T>;
  /** What names the work under way to those who go on with it (a W3C `traceparent`); undefined when nothing is traced. */
  current(): string | undefined;
}

export const NO_TRACE: EngineTrace = { step: (_name, work) => work(), current: () => undefined };
