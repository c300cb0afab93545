import { createSubscription } from './billing/subscribe.ts';
import { receiveWebhook } from './billing/webhook.ts';
import { enrolDevice } from './devices/enrol-device.ts';
import { listDevices } from './devices/list-devices.ts';
import { revokeDevice } from './devices/revoke-device.ts';
import { getLeaderboard } from './leaderboard/get-leaderboard.ts';
import { changeMe } from './me/change-me.ts';
import { eraseMe } from './me/erase-me.ts';
import { getMe } from './me/get-me.ts';
import { getOperatorHistory } from './operators/get-history.ts';
import { getOperator } from './operators/get-operator.ts';
import { getSnapshot } from './snapshots/get-snapshot.ts';
import { submitSnapshot } from './snapshots/submit-snapshot.ts';

/** The operations of version 1, in the order of the contract. */
export const V1_ROUTES = [
  getLeaderboard,
  getOperator,
  getOperatorHistory,
  submitSnapshot,
  createSubscription,
  receiveWebhook,
  getSnapshot,
  listDevices,
  enrolDevice,
  revokeDevice,
  getMe,
  changeMe,
  eraseMe,
];
