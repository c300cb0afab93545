/** Pure functions on boards: base runs, segments, deltas, and reads from them. */
export * from './base-run.ts';
export * from './codec.ts';
export * from './cooperative.ts';
export * from './delta.ts';
export * from './directory.ts';
export * from './history.ts';
export { type BoardKeys, isBefore, NO_KEYS, WINDOW_COUNT } from './keys.ts';
export * from './segment.ts';
export { type RankedEntry, SliceCursor } from './slice.ts';
export { sortKeys, sortKeysCooperatively, sortWindow } from './sort-keys.ts';
export * from './yield-table.ts';
