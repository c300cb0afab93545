/** Operators' accounts, their device keys, and the keys that access tokens are signed with. */
export { createAccounts, FREE_PLAN } from './create-accounts.ts';
export {
  MAX_ACCESS_TOKEN_LIFETIME_S,
  MAX_KEPT_DEVICES,
  MAX_LIVE_DEVICES,
  SIGNING_KEY_RELOAD_MS,
} from './limits.ts';
export type {
  AccessTokenRequest,
  Account,
  Accounts,
  DeviceKey,
  DeviceRecord,
  Devices,
  EnrolmentOutcome,
  EnrolmentRefusal,
  EnrolmentRequest,
  PublicSigningJwk,
  SigningKeys,
} from './types.ts';
