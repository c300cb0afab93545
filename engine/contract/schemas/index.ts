import { SubscriptionRequest, SubscriptionResult } from './billing.ts';
import { BoardList, OperatorSearch, Standing } from './boards.ts';
import { Device, DeviceEnrolment, DeviceList } from './devices.ts';
import { LeaderboardEntry, LeaderboardResponse, WindowName } from './leaderboard.ts';
import { League } from './leagues.ts';
import { Erased, Me, MeChange, PlanStatus } from './me.ts';
import { OpenRow } from './open-row.ts';
import { HistoryPoint, MethodologySwitch, OperatorHistory, RankChange, SwitchStanding } from './operator-history.ts';
import { OperatorProfile, PlatformStanding, UnrankedCause, WindowStanding } from './operator-profile.ts';
import {
  BoardExport,
  EndpointPrice,
  ExportEntry,
  HistogramBin,
  PaymentChallenge,
  PaymentOffer,
  PlatformShare,
  PopulationDistribution,
  PremiumApiSummary,
  PremiumEndpoint,
  Quantiles,
  Spread,
  TierPopulation,
  TierPopulations,
  WindowTiers,
} from './premium.ts';
import { ProblemDetails, ProblemItem } from './problem-details.ts';
import { SnapshotSubmission } from './snapshot-submission.ts';
import { RetiredStreams, Stream, StreamList } from './streams.ts';
import { SubmissionResult } from './submission-result.ts';

/** The named schemas of the API description. */
export const NAMED_SCHEMAS = {
  WindowName,
  LeaderboardResponse,
  LeaderboardEntry,
  OperatorProfile,
  PlatformStanding,
  WindowStanding,
  UnrankedCause,
  OperatorHistory,
  HistoryPoint,
  MethodologySwitch,
  SwitchStanding,
  RankChange,
  OpenRow,
  BoardList,
  Standing,
  OperatorSearch,
  SnapshotSubmission,
  SubmissionResult,
  Device,
  DeviceList,
  DeviceEnrolment,
  Stream,
  RetiredStreams,
  StreamList,
  Me,
  MeChange,
  Erased,
  PlanStatus,
  League,
  SubscriptionRequest,
  SubscriptionResult,
  PremiumApiSummary,
  PremiumEndpoint,
  EndpointPrice,
  TierPopulations,
  WindowTiers,
  TierPopulation,
  PopulationDistribution,
  PlatformShare,
  Spread,
  Quantiles,
  HistogramBin,
  BoardExport,
  ExportEntry,
  PaymentChallenge,
  PaymentOffer,
  ProblemDetails,
  ProblemItem,
} as const;

export * from './billing.ts';
export * from './boards.ts';
export { coded } from './coded.ts';
export * from './devices.ts';
export * from './leaderboard.ts';
export * from './leagues.ts';
export * from './mcp-manifest.ts';
export * from './me.ts';
export * from './open-row.ts';
export * from './operator-history.ts';
export * from './operator-profile.ts';
export * from './premium.ts';
export * from './problem-details.ts';
export * from './service.ts';
export * from './snapshot-submission.ts';
export * from './streams.ts';
export * from './submission-result.ts';
