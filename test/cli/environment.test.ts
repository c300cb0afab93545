import { cp, mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { Environment } from '../../cli/src/environment.ts';
import { type Flags, readSettings } from '../../cli/src/settings.ts';
import { builtCli } from './support/built-cli.ts';
import { runCli } from './support/run-cli.ts';
import { LINUX, withVariables } from './support/scan-source.ts';
import { useFolder } from './support/temporary-folder.ts';

const ADDRESS = 'http://board.test/cli/upsilon.tgz';

describe('the command that messages name', () => {
  const home = useFolder();

  /** What the tool says without logs when `npx` installed it as this dependency. */
  async function saidBy(source: string): Promise<string> {
    const installed = join(home(), 'installed');
    const program = join(installed, 'node_modules/@scope/cli/dist');
    await mkdir(program, { recursive: true });
    await cp(dirname(await builtCli()), program, { recursive: true });
    await writeFile(join(installed, 'package.json'), JSON.stringify({ dependencies: { '@scope/cli': source } }));
    const { stdout, stderr } = await runCli(
      home(),
      ['--dry-run'],
      { npm_lifecycle_event: 'npx' },
      join(program, 'main.js'),
    );
    return stdout + stderr;
  }

  it('is npx with the address, the file or the package that was given, whichever version of npm ran it', async () => {
    expect(await saidBy(ADDRESS)).to.include(`see npx --allow-remote=root ${ADDRESS} sources`);
    expect(await saidBy('file:../upsilon.tgz')).to.include(`see npx ${await realpath(home())}/upsilon.tgz sources`);
    expect(await saidBy('^1.0.0')).to.include('see npx @scope/cli sources');
  });
});

describe('the address of the service', () => {
  const site = 'https://board.example/api/v1';
  const read = (flags: Flags, env: Partial<Environment>, variables: Readonly<Record<string, string>> = {}) => {
    const { baseUrl, isBaseUrlGiven } = readSettings(flags, { ...withVariables(LINUX, variables), site, ...env });
    return [baseUrl, isBaseUrlGiven];
  };
  const npx = { command: `npx --allow-remote=root https://board.example/cli/upsilon.tgz` };
  const other = 'https://other.example/api/v1';

  it('is that of the service that served the tool, unless another is given', () => {
    // The latest sign-in takes its place, but not in a copy that was fetched from there.
    expect(read({}, {})).to.deep.equal([site, false]);
    expect(read({}, npx)).to.deep.equal([site, true]);
    expect(read({ service: 'work' }, npx)).to.deep.equal([site, false]);
    expect(read({}, npx, { UPSILON_SERVICE: 'work' })).to.deep.equal([site, false]);
    expect(read({ baseUrl: other }, npx)).to.deep.equal([other, true]);
    expect(read({}, npx, { UPSILON_BASE_URL: other })).to.deep.equal([other, true]);
    expect(read({}, { site: null })).to.deep.equal(['http://localhost:3000/api/v1', false]);
  });
});
