import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { addSite, packTool } from '../cli/pack.mjs';
import { VERSION } from '../cli/src/version.ts';
import type { Config } from '../config/config.ts';
import { type Representation, represent } from './http/representation.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The command-line tool as this installation offers it. */
export interface Tool {
  readonly version: string;
  /** SHA-512 in hexadecimal. */
  readonly sha512: string;
  readonly body: Representation;
}

export const TOOL_FILE = 'upsilon.tgz';

/** Where every version of the tool is, on the website. */
export const TOOL_PATH = `/cli/${TOOL_FILE}`;

type ToolSettings = Pick<Config, 'siteUrl' | 'cliPackage'>;

/** What npm installs: the address of the package, or its name where the installation publishes one. */
export function toolPackage({ siteUrl, cliPackage }: ToolSettings): string {
  return cliPackage ?? `${siteUrl}${TOOL_PATH}`;
}

/** The words that run the tool without installing it; its arguments follow. */
export function toolCommand(settings: ToolSettings): string {
  return `npx ${fromAddress(settings)}${toolPackage(settings)}`;
}

/** The words that install the tool, and that replace an installed one by the version that is offered. */
export function installCommand(settings: ToolSettings): string {
  return `npm install -g ${fromAddress(settings)}${toolPackage(settings)}`;
}

/** npm 12 takes no package from an address unless told to; earlier versions ignore the option. */
function fromAddress({ cliPackage }: ToolSettings): string {
  return cliPackage === null ? '--allow-remote=root ' : '';
}

/** A function that returns the tool, which its first call packs. */
export function createTool({ baseUrl }: Pick<Config, 'baseUrl'>): () => Promise<Tool> {
  let packed: Promise<Tool> | null = null;
  return () => {
    packed ??= prepare(baseUrl).catch((error: unknown) => {
      packed = null;
      throw error;
    });
    return packed;
  };
}

async function prepare(baseUrl: string): Promise<Tool> {
  const bytes = addSite((await packTool(ROOT)).bytes, baseUrl);
  // As application/gzip, browsers would keep the response's compression in the file.
  const body = represent(bytes, 'application/octet-stream', true);
  return { version: VERSION, sha512: createHash('sha512').update(bytes).digest('hex'), body };
}
