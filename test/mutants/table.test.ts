import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { readMutants } from './table.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('the table of mutants', () => {
  const mutants = readMutants();

  it('changes one place of the product in each row, and names tests that exist', () => {
    const wrong = mutants.flatMap(({ name, file, find, replace, tests }) => {
      const places = existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8').split(find).length - 1 : 0;
      const missing = tests.filter((test) => !existsSync(join(ROOT, test)));
      return places === 1 && find !== replace && missing.length === 0 ? [] : [{ name, file, places, missing }];
    });
    expect(mutants).to.have.length.above(50);
    expect(wrong).to.deep.equal([]);
  });

  it('names each mutant once', () => {
    const names = mutants.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([]);
  });
});
