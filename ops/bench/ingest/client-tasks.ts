/** Signs `requests` submissions of `operators` operators from the `first` on, in turn; answers how many. */
export interface SignTask {
  readonly kind: 'sign';
  readonly first: number;
  readonly operators: number;
  readonly requests: number;
}

/** Shows the api the access tokens of `operators` operators from the `first` on, by one cheap read each. */
export interface IntroduceTask {
  readonly kind: 'introduce';
  readonly first: number;
  readonly operators: number;
  readonly connections: number;
}

/** Verifies what was signed, over and over. */
export interface VerifyTask {
  readonly kind: 'verify';
  readonly seconds: number;
}

/** Submits what was signed and not yet submitted, `connections` at a time, until all is answered or the time is over. */
export interface LoadTask {
  readonly kind: 'load';
  readonly connections: number;
  readonly seconds: number;
}

export type ClientTask = SignTask | IntroduceTask | VerifyTask | LoadTask;

/** How fast one thread verifies signatures. */
export interface VerifyResult {
  readonly perSecond: number;
  /** CPU time of one, in microseconds. */
  readonly cpu: number;
}

/** How a load went. Latencies are of whole answers, in milliseconds. */
export interface LoadResult {
  readonly sent: number;
  /** Answered 200, accepted, with a final verdict. */
  readonly accepted: number;
  /** Of those, how many raised the operator's totals. */
  readonly changed: number;
  readonly pending: number;
  readonly odd: number;
  readonly oddAnswers: readonly string[];
  readonly seconds: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly worst: number;
}

export interface ClientAnswer {
  readonly answered: ClientTask['kind'];
  readonly result: LoadResult | VerifyResult | number;
}
