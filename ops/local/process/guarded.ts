import { findOnPath } from '../find-on-path.ts';
import { type EngineSite, engineChild } from './engine.ts';
import type { ChildSpec } from './launch.ts';

/** A third-party server program and its arguments. */
export interface ForeignServer {
  readonly name: string;
  /** How to probe whether it responds. */
  readonly protocol: 'mongodb' | 'redis';
  readonly port: number;
  /** Absolute path. */
  readonly program: string;
  readonly args: readonly string[];
}

/**
 * The guard process of a third-party server. Both are in a separate process group, so that neither Ctrl-C nor a kill of
 * the starter's group ends one of them alone. Where `setpriv` exists, the kernel also ends the server when its guard is
 * killed.
 */
export async function guarded(server: ForeignServer, site: EngineSite): Promise<ChildSpec> {
  const setpriv = process.platform === 'linux' ? await findOnPath(['setpriv'], site.environment['PATH'] ?? '') : null;
  const command = [...(setpriv === null ? [] : [setpriv, '--pdeathsig', 'TERM']), server.program, ...server.args];
  const args = [server.protocol, String(server.port), server.program, ...command];
  return engineChild(server.name, new URL('guard-main.ts', import.meta.url), args, site.environment);
}
