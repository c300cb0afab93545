import { hasShape } from '../json.ts';
import { VERSION } from '../version.ts';
import { exchange } from './http.ts';
import { BOARD_TIMEOUT_MS } from './public-board.ts';
import { isSafeAddress } from './web-address.ts';

/** The well-known document of a service (RFC 9728, 3.1), in which it publishes the version of the tool that it offers. */
const METADATA = '/.well-known/oauth-protected-resource';

const OFFERED = { cli_version: 'string', cli_package: 'string' } as const;

/** The tool that the service offers and the command that installs it; null when it is not newer, or that cannot be read. */
export async function findNewerTool(baseUrl: string) {
  const { origin, pathname } = new URL(baseUrl);
  const request = { method: 'GET', url: `${origin}${METADATA}${pathname}` } as const;
  const response = await exchange(request, BOARD_TIMEOUT_MS).catch(() => null);
  if (response?.status !== 200 || !hasShape(response.body, OFFERED)) return null;
  const { cli_version: version, cli_package: source } = response.body;
  const command = isNewer(version, VERSION) ? installCommand(source) : null;
  return command === null ? null : { version, command };
}

/** Null for what is neither an address nor the name of a package: the command must contain nothing that a shell interprets. */
function installCommand(source: string): string | null {
  if (/^(?:@[\w.-]+\/)?\w[\w.-]*$/.test(source)) return `npm install -g ${source}`;
  const isPlain = isSafeAddress(source) && /^[\w.:/[\]-]+$/.test(source);
  return isPlain ? `npm install -g --allow-remote=root ${source}` : null;
}

/** Whether a version is newer than another; false unless both are three numbers. */
export function isNewer(version: string, other: string): boolean {
  const [ours, theirs] = [version, other].map((text) => /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/.exec(text)?.slice(1));
  const differences = ours?.map((part, index) => Number(part) - Number(theirs?.[index])) ?? [];
  return (differences.find((difference) => difference !== 0) ?? 0) > 0;
}
