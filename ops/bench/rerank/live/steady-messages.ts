/** Result of a period of a steady load. Latencies are milliseconds from the time at which a submission was due. */
export interface SteadyReport {
  readonly seconds: number;
  readonly sent: number;
  readonly accepted: number;
  /** Acknowledged without a final verdict. */
  readonly pending: number;
  /** Responses with status 429. */
  readonly shed: number;
  readonly odd: readonly string[];
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
}

/** `begin` starts the load, `take` reports what was due since the last report, `end` stops it and reports the rest. */
export type SteadyCommand =
  | { readonly kind: 'begin'; readonly perSecond: number; readonly connections: number }
  | { readonly kind: 'take' }
  | { readonly kind: 'end' };
