/** Between two dependent writes, where tests stop a process. The name says what was just written or read. */
export const FAILPOINTS = [
  'log.appended',
  'batch.loaded',
  'batch.applied',
  'batch.marked_dirty',
  'batch.decided',
  'commit.yields_read',
  'commit.scored',
  'commit.parts_written',
  'commit.manifest_written',
  'commit.dirty_sets_forgotten',
  'merge.segment_written',
  'compact.state_read',
  'compact.table_read',
  'compact.base_written',
  'compact.pages_written',
  'compact.manifest_written',
  'advance.released',
  'advance.prepared',
  'advance.written',
  'advance.committed',
  'collect.manifest_advanced',
  'collect.pages_deleted',
  'collect.bases_deleted',
  'collect.segments_deleted',
  'collect.parts_deleted',
  'platforms.begun',
  'platforms.range_read',
  'platforms.base_written',
  'platforms.pages_written',
  'platforms.written',
  'platforms.published',
  'platforms.pages_deleted',
  'amend.prepared',
  'amend.written',
  'amend.committed',
  'rename.wanted_held',
  'rename.former_held',
  'erase.prepared',
  'erase.name_held',
  'erase.written',
  'erase.committed',
  'erase.log_deleted',
  'erase.rollup_deleted',
  'erase.sketch_deleted',
  'erase.names_released',
  'reconcile.queued',
  'reconcile_operators.compared',
  'reconcile_operators.marked_dirty',
  'reprocess.applied',
  'reprocess.marked_dirty',
  'integrity.records_judged',
  'integrity.findings_recorded',
  'integrity.sketches_written',
  'integrity.matches_marked',
  'integrity.walked',
  'integrity.matches_asserted',
] as const;

/** Failpoints of methodology changes. */
export const RERANK_FAILPOINTS = [
  'catch_up.written',
  'rerank.described',
  'rerank.begun',
  'range.scored',
  'range.written',
  'rerank.catch_up_read',
  'rerank.table_read',
  'rerank.base_recorded',
  'rerank.base_written',
  'rerank.pages_written',
  'rerank.segment_written',
  'rerank.top_entries_written',
  'rerank.manifest_written',
  'rerank.run_ended',
  'rerank.taken_off',
  'rollback.top_entries_written',
  'rollback.manifest_written',
  'supervise.catch_up_trimmed',
  'supervise.ended',
] as const;

/** Failpoints of the daily archive. */
export const ARCHIVE_FAILPOINTS = [
  'archive.part_staged',
  'archive.link_stored',
  'archive.parts_placed',
  'archive.link_written',
] as const;

/** Failpoints of reads that a write can overtake. */
type ReadFailpoint = 'open_row.log_read';

export type FailpointName =
  | (typeof FAILPOINTS | typeof RERANK_FAILPOINTS | typeof ARCHIVE_FAILPOINTS)[number]
  | ReadFailpoint;

/** Called at every failpoint. In production it does nothing. */
export type Failpoint = (failpointName: FailpointName) => Promise<void> | void;
