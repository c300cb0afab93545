/** Reads a file of an archive; null where there is none. */
type Read = (file: string) => Promise<Uint8Array | null>;

/** What was checked: up to the last link, by its number and SHA-256. */
export interface CheckedArchive {
  readonly link: number;
  readonly sha256: string;
  /** Ids of the published keys. */
  readonly keys: readonly string[];
  readonly missing_days: readonly string[];
  /** How many links were lost, as the service states. */
  readonly lost_links: number;
  /** `blank` is null where the lines were deleted, as the link says. */
  readonly days: readonly { readonly day: string; readonly lines: number; readonly blank: number | null }[];
}

/** Of a folder. */
export function readIn(folder: string): (file: string) => Promise<Buffer | null>;

/** `saved` is the SHA-256 of a link: if it is in the chain, nothing before it was changed. `now` is in milliseconds. */
export interface RecomputeOptions {
  readonly saved?: string | null;
  readonly only?: string | null;
  readonly now?: number;
  readonly report?: (line: string) => void;
}

/** Checks an archive and recomputes its ranks. Throws an Error that names the first file that differs. */
export function recompute(read: Read, options?: RecomputeOptions): Promise<CheckedArchive>;
