import { cp, mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { builtCli } from './support/built-cli.ts';
import { runCli } from './support/run-cli.ts';
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
    expect(await saidBy('^0.1.0')).to.include('see npx @scope/cli sources');
  });
});
