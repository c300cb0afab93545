/** Operators' accounts, their device keys, and the signing keys of access tokens. */
export { createAccounts, FREE_PLAN, openAccounts } from './create-accounts.ts';
export { SecretsKeyError } from './encryption/secret-cipher.ts';
export { canonicalAddress } from './identities/canonical-address.ts';
export {
  MAX_ACCESS_TOKEN_LIFETIME_S,
  MAX_KEPT_DEVICES,
  MAX_LIVE_DEVICES,
  SIGNING_KEY_RELOAD_MS,
} from './limits.ts';
export { publicGrantId } from './oidc/create-denials.ts';
export { hashOf, newSecret } from './secrets.ts';
export { OPERATOR_COMMANDS_CLIENT } from './signing-keys/mint-access-token.ts';
export type {
  AccessTokenRequest,
  Account,
  Accounts,
  AddressPolicy,
  AuditEvent,
  DeniableToken,
  DeviceKey,
  DeviceRecord,
  Devices,
  EnrolmentOutcome,
  EnrolmentRefusal,
  EnrolmentRequest,
  Erasure,
  Identity,
  OidcRecords,
  OneTimeSecrets,
  OperatorMaker,
  PublicSigningJwk,
  Session,
  SignedInPerson,
  SignInProvider,
  SigningKeys,
  SigningSet,
} from './types.ts';
