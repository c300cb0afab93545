import { execFile, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ENV } from '../../../config/env.ts';
import { LIMITS } from '../../../config/limits.ts';
import { MS_PER_SECOND } from '../../../config/units.ts';
import { SERVICE_NODE_ARGS } from '../../../ops/bootstrap/service-node-args.mjs';
import { leaveOut } from '../../support/leave-out.ts';
import { useFolder } from '../../support/temporary-folder.ts';

const FOLDER = fileURLToPath(new URL('../../../ops/deploy/systemd', import.meta.url));
/** Of 100: what systemd calls medium begins at 50. */
const MAX_EXPOSURE = 20;

describe('units for systemd', () => {
  const isMissing = spawnSync('systemd-analyze', ['--version']).error !== undefined;
  if (isMissing) return leaveOut('systemd-analyze', 'there is no systemd-analyze on this machine');
  const folder = useFolder();

  for (const role of ['api', 'worker'] as const) {
    const name = `upsilon-${role}@.service`;

    it(`are good and hardened: ${name}`, async () => {
      const unit = await readFile(join(FOLDER, name), 'utf8');
      const file = join(folder(), name);
      // Node is elsewhere on this machine, perhaps.
      await writeFile(file, unit.replace('/usr/bin/node', process.execPath));
      const analyze = (...args: string[]) => promisify(execFile)('systemd-analyze', [...args, file]);
      const { stdout, stderr } = await analyze('verify');
      expect(stdout + stderr).to.equal('');
      await analyze('security', '--offline=true', `--threshold=${MAX_EXPOSURE}`);
    });

    it(`start existing programs with existing settings, and let them stop: ${name}`, async () => {
      const unit = await readFile(join(FOLDER, name), 'utf8');
      const start = `ExecStart=/usr/bin/node ${SERVICE_NODE_ARGS[role].join(' ')} ops/bootstrap/service.mjs ${role}`;
      expect(unit.split('\n')).to.include(start);
      const [, settings = ''] = /^Environment=(.*)$/m.exec(unit) ?? [];
      const names = Array.from(settings.matchAll(/([A-Z_]+)=/g), ([, setting = '']) => setting);
      expect(Object.keys(ENV.shape)).to.include.members(names.filter((setting) => setting !== 'MALLOC_ARENA_MAX'));
      const [, seconds] = /^TimeoutStopSec=(\d+)s$/m.exec(unit) ?? [];
      expect(Number(seconds) * MS_PER_SECOND).to.be.above(LIMITS.shutdown.processMs + 5_000);
    });
  }

  it('are as many as there are files', () => expect(readdirSync(FOLDER)).to.have.length(2));
});
