/** The commands that send requests, as one bundle that is loaded on demand: separate bundles would share many small chunks. */
export { findIdentity } from '../auth/identity.ts';
export { listDevicesCommand, revokeDeviceCommand } from './devices.ts';
export { showDryRun } from './dry-run.ts';
export { joinLeagueCommand, leagueBoardCommand, listLeaguesCommand } from './leagues.ts';
export { sendSnapshots } from './send-snapshots.ts';
export { shareCommand } from './share.ts';
export { loginCommand, logoutCommand, servicesCommand, whoamiCommand } from './sign-in.ts';
export { statusCommand } from './status.ts';
export { offerPlan, subscribeCommand } from './subscribe.ts';
export { verifyCommand } from './verify.ts';
