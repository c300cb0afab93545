/** What clients send and get, by the module that declares it. */
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
