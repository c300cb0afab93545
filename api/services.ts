import type { Addresses } from './addresses.ts';
import type { Members } from './auth/members/members.ts';
import type { Representation } from './http/representation.ts';
import { routesFor } from './http/route.ts';
import type { ApiAccounts, ApiBilling, ApiPorts } from './ports.ts';
import type { Premium } from './premium/create-premium.ts';
import type { SiteMaps } from './site/agents/site-maps.ts';
import type { PreparedPages } from './site/prepared-pages.ts';
import type { ReadyAnswers } from './v1/leaderboard/ready-answers.ts';
import type { SnapshotIntake } from './v1/snapshots/snapshot-intake.ts';

/** What the api's handlers work with. */
export interface ApiServices {
  readonly leaderboard: ReadyAnswers;
  readonly board: Pick<ApiPorts['board'], 'profile' | 'view' | 'ask' | 'neighbours' | 'history' | 'rankOfTotals'>;
  readonly intake: SnapshotIntake;
  readonly accounts: ApiAccounts;
  readonly members: Members;
  /** Plans, and what is paid by card. */
  readonly billing: ApiBilling;
  /** What is paid for by the request. */
  readonly premium: Premium;
  checkStores(): Promise<void>;
  /** The API description as it is served. */
  description(): Representation;
  /** The website's pages as they are sent. */
  readonly pages: PreparedPages;
  readonly siteMaps: SiteMaps;
  /** The text of security.txt; null where the settings name no contact. */
  securityText(): string | null;
  readonly addresses: Addresses;
}

/** Declares a route of the api. */
export const defineRoute = routesFor<ApiServices>();
