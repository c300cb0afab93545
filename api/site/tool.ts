import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packTool } from '../../cli/pack.mjs';
import { VERSION } from '../../cli/src/version.ts';
import type { Config } from '../../config/config.ts';
import { readRelease, type ToolRelease } from '../../engine/contract/tool-release.ts';
import { type Representation, represent } from '../http/representation.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The command-line tool as this installation offers it. */
export interface Tool {
  readonly version: string;
  /** SHA-512 in hexadecimal. */
  readonly sha512: string;
  readonly body: Representation;
  /** Its signed release; null when there is none of this package. */
  readonly release: ToolRelease | null;
}

export const TOOL_FILE = `upsilon-${VERSION}.tgz`;

/** Where the tool is, on the website. */
export const TOOL_REF = `site:/cli/${TOOL_FILE}` as const;

/** The words that run the tool without installing it; its arguments follow. */
export function toolCommand({ siteUrl, cliPackage }: Pick<Config, 'siteUrl' | 'cliPackage'>): string {
  // npm 12 takes no package from an address unless told to; earlier versions ignore the option.
  return cliPackage === null ? `npx --allow-remote=root ${siteUrl}/cli/${TOOL_FILE}` : `npx ${cliPackage}`;
}

/** What the release is served as, beside the package. */
export const RELEASE_FILE = 'release.json';

/** A function that returns the tool, which its first call packs. `release`: the file that `ops tool sign` wrote. */
export function createTool(release = join(ROOT, 'cli', RELEASE_FILE)): () => Promise<Tool> {
  let packed: Promise<Tool> | null = null;
  return () => {
    packed ??= prepare(release).catch((error: unknown) => {
      packed = null;
      throw error;
    });
    return packed;
  };
}

async function prepare(releasePath: string): Promise<Tool> {
  const { bytes } = await packTool(ROOT);
  // As application/gzip, browsers would keep the response's compression in the file.
  const body = represent(bytes, 'application/octet-stream', true);
  const sha512 = createHash('sha512').update(bytes).digest('hex');
  const release = readRelease(await readJson(releasePath));
  // A release of another package would only be refused by the tool.
  const isOfThis = release?.version === VERSION && release.sha512 === sha512;
  return { version: VERSION, sha512, body, release: isOfThis ? release : null };
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return null;
  }
}
