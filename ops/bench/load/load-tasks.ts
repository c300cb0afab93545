/** Whose submissions they are, in turn: the operators from one number to below another. */
interface Among {
  readonly from: number;
  readonly until: number;
}

/** Submissions at a steady rate, whatever the answers take: an open loop. */
export interface PacedTask {
  readonly kind: 'paced';
  readonly perSecond: number;
  readonly seconds: number;
  /** Connections at most; submissions that find none free wait, and their waiting counts. */
  readonly connections: number;
  /** Whether clients ask to be answered before there is a verdict: then nothing but the service holds them back. */
  readonly async: boolean;
  readonly among: Among;
}

/** As many submissions as are answered: a closed loop, which finds the limit. */
export interface SaturateTask {
  readonly kind: 'saturate';
  readonly seconds: number;
  readonly connections: number;
  readonly among: Among;
}

export type LoadTask = PacedTask | SaturateTask;

/** Latencies in milliseconds, from the moment at which a submission was due. */
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
  /** Shed politely: 429, a problem that says why, with Retry-After. */
  readonly shed: number;
  readonly odd: number;
  readonly oddAnswers: readonly string[];
  /** Of answers that carry a verdict, pending ones included. */
  readonly latencies: Latencies;
}
