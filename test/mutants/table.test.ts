import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { globSync } from 'tinyglobby';
import { areaOf, readMutants } from './table.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const MIN_MUTANTS = 250;
const MIN_OF_AREA = 3;
/** Areas that need no mutants of their own. */
const EXEMPT = [
  // Two programs that start others: `npm start`, and the check of Node's version.
  'ops',
  // Run by hand after a change of dependencies; the lockfile that it completes has tests.
  'ops/maintenance',
  // Opens and connects modules that have mutants of their own.
  'api/context',
];

describe('the table of mutants', () => {
  const mutants = readMutants();

  it('covers every area of the product', () => {
    const run = mutants.filter(({ equivalent }) => equivalent === undefined);
    const sources = globSync(['{api,cli,config,engine,ops,workers}/**/*.{ts,mjs}'], {
      cwd: ROOT,
      ignore: ['**/*.d.*', '**/node_modules/**'],
    });
    const areas = [...new Set(sources.map((file) => areaOf({ file })))];
    const bare = areas.filter(
      (area) => !EXEMPT.includes(area) && run.filter((mutant) => areaOf(mutant) === area).length < MIN_OF_AREA,
    );
    expect(areas).to.include.members(['config', 'cli', 'workers', 'api/auth', 'engine/ranking', ...EXEMPT]);
    expect(run).to.have.length.of.at.least(MIN_MUTANTS);
    expect(bare).to.deep.equal([]);
  });

  it('changes one place of the product in each row, and names tests that exist', () => {
    const wrong = mutants.flatMap(({ name, file, find, replace, tests }) => {
      const places = existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8').split(find).length - 1 : 0;
      const missing = tests.filter((test) => !existsSync(join(ROOT, test)));
      return places === 1 && find !== replace && missing.length === 0 ? [] : [{ name, file, places, missing }];
    });
    expect(wrong).to.deep.equal([]);
  });

  it('names each mutant once', () => {
    const names = mutants.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([]);
  });
});
