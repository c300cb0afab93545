/** Operators' accounts, their device keys, and the signing keys of access tokens. */
export type { AuditEvent } from './audit-log.ts';
export { type Accounts, createAccounts, openAccounts } from './create-accounts.ts';
export type { EnrolmentOutcome } from './devices/enrol-device.ts';
export { SecretsKeyError } from './encryption/secret-cipher.ts';
export type { Erasure } from './erasures.ts';
export { canonicalAddress } from './identities/canonical-address.ts';
export type { SignedInPerson } from './identities/known-person.ts';
export type { AddressPolicy, OperatorMaker } from './identities/sign-in-person.ts';
export { LEAGUE_ACTIONS, LEAGUE_REFUSALS, type League, type LeagueRefusal } from './leagues/create-leagues.ts';
export type { Season } from './leagues/league-seasons.ts';
export type { DueLetter } from './letters.ts';
export {
  AUDIT_RETENTION_MS,
  MAX_ACCESS_TOKEN_LIFETIME_S,
  MAX_AUTOMATION_LIFETIME_MS,
  MAX_KEPT_DEVICES,
  MAX_LIVE_DEVICES,
  RETURN_HOLD_MS,
  SESSION_LIFETIME_MS,
  SIGNING_KEY_RELOAD_MS,
  SPENT_SECRET_RETENTION_MS,
} from './limits.ts';
export { type Account, FREE_PLAN } from './mongo/account-store.ts';
export type { Identity } from './mongo/identity-store.ts';
export { publicGrantId } from './oidc/create-denials.ts';
export type { OidcRecords } from './oidc/create-oidc-records.ts';
export type { OneTimeSecrets } from './one-time-secrets.ts';
export { hashOf, newSecret } from './secrets.ts';
export type { Session } from './sessions.ts';
export { type ArchiveKeys, OPERATOR_COMMANDS_CLIENT, type SigningKeys, type SigningSet } from './signing-keys.ts';
export { type DeviceRecord, SIGN_IN_PROVIDERS, type SignInProvider } from './types.ts';
