import type { PlanPrices } from '../../../config/billing.ts';
import type { DevelopmentAccess } from '../../../config/sign-in.ts';
import type { Accounts, OperatorMaker } from '../../../engine/accounts/index.ts';
import type { Clock } from '../../../engine/ranking/index.ts';
import type { Logger } from '../../../ops/runtime/telemetry/index.ts';
import type { ApiBilling } from '../../billing/open-api-billing.ts';
import type { ExportMember } from '../../members/export-member.ts';
import type { Members } from '../../members/members.ts';
import type { AuthorizationServer } from '../authorization-server/create-server.ts';
import type { SignInCookies } from './cookies.ts';
import type { SignInLimits } from './limits.ts';
import type { MailProofs } from './mail-proofs.ts';
import type { Mailer } from './mailer.ts';
import type { Upstream } from './upstream.ts';

export interface SignInContext {
  readonly loginUrl: string;
  readonly authUrl: string;
  readonly siteUrl: string;
  /** The service's origins, which forms may lead to. */
  readonly origins: readonly string[];
  readonly accounts: Accounts;
  readonly members: Members;
  readonly exportMember: ExportMember;
  readonly billing: ApiBilling;
  readonly prices: PlanPrices;
  /** Whether submitting requires a plan. */
  readonly enforcePlan: boolean;
  /** Origins of the payment pages. */
  readonly paymentOrigins: readonly string[];
  readonly maker: OperatorMaker;
  readonly server: AuthorizationServer;
  readonly upstreams: readonly Upstream[];
  /** Null: no sign-in by mail. */
  readonly mailer: Mailer | null;
  readonly development: DevelopmentAccess;
  readonly cookies: SignInCookies;
  readonly mailProofs: MailProofs;
  readonly limits: SignInLimits;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  /** Runs work after the response; `Identity.close` waits for it. */
  readonly later: (work: Promise<unknown>) => void;
}
