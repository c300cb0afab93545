/** Judges signed snapshots: who signed, what, and when. */
export type { Judgement, Refusal } from './judgement.ts';
export { verifyEntries } from './verify-entries.ts';
