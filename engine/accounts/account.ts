/** An operator's account. Times are ISO 8601 in UTC. */
export interface Account {
  /** Subject of its access tokens: opaque, random, permanent. */
  readonly subject: string;
  /** Sequence number, assigned by the ranking engine. */
  readonly operator: number;
  readonly plan: string;
  readonly suspended: boolean;
  readonly created_at: string;
}
