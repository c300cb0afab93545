import { appendFileSync, existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { copyDatabase } from '../../../cli/src/files/sqlite.ts';
import { useFolder } from '../support/temporary-folder.ts';

describe('a copy of a database', () => {
  const folder = useFolder();

  it('is made again when another program wrote meanwhile', async () => {
    const [path, copy] = [join(folder(), 'original.db'), join(folder(), 'copy.db')];
    await writeFile(path, 'before');
    await writeFile(`${path}-wal`, 'log');
    const copying = copyDatabase(path, copy);
    while (!existsSync(copy)) await turn();
    // Before the copy of the log has ended, because this is the turn in which the copy began.
    appendFileSync(path, ' and after');
    await copying;
    expect(await readFile(copy, 'utf8')).to.equal('before and after');
    expect(await readFile(`${copy}-wal`, 'utf8')).to.equal('log');
  });
});
