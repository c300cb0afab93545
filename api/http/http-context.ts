import type { BoardReader, Clock } from '../../engine/ranking/index.ts';
import type { HttpMetrics, Logger } from '../../ops/runtime/telemetry/index.ts';
import type { ClientKey } from './client-key.ts';
import type { ProblemPages } from './error-forms.ts';
import type { Addresses, Hosts } from './hosts.ts';
import type { RateLimiter } from './rate-limit/rate-limiter.ts';
import type { Caller } from './route.ts';

export interface Authenticator {
  /** The caller of an Authorization header. `automation`: an automation token will do. @throws Problem 401, storage_unavailable. */
  authenticate(authorization: string | undefined, automation?: boolean): Promise<Caller>;
  /**
   * Whether the header's token has a valid signature and valid claims. Reads no store; false for a token that the stores
   * refused recently. Throws Problem storage_unavailable without keys.
   */
  verifies(authorization: string | undefined): Promise<boolean>;
}

/** What the HTTP layer needs of the context. */
export interface HttpContext {
  readonly config: Addresses;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error' | 'warn'>;
  readonly metrics: { readonly http: Pick<HttpMetrics, 'answered' | 'refused'> };
  readonly board: Pick<BoardReader, 'view'>;
  readonly limiter: RateLimiter;
  readonly authenticator: Authenticator;
  readonly clientKey: ClientKey;
  readonly hosts: Hosts;
  readonly problemPages: ProblemPages;
}
