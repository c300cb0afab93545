/** What was checked. */
export interface CheckedArchive {
  /** The number of the last link, its SHA-256, and those of all links: who saves one can check that nothing before it was changed. */
  readonly last: number;
  readonly sha256: string;
  readonly hashes: readonly string[];
  /** Ids of the published keys. */
  readonly keys: readonly string[];
  readonly missingDays: readonly string[];
  /** How many links were lost, as the service states. */
  readonly lostLinks: number;
  /** `blank` is null where the lines were deleted, as the link says. */
  readonly days: readonly { readonly day: string; readonly lines: number; readonly blank: number | null }[];
}

/** Checks an archive and recomputes its ranks. Throws an Error that names the first file that differs. `now`: in milliseconds. */
export function recompute(
  read: (file: string) => Promise<Uint8Array | null>,
  options?: { readonly only?: string | null; readonly now?: number; readonly report?: (line: string) => void },
): Promise<CheckedArchive>;
