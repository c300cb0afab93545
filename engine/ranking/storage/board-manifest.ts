import type { mongo } from 'mongoose';
import { DURABLE, insertUnlessTaken } from '../../mongo/index.ts';
import { randomId } from './unique-id.ts';

export interface SegmentReference {
  id: string;
  /** The first and last board version whose changes the segment contains. */
  from: number;
  to: number;
  /** Id of the last segment that a commit wrote among those merged here; its own id when it is not a merge. */
  lastSegment: string;
}

/** A kept base run: the board at the start of `hour`. */
export interface KeptBaseRun {
  base: string;
  hour: number;
  methodology: number;
}

/** Reference to a published board, from which its Yields and ranks can be read. */
export interface BoardReference {
  methodology: number;
  base: string;
  segments: SegmentReference[];
}

/** The running re-rank in the manifest. At most one runs at a time. */
export interface RerankReference {
  run: string;
  /** Board version at the start: operators consumed by later commits are in the catch-up log. */
  version: number;
  /** The base run being written for it, which garbage collection must keep; null before that. */
  base: string | null;
}

/** A switch of the board's methodology: the same records, ranked under both. */
export interface MethodologySwitch {
  at: Date;
  /** The first version under the new methodology. */
  version: number;
  /** The run that caused it; null for a rollback. */
  run: string | null;
  from: BoardReference;
  to: BoardReference;
}

/** The board before the last switch, while a rollback to it is possible. */
export interface FormerBoard {
  /** Its version: operators consumed by later commits are in the catch-up log. */
  version: number;
  until: Date;
}

/** The run that ranks operators by platform, named before it reads a record: garbage collection keeps its base runs. */
export interface PlatformRun {
  id: string;
  began_at: Date;
  /** The board's when the run began. */
  methodology: number;
  version: number;
  commits: number;
}

/** The id of a platform's base run in a run. */
export const platformBaseId = (run: string, platform: string): string => `${run}-${platform}`;

/** Whether a base run is of a run, also of one that knows other platforms. */
export function isOfRun(run: PlatformRun | null | undefined, base: string): boolean {
  const id = run?.id;
  return id !== undefined && base.startsWith(platformBaseId(id, ''));
}

/** The boards of platforms: each Yield is one that its record had from `began_at` until `board_at`. */
export interface PlatformBoards extends Omit<PlatformRun, 'id'> {
  board_at: Date;
  /** Base runs of order pages by platform; without rows there is none. */
  bases: Readonly<Record<string, string>>;
  /** Base runs of the boards before, which are deleted with the next. */
  former: readonly string[];
}

/** The board manifest: names the parts of the published version. Everything it refers to is immutable. */
export interface ManifestDocument {
  _id: 'manifest';
  version: number;
  /** Random and unique per written version: a store that lost its last writes assigns the same version twice. */
  generation: string;
  methodology: number;
  /** The hour for which all window totals on the board hold. */
  hour: number;
  base: string;
  segments: SegmentReference[];
  topEntries: string;
  /** Ranked operators by window, in the order of WINDOWS. */
  totals: number[];
  /** Ascending by hour. */
  history: KeptBaseRun[];
  /** Number of commits and other versions that records made, whether or not the board changed. */
  commits: number;
  /** The boards of platforms; absent before the first. */
  platforms?: PlatformBoards;
  platformRun?: PlatformRun | null;
  /** Number of garbage collections: a writer whose parts are older than the last one must start over. */
  garbageCollections: number;
  /** The running re-rank. */
  rerank?: RerankReference | null;
  /** Methodology switches, oldest first; the parts they refer to are kept as long as daily boards. */
  switches?: MethodologySwitch[];
  /** The board before the last switch, to which a rollback returns. */
  former?: FormerBoard | null;
  generated_at: Date;
}

/** What records are applied and judged by. */
export type BoardBasis = Pick<ManifestDocument, 'hour' | 'methodology'>;

/** The basis before the first board, whose methodology is none. */
export const NO_BOARD: BoardBasis = { hour: 0, methodology: 0 };

export type ManifestChange = Partial<Omit<ManifestDocument, '_id' | 'version' | 'generation'>>;

/** The manifest document. Every change is a compare-and-set on its version and generation. */
export function createBoardManifest(db: mongo.Db) {
  const manifests = db.collection<ManifestDocument>('board_manifests');

  return {
    /** Null before the first board. */
    async read(): Promise<ManifestDocument | null> {
      return manifests.findOne({ _id: 'manifest' });
    },

    /** Only the generation, which readers poll. Null before the first board. */
    async generation(): Promise<string | null> {
      const manifest = await manifests.findOne({ _id: 'manifest' }, { projection: { generation: 1 } });
      return manifest === null ? null : manifest.generation;
    },

    /** The hour for which the board's totals hold, 0 before the first board, and its methodology. */
    async basis(): Promise<BoardBasis> {
      const manifest = await manifests.findOne({ _id: 'manifest' }, { projection: { hour: 1, methodology: 1 } });
      return manifest === null ? NO_BOARD : { hour: manifest.hour, methodology: manifest.methodology };
    },

    /** Publishes the first manifest; false when one exists. */
    async create(manifest: ManifestDocument): Promise<boolean> {
      return insertUnlessTaken(() => manifests.insertOne(manifest, DURABLE));
    },

    /** Publishes the next version if `from` is still current; null when it is not. */
    async advance(from: ManifestDocument, change: ManifestChange): Promise<ManifestDocument | null> {
      const next = { ...change, version: from.version + 1, generation: randomId() };
      const filter = { _id: 'manifest', version: from.version, generation: from.generation } as const;
      const { matchedCount } = await manifests.updateOne(filter, { $set: next }, DURABLE);
      return matchedCount === 1 ? { ...from, ...next } : null;
    },
  };
}
