import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createErasureList } from '../../../api/members/erasure-list.ts';
import { useSuiteFolder } from '../../support/temporary-folder.ts';

describe('the list of erasures', () => {
  const folder = useSuiteFolder();

  it('is a file for its owner only, with a line for each erasure', async () => {
    const path = join(folder(), 'data', 'erasures.jsonl');
    const erasures = [1, 2].map((operator) => ({ operator, subject_hash: 'h', erased_at: '2026-01-01T00:00:00.000Z' }));
    for (const erasure of erasures) await createErasureList(path)(erasure);
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).to.deep.equal(erasures);
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
  });
});
