import { createSubscription, receiveWebhook } from './billing.ts';
import { getStanding, listBoards, searchOperators } from './boards.ts';
import { enrolDevice, listDevices, revokeDevice } from './devices.ts';
import { getEvents, getEventsOnSite } from './events/get-events.ts';
import { getLeaderboard } from './leaderboard/get-leaderboard.ts';
import { getLeagueBoard } from './leagues/get-league-board.ts';
import {
  changeLeague,
  createLeague,
  deleteLeague,
  getLeague,
  joinLeague,
  listLeagues,
  removeMember,
} from './leagues/leagues.ts';
import { changeMe, eraseMe, getMe } from './me.ts';
import { listOperatorSnapshots } from './open-row.ts';
import { getOperator, getOperatorHistory } from './operators.ts';
import { getSnapshot } from './snapshots/get-snapshot.ts';
import { submitSnapshot } from './snapshots/submit-snapshot.ts';
import { listStreams } from './streams.ts';

/** The operations of version 1, in the order of the contract. */
export const V1_ROUTES = [
  getLeaderboard,
  getEvents,
  getEventsOnSite,
  getOperator,
  getOperatorHistory,
  listOperatorSnapshots,
  searchOperators,
  listBoards,
  getStanding,
  submitSnapshot,
  createSubscription,
  receiveWebhook,
  getSnapshot,
  listStreams,
  listDevices,
  enrolDevice,
  revokeDevice,
  getMe,
  changeMe,
  eraseMe,
  createLeague,
  listLeagues,
  getLeague,
  changeLeague,
  deleteLeague,
  getLeagueBoard,
  joinLeague,
  removeMember,
];
