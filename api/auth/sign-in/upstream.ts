import type { SignedInPerson } from '../../../engine/accounts/index.ts';

export type UpstreamName = 'github' | 'twitter';

/** The values of an upstream sign-in that are checked on return. */
export interface UpstreamAttempt {
  /** The OAuth state that the upstream has to return. */
  readonly state: string;
  /** PKCE, RFC 7636. */
  readonly verifier: string;
}

/** A sign-in provider of which this service is a client. */
export interface Upstream {
  readonly name: UpstreamName;
  readonly title: string;
  /** For the `form-action` of pages. */
  readonly origin: string;
  authorizationUrl(attempt: UpstreamAttempt): Promise<string>;
  /**
   * Returns the person who signed in. `callback` is the URL that the browser returned to.
   *
   * @throws UpstreamRefusedError when the sign-in was refused; any other error is a failure of the upstream.
   */
  finish(callback: URL, attempt: UpstreamAttempt): Promise<SignedInPerson>;
}

/** The person or the upstream refused the sign-in. */
export class UpstreamRefusedError extends Error {
  override readonly name = 'UpstreamRefusedError';
}
