import type { SignedInPerson } from '../../../engine/accounts/index.ts';

export type UpstreamName = 'github' | 'twitter';

/** What an upstream sign-in keeps between leaving and coming back. */
export interface UpstreamAttempt {
  /** The state that the upstream has to bring back. */
  readonly state: string;
  /** PKCE, RFC 7636. */
  readonly verifier: string;
}

/** A provider that people sign in with, at which this service is a client. */
export interface Upstream {
  readonly name: UpstreamName;
  readonly title: string;
  /** Where browsers are sent, for the pages' form-action. */
  readonly origin: string;
  /** Where to send the browser. */
  authorizationUrl(attempt: UpstreamAttempt): Promise<string>;
  /**
   * Who has signed in, by the address that the browser came back to.
   *
   * @throws UpstreamRefusal when nobody did; anything else is the upstream's failure.
   */
  finish(callback: URL, attempt: UpstreamAttempt): Promise<SignedInPerson>;
}

/** The person, or the upstream, said no. */
export class UpstreamRefusal extends Error {
  override readonly name = 'UpstreamRefusal';
}
