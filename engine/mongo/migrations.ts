import type { Migrations } from './migrate.ts';

/**
 * Until release 1.0.0 the stored layout changes in place: a change raises `from`, and `lastReader` names the last commit that reads
 * the version before. Later changes are migrations. Indexes are not migrated: each engine creates its own at every start. Running
 * workers hold states and may write fields again that they did not change, so a migration of an operator's state has to set a new
 * `revision`.
 */
export const MIGRATIONS: Migrations = { from: 15, lastReader: 'f3e58c51', steps: [] };
