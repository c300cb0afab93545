/** A load of signed submissions. */
export interface LoadShape {
  /** Submissions per second, independent of responses: an open loop. Null: each connection submits after its last response. */
  readonly perSecond: number | null;
  /** Null: until `end`. */
  readonly seconds: number | null;
  /** Maximum of connections; submissions that are due wait for a free one, and their wait counts. */
  readonly connections: number;
  /** Whether clients send `Prefer: respond-async`: then only the service limits their rate. */
  readonly async?: boolean;
  /** Range of operators that submit in rotation; `until` is exclusive. All by default. */
  readonly among?: { readonly from: number; readonly until: number };
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
  /** Of responses with a verdict, including pending ones: milliseconds from the time at which a submission was due. */
  readonly latencies: Readonly<Record<'p50' | 'p90' | 'p99' | 'p999' | 'worst', number>>;
}
