/** What was checked: up to the last link, by its number and SHA-256. */
export interface CheckedArchive {
  readonly link: number;
  readonly sha256: string;
  /** Those of all links: if one was saved, nothing before it was changed. */
  readonly hashes: readonly string[];
  /** Ids of the published keys. */
  readonly keys: readonly string[];
  readonly missing_days: readonly string[];
  /** How many links were lost, as the service states. */
  readonly lost_links: number;
  /** `blank` is null where the lines were deleted, as the link says. */
  readonly days: readonly { readonly day: string; readonly lines: number; readonly blank: number | null }[];
}

/** Checks an archive and recomputes its ranks. Throws an Error that names the first file that differs. `now`: in milliseconds. */
export function recompute(
  read: (file: string) => Promise<Uint8Array | null>,
  options?: { readonly only?: string | null; readonly now?: number; readonly report?: (line: string) => void },
): Promise<CheckedArchive>;
