export type { VerificationResult } from './verification-result.ts';
export { ownerRefusal, verifyEntries } from './verify-entries.ts';
