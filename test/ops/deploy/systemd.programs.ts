import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { processEnvironment } from '../../../config/env.ts';
import { LIMITS } from '../../../config/limits.ts';
import { MS_PER_SECOND } from '../../../config/units.ts';
import { SERVICE_NODE_ARGS } from '../../../ops/bootstrap/service-node-args.mjs';
import { findOnPath } from '../../../ops/local/find-on-path.ts';
import { leaveOut } from '../../support/leave-out.ts';
import { useFolder } from '../../support/temporary-folder.ts';

const FOLDER = fileURLToPath(new URL('../../../ops/deploy/systemd', import.meta.url));
/** Of 100: what systemd calls medium begins at 50. */
const MAX_EXPOSURE = 20;

const program = await findOnPath(['systemd-analyze'], processEnvironment()['PATH'] ?? '');

describe('units for systemd', () => {
  if (program === null) return leaveOut('systemd-analyze', 'there is no systemd-analyze on this machine');
  const folder = useFolder();

  for (const role of ['api', 'worker'] as const) {
    const name = `upsilon-${role}@.service`;

    it(`are good, hardened and slow to kill: ${name}`, async () => {
      const unit = await readFile(join(FOLDER, name), 'utf8');
      const file = join(folder(), name);
      // Node is elsewhere on this machine, perhaps.
      await writeFile(file, unit.replace('/usr/bin/node', process.execPath));
      const analyze = (...args: string[]) => promisify(execFile)(program, [...args, file]);
      expect(Object.values(await analyze('verify')).join('')).to.equal('');
      await analyze('security', '--offline=true', `--threshold=${MAX_EXPOSURE}`);
      const start = `ExecStart=/usr/bin/node ${SERVICE_NODE_ARGS[role].join(' ')} ops/bootstrap/service.mjs ${role}`;
      expect(unit.split('\n')).to.include(start);
      const [, seconds] = /^TimeoutStopSec=(\d+)s$/m.exec(unit) ?? [];
      expect(Number(seconds) * MS_PER_SECOND).to.be.above(LIMITS.shutdown.processMs + 5_000);
    });
  }
});
