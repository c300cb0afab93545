/**
 * Every gap between two writes, by name. A process may die or sleep at any of them; tests make it do so. The name says
 * what has just been written.
 */
export const CHECKPOINTS = [
  'log.appended',
  'fold.loaded',
  'fold.written',
  'fold.listed',
  'fold.decided',
  'commit.scored',
  'commit.segment_written',
  'commit.tops_written',
  'commit.root_written',
  'commit.lists_forgotten',
  'merge.segment_written',
  'compact.table_read',
  'compact.base_written',
  'compact.pages_written',
  'compact.root_written',
  'turn.held',
  'turn.written',
  'turn.listed',
  'sweep.root_advanced',
  'sweep.pages_deleted',
  'sweep.bases_deleted',
  'sweep.segments_deleted',
  'sweep.parts_deleted',
  'amend.held',
  'amend.written',
  'amend.listed',
  'erase.held',
  'erase.written',
  'erase.listed',
  'erase.log_deleted',
  'reconcile.queued',
  'heal.listed',
] as const;

export type Checkpoint = (typeof CHECKPOINTS)[number];

/** Told at every checkpoint. The product's does nothing. */
export type Reach = (checkpoint: Checkpoint) => Promise<void> | void;
