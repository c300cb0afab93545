import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { processEnvironment } from '../../../../config/env.ts';
import { TEST_SETTINGS } from '../../../support/api-context.ts';
import { useSuiteFolder } from '../../../support/temporary-folder.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { descriptionFor } from '../../conformance.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

/** Runs a tool of the project; answers its status and all it printed. */
function run(tool: string, args: readonly string[]): Promise<{ status: number; printed: string }> {
  const env = { ...processEnvironment(), REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return new Promise((resolve) => {
    const child = execFile(join(ROOT, 'node_modules/.bin', tool), args, { cwd: ROOT, env }, (_error, stdout, stderr) =>
      resolve({ status: child.exitCode ?? -1, printed: `${stdout}\n${stderr}` }),
    );
  });
}

describe('api: the description under linters', () => {
  const folder = useSuiteFolder();
  const file = useFixture(() => join(folder(), 'openapi.json'));

  before(() => writeFile(file(), JSON.stringify(descriptionFor(TEST_SETTINGS), null, 2)));

  it('is clean under Redocly, strictly', async () => {
    const { status, printed } = await run('redocly', ['lint', file(), '--config', 'ops/openapi/redocly.yaml']);
    expect(status, printed).to.equal(0);
    expect(printed).to.not.match(/\d+ warnings?/);
  });

  it('is clean under Spectral', async () => {
    const args = ['lint', file(), '--ruleset', 'ops/openapi/spectral.yaml', '--fail-severity', 'hint'];
    const { status, printed } = await run('spectral', args);
    expect(status, printed).to.equal(0);
  });
});
