/** Signs `requests` submissions of `operators` operators from `first` on, in rotation. Returns their number. */
export interface SignTask {
  readonly kind: 'sign';
  readonly first: number;
  readonly operators: number;
  readonly requests: number;
}

/** Sends the access tokens of `operators` operators from `first` on to the api, by one cheap read each. */
export interface IntroduceTask {
  readonly kind: 'introduce';
  readonly first: number;
  readonly operators: number;
  readonly connections: number;
}

/** Verifies the signed submissions repeatedly. */
export interface VerifyTask {
  readonly kind: 'verify';
  readonly seconds: number;
}

/** Submits signed requests that were not submitted yet over `connections` connections, until none is left or time is up. */
export interface LoadTask {
  readonly kind: 'load';
  readonly connections: number;
  readonly seconds: number;
}

export type ClientTask = SignTask | IntroduceTask | VerifyTask | LoadTask;

/** Speed of signature verification on one thread. */
export interface VerifyResult {
  readonly perSecond: number;
  /** CPU time per verification, in microseconds. */
  readonly cpu: number;
}

/** Result of a load. Latencies are of complete responses, in milliseconds. */
export interface LoadResult {
  readonly sent: number;
  /** Status 200, accepted, with a final verdict. */
  readonly accepted: number;
  /** Accepted ones that raised the operator's totals. */
  readonly changed: number;
  readonly pending: number;
  readonly odd: number;
  readonly oddResponses: readonly string[];
  readonly seconds: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly worst: number;
}

export interface ClientReply {
  readonly kind: ClientTask['kind'];
  readonly result: LoadResult | VerifyResult | number;
}
