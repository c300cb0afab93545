/**
 * A release of the command-line tool, as a site offers it at `/cli/release.json`. It is signed before it is deployed, by a key that no
 * server has and whose public half is in the package (`release-key.json`).
 */
export interface ToolRelease {
  /** The site that the release is for, without a trailing slash. */
  readonly site: string;
  readonly version: string;
  /** Of the package, in hexadecimal. */
  readonly sha512: string;
  /** Ed25519 over `releaseStatement`, base64url. */
  readonly signature: string;
}

/** What the signature of a release covers. */
export function releaseStatement({ site, version, sha512 }: Omit<ToolRelease, 'signature'>): Buffer {
  return Buffer.from(`upsilon tool release\n${site}\n${version}\n${sha512}\n`);
}

const VERSION_PATTERN = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/;

/** Below 0: the version is older than the other; 0: the same; above 0: newer. NaN: one of them is none. */
export function compareVersions(version: string, other: string): number {
  const [, ...parts] = VERSION_PATTERN.exec(version) ?? [];
  const [, ...others] = VERSION_PATTERN.exec(other) ?? [];
  if (parts.length === 0 || others.length === 0) return Number.NaN;
  return parts.map((part, index) => Number(part) - Number(others[index])).find((difference) => difference !== 0) ?? 0;
}

/** Reads a release; null when the value is none. */
export function readRelease(value: unknown): ToolRelease | null {
  if (typeof value !== 'object' || value === null) return null;
  const { site, version, sha512, signature }: Partial<Record<keyof ToolRelease, unknown>> = value;
  if (typeof site !== 'string' || typeof version !== 'string' || !VERSION_PATTERN.test(version)) return null;
  if (typeof sha512 !== 'string' || !/^[0-9a-f]{128}$/.test(sha512)) return null;
  if (typeof signature !== 'string' || !/^[\w-]{86}$/.test(signature)) return null;
  return { site, version, sha512, signature };
}
