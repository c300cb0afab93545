import { processEnvironment } from '../../config/env.ts';

/** Tools that some machines lack. */
export type Tool =
  | 'anvil'
  | 'caddy'
  | 'chromium'
  | 'haproxy'
  | 'linux'
  | 'nginx'
  | 'openssl'
  | 'plistutil'
  | 'prlimit'
  | 'prometheus'
  | 'promtool'
  | 'redis-server'
  | 'script'
  | 'systemd-analyze'
  | 'tools'
  | 'x402-v1'
  | 'xmllint';

/**
 * Replaces tests whose tool is missing. They count as pending; with `CI=true` they fail, unless
 * `LEAVE_OUT` names the tool (several separated by commas).
 */
export function leaveOut(tool: Tool, reason: string): void {
  const environment = processEnvironment();
  const allowed = environment['CI'] !== 'true' || (environment['LEAVE_OUT'] ?? '').split(',').includes(tool);
  if (allowed) it(`left out: ${reason}`);
  else {
    it(`needs ${tool}`, () => {
      throw new Error(`${reason}; LEAVE_OUT=${tool} leaves these tests out`);
    });
  }
}
