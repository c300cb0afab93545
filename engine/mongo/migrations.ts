import type { Migrations } from './migrate.ts';

/**
 * From release 1.0.0 on a change of the stored layout is a migration. `lastReader` names the last commit that reads the version before
 * `from`. Indexes are not migrated: each engine creates its own at every start. Running workers hold states and may write fields again
 * that they did not change, so a migration of an operator's state has to set a new `revision`.
 */
export const MIGRATIONS: Migrations = { from: 15, lastReader: 'f3e58c51', steps: [] };
