import type { Redis } from 'ioredis';
import type { Context } from 'koa';
import type { BillingConfig } from '../../../config/billing.ts';
import type { SignInConfig } from '../../../config/sign-in.ts';
import type { TrustedProxy } from '../../../config/trusted-proxy.ts';
import type { Accounts, OperatorMaker } from '../../../engine/accounts/index.ts';
import type { Clock, Ranking } from '../../../engine/ranking/index.ts';
import type { Logger } from '../../../ops/runtime/telemetry/index.ts';
import type { ApiBilling } from '../../billing/open-api-billing.ts';
import type { ExportMember } from '../../members/export-member.ts';
import type { Members } from '../../members/members.ts';
import type { AuthorizationServer } from '../authorization-server/create-server.ts';
import type { createCookies } from './cookies.ts';
import type { createSignInLimits, SignInQuotas } from './limits.ts';
import type { createMailProofs } from './mail-proofs.ts';
import type { Mailer } from './mailer.ts';
import type { pathsBelow } from './paths.ts';
import type { Upstream } from './upstreams.ts';

export interface IdentitySettings {
  readonly baseUrl: string;
  readonly siteUrl: string;
  readonly loginUrl: string;
  readonly authUrl: string;
  readonly signIn: SignInConfig;
  readonly billing: BillingConfig;
  /** Whether submitting requires a plan. */
  readonly enforcePlan: boolean;
  readonly trustedProxies: readonly TrustedProxy[];
  readonly redisPrefix: string;
  /** Overrides the default quotas, for tests. */
  readonly quotas?: SignInQuotas;
}

export interface IdentityPorts {
  readonly accounts: Accounts;
  readonly members: Members;
  readonly exportMember: ExportMember;
  readonly billing: ApiBilling;
  readonly maker: OperatorMaker;
  readonly operators: Pick<Ranking['operators'], 'byNumber'>;
  readonly clock: Clock;
  readonly redis: Pick<Redis, 'pipeline'> | null;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/** Everything that sign-in and the authorization server need. */
export interface SignInContext extends Omit<IdentitySettings, 'billing'>, IdentityPorts {
  /** The paths of pages, for browsers. */
  readonly paths: ReturnType<typeof pathsBelow>;
  readonly hosts: 'apart' | 'together';
  readonly clientOf: (ctx: Context) => string;
  /** The service's origins, which forms may lead to. */
  readonly origins: readonly string[];
  readonly prices: BillingConfig['prices'];
  /** Origins of the payment pages. */
  readonly paymentOrigins: readonly string[];
  readonly server: AuthorizationServer;
  readonly upstreams: readonly Upstream[];
  /** Null: no sign-in by mail. */
  readonly mailer: Mailer | null;
  readonly cookies: ReturnType<typeof createCookies>;
  readonly mailProofs: ReturnType<typeof createMailProofs>;
  readonly limits: ReturnType<typeof createSignInLimits>;
  /** Runs work after the response; `Identity.close` waits for it. */
  readonly later: (work: Promise<unknown>) => void;
}
