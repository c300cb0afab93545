/**
 * The commands that send requests, as one bundle that is loaded on demand: separate bundles would share many small chunks,
 * and each chunk takes half a millisecond to load.
 */
export { findIdentity } from '../auth/identity.ts';
export { listDevicesCommand, revokeDeviceCommand } from './devices.ts';
export { showDryRun } from './dry-run.ts';
export { loginCommand } from './login.ts';
export { logoutCommand } from './logout.ts';
export { sendSnapshots } from './send-snapshots.ts';
export { statusCommand } from './status.ts';
export { offerPlan, subscribeCommand } from './subscribe.ts';
export { whoamiCommand } from './whoami.ts';
