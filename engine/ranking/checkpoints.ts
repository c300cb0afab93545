/**
 * Every gap between two writes of which one waits for the other, by name. A process may die or sleep at any of them; tests
 * make it do so. The name says what has just been written, or read.
 */
export const CHECKPOINTS = [
  'log.appended',
  'fold.loaded',
  'fold.written',
  'fold.listed',
  'fold.decided',
  'commit.yields_read',
  'commit.scored',
  'commit.parts_written',
  'commit.root_written',
  'commit.lists_forgotten',
  'merge.segment_written',
  'compact.table_read',
  'compact.base_written',
  'compact.pages_written',
  'compact.root_written',
  'turn.released',
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
  'rename.wanted_held',
  'rename.former_held',
  'erase.held',
  'erase.name_held',
  'erase.written',
  'erase.listed',
  'erase.log_deleted',
  'erase.carry_deleted',
  'erase.names_released',
  'reconcile.queued',
  'heal.compared',
  'heal.listed',
  'rejudge.folded',
  'rejudge.listed',
] as const;

/** The same of changes of the methodology. */
export const RERANK_CHECKPOINTS = [
  'trail.written',
  'rerank.described',
  'rerank.begun',
  'range.scored',
  'range.written',
  'rerank.trail_read',
  'rerank.table_read',
  'rerank.base_named',
  'rerank.base_written',
  'rerank.pages_written',
  'rerank.segment_written',
  'rerank.tops_written',
  'rerank.root_written',
  'rerank.run_ended',
  'rerank.taken_off',
  'rollback.tops_written',
  'rollback.root_written',
  'tend.trail_gathered',
  'tend.ended',
] as const;

export type Checkpoint = (typeof CHECKPOINTS)[number] | (typeof RERANK_CHECKPOINTS)[number];

/** Told at every checkpoint. The product's does nothing. */
export type Reach = (checkpoint: Checkpoint) => Promise<void> | void;
