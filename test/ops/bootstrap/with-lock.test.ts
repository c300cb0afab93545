import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

const MODULE = new URL('../../../ops/bootstrap/with-lock.mjs', import.meta.url).href;
/** Beyond the largest process id of any system. */
const NO_PROCESS = '99999999';
const WITHIN_MS = 120_000;

describe('the lock of an installation', () => {
  it('is taken over from a process that was killed, and released', () => {
    const folder = mkdtempSync(join(tmpdir(), 'upsilon-lock-'));
    const lock = join(folder, 'install.lock');
    writeFileSync(lock, NO_PROCESS);
    const program = `import { withLock } from ${JSON.stringify(MODULE)};
      withLock(${JSON.stringify(lock)}, () => process.stdout.write('worked'));`;
    // In a process, because waiting for a lock blocks the event loop.
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
      timeout: WITHIN_MS,
    });
    expect(stdout).to.equal('worked');
    expect(existsSync(lock)).to.equal(false);
    rmSync(folder, { recursive: true });
  });
});
