/** Judges signed snapshots: who signed, what, and when. */
export type { Judgement } from './judgement.ts';
export { verifyEntries } from './verify-entries.ts';
