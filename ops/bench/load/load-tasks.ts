/** Range of operators that submit in rotation; `until` is exclusive. */
interface Among {
  readonly from: number;
  readonly until: number;
}

/** Submissions at a steady rate, independent of responses: an open loop. */
export interface PacedTask {
  readonly kind: 'paced';
  readonly perSecond: number;
  readonly seconds: number;
  /** Maximum of connections; submissions wait for a free one, and their wait counts. */
  readonly connections: number;
  /** Whether clients send `Prefer: respond-async`: then only the service limits their rate. */
  readonly async: boolean;
  readonly among: Among;
}

/** Each connection submits after its last response: a closed loop, which finds the limit. */
export interface SaturateTask {
  readonly kind: 'saturate';
  readonly seconds: number;
  readonly connections: number;
  readonly among: Among;
}

export type LoadTask = PacedTask | SaturateTask;

/** Latencies in milliseconds, from the time at which a submission was due. */
export interface Latencies {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly worst: number;
}

export interface LoadReport {
  readonly seconds: number;
  readonly sent: number;
  /** Final and accepted. */
  readonly accepted: number;
  readonly pending: number;
  /** Shed: status 429 with a problem document and Retry-After. */
  readonly shed: number;
  readonly odd: number;
  readonly oddResponses: readonly string[];
  /** Of responses with a verdict, including pending ones. */
  readonly latencies: Latencies;
}
