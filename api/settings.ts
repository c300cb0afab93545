import type { Config } from '../config/config.ts';
import type { RatePolicies } from './http/rate-limit/rate-policy.ts';

/** What the api needs to know of the configuration. */
export interface ApiSettings
  extends Pick<
    Config,
    | 'baseUrl'
    | 'siteUrl'
    | 'loginUrl'
    | 'authUrl'
    | 'issuer'
    | 'jwksUrl'
    | 'billing'
    | 'contact'
    | 'enforcePlan'
    | 'premium'
    | 'trustedProxies'
    | 'verdictWaitMs'
  > {
  /** What the keys of this installation's shared counts begin with; `upsilon` unless given. */
  readonly redisPrefix?: string;
  /** False leaves the lane out: every request goes through Koa. For measurements and tests. */
  readonly fastPath?: boolean;
  /** Other quotas than the service's own, for measurements. */
  readonly rates?: RatePolicies;
}
