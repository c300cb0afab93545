/** A module: a folder with a door, and what it may import. */
export interface Module {
  readonly folder: string;
  /** The files by which others come in; undefined = every file. */
  readonly doors?: readonly string[];
  /** Folders, and single files, of which it may import. `types of X` = nothing that is left when types are taken away. */
  readonly may: readonly string[];
}

const ENGINES = [
  'engine/ranking',
  'engine/integrity',
  'engine/integrity/cases',
  'engine/accounts',
  'engine/billing',
  'engine/letters',
  'engine/mongo',
];
const PLUMBING = [
  'config',
  'ops/runtime/connections',
  'ops/runtime/stores',
  'ops/runtime/queues',
  'ops/runtime/telemetry',
  'ops/runtime/lifecycle.ts',
  'ops/runtime/mailer.ts',
  'engine/contract',
];

/** Methodologies, units and the joining of concurrent runs need no settings: the engine may import them. */
const CONFIG_DATA = [
  'types of config',
  'config/units.ts',
  'config/single-flight.ts',
  'config/lru-options.ts',
  'engine/ranking/methodologies',
];

/**
 * Who may import whom. A file belongs to the longest folder here that holds it, and may import of its own folder
 * whatever it likes. `ops` and `test` work on everything from outside and are not held to doors.
 */
export const MODULES: readonly Module[] = [
  { folder: 'config', may: [] },
  // The words that everybody shares are leaves without imports: the pure core takes them without the schemas.
  {
    folder: 'engine/contract',
    doors: [
      'index.ts',
      'archive.ts',
      'recompute.mjs',
      'integrity-level.ts',
      'signing/index.ts',
      'platforms.ts',
      'row-states.ts',
      'windows.ts',
      'refusals.ts',
      'snapshot.ts',
      'tiers.ts',
      'unranked.ts',
      'automation-key.ts',
      'share.ts',
    ],
    may: [],
  },
  { folder: 'engine/mongo', doors: ['index.ts'], may: CONFIG_DATA },
  { folder: 'engine/integrity', doors: ['index.ts'], may: ['engine/contract', 'config/units.ts'] },
  {
    folder: 'engine/integrity/cases',
    doors: ['index.ts'],
    may: ['engine/contract', 'engine/integrity', 'engine/mongo', ...CONFIG_DATA],
  },
  {
    folder: 'engine/ranking',
    doors: ['index.ts'],
    may: ['engine/contract', 'engine/integrity', 'engine/mongo', ...CONFIG_DATA],
  },
  { folder: 'engine/ranking/methodologies', may: ['engine/contract', 'engine/integrity'] },
  {
    folder: 'engine/accounts',
    doors: ['index.ts'],
    may: ['engine/contract', 'engine/integrity/cases', 'engine/mongo', ...CONFIG_DATA],
  },
  {
    folder: 'engine/letters',
    doors: ['index.ts'],
    may: ['engine/contract', 'config/units.ts', 'types of engine/ranking'],
  },
  { folder: 'engine/billing', doors: ['index.ts'], may: ['engine/contract', 'engine/mongo', ...CONFIG_DATA] },
  { folder: 'workers', doors: [], may: [...ENGINES, 'engine/ranking/methodologies', ...PLUMBING] },
  {
    folder: 'api',
    doors: [],
    may: [...ENGINES, 'engine/ranking/methodologies', ...PLUMBING, 'cli/src/version.ts', 'cli/pack.mjs'],
  },
  // The api offers the tool, packed.
  { folder: 'cli', doors: ['src/version.ts', 'pack.mjs'], may: ['engine/contract', 'config/units.ts'] },
  { folder: 'ops/runtime/connections', doors: ['index.ts'], may: ['config'] },
  { folder: 'ops/runtime/telemetry', doors: ['index.ts'], may: ['config', 'ops/runtime/connections'] },
  { folder: 'ops/runtime/stores', doors: ['index.ts'], may: ['config', 'types of ops/runtime/telemetry'] },
  {
    folder: 'ops/runtime/queues',
    doors: ['index.ts'],
    may: ['config', 'engine/contract/snapshot.ts', 'ops/runtime/stores', 'types of ops/runtime/telemetry'],
  },
  { folder: 'ops/runtime/lifecycle.ts', may: ['config'] },
  { folder: 'ops/runtime/mailer.ts', may: ['config', 'types of ops/runtime/telemetry'] },
  { folder: 'ops', may: ['api', 'cli', 'config', 'engine', 'workers', 'ops', 'test'] },
  { folder: 'test', may: ['api', 'cli', 'config', 'engine', 'workers', 'ops'] },
];

/** Modules that come in by whichever file they want. */
export const DOORS_DO_NOT_HOLD_FOR = ['ops', 'test'];

/** The module that a file belongs to; undefined when it belongs to none. */
export function moduleOf(path: string): Module | undefined {
  return MODULES.filter(({ folder }) => path === folder || path.startsWith(`${folder}/`)).toSorted(
    (a, b) => b.folder.length - a.folder.length,
  )[0];
}

/** Files that may look at the environment: the reader of settings, and programs that run where that reader is not. */
export const ENVIRONMENT_READERS = [
  'config/env.ts',
  'cli/src/environment.ts',
  'ops/bootstrap/ensure-dependencies.mjs',
  'ops/bootstrap/run-program.mjs',
  'ops/bootstrap/on-orphaned.mjs',
];
