/** An operator's account. Times are ISO 8601 in UTC. */
export interface Account {
  /** Subject of its access tokens: opaque, random, for ever. */
  readonly subject: string;
  /** Sequence number, given by the ranking engine. */
  readonly operator: number;
  readonly plan: string;
  readonly suspended: boolean;
  readonly created_at: string;
}
