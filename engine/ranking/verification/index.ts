/** Judges signed snapshots: who signed, what, and when. */
export type { Judgement } from './judgement.ts';
export { ownerRefusal, verifyEntries } from './verify-entries.ts';
