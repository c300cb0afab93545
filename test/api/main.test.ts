import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('the processes of the service', () => {
  for (const program of ['api/start-api.ts', 'workers/start-worker.ts']) {
    it(`load ${program} without a warning, also under the oldest Node`, async () => {
      // What libraries look at: the name of the line of Node 20.
      const release = "Object.defineProperty(process, 'release', { value: { ...process.release, lts: 'Iron' } })";
      const code = `${release}; await import('./${program}')`;
      const args = ['--import', 'tsx', '--input-type=module', '--eval', code];
      const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
      expect(stdout + stderr).to.equal('');
    });
  }
});
