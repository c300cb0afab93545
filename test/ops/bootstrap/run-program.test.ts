import { execFile } from 'node:child_process';
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { processEnvironment } from '../../../config/env.ts';
import { useFolder } from '../../cli/support/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const RUN_PROGRAM = new URL('../../../ops/bootstrap/run-program.mjs', import.meta.url).href;

describe('the folder from which tsx takes compiled code', () => {
  const folder = useFolder();
  const cache = (): string => join(folder(), `tsx-${process.geteuid?.()}`);

  /** What a program prints that bootstrap runs with this folder for temporary files. */
  async function seenByProgram(): Promise<string> {
    const program = join(folder(), 'program.mjs');
    await writeFile(program, "console.log(process.env.TSX_DISABLE_CACHE ?? 'in use')");
    const run = `import { runProgram } from ${JSON.stringify(RUN_PROGRAM)};
      runProgram(${JSON.stringify(ROOT)}, [${JSON.stringify(program)}]);`;
    const env = { ...processEnvironment(), TMPDIR: folder() };
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', run], { env });
    return stdout.trim();
  }

  it('is made for this user alone', async () => {
    expect(await seenByProgram()).to.equal('in use');
    expect((await stat(cache())).mode & 0o777).to.equal(0o700);
  });

  it('is left alone when others may write to it', async () => {
    await mkdir(cache());
    await chmod(cache(), 0o777);
    expect(await seenByProgram()).to.equal('1');
  });
});
