import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { readMutants } from '../mutants/table.ts';

/** The rows of the table: a condition, what then holds it, and the names of tests (with a slash) and of mutants. */
function guarantees() {
  const text = readFileSync('ops/docs/ARCHITECTURE.md', 'utf8');
  const [, section = ''] = /^## What keeps it whole$([\s\S]*?)^## /m.exec(text) ?? [];
  const [, ...rows] = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.map((row) => {
    const [, condition = '', , held = ''] = row.split('|').map((cell) => cell.trim());
    const names = [...held.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    return {
      condition,
      tests: names.filter((name) => name.includes('/')).map(fileOf),
      mutants: names.filter((name) => !name.includes('/')),
    };
  });
}

function fileOf(name: string): string {
  return `test/${name}${name.endsWith('.programs') ? '' : '.test'}.ts`;
}

describe('the guarantees in ARCHITECTURE.md', () => {
  const rows = guarantees();
  const table = new Map(
    readMutants().flatMap((mutant) => (mutant.equivalent === undefined ? [[mutant.name, mutant] as const] : [])),
  );

  it('each name tests and mutants that exist', () => {
    const wrong = rows.flatMap(({ condition, tests, mutants }) => {
      const missing = [...tests.filter((test) => !existsSync(test)), ...mutants.filter((name) => !table.has(name))];
      return tests.length > 0 && mutants.length > 0 && missing.length === 0 ? [] : [{ condition, missing }];
    });
    expect(rows).to.have.length.of.at.least(15);
    expect(wrong).to.deep.equal([]);
  });

  it('each are held by a test that detects one of the mutants', () => {
    const apart = rows.filter(
      ({ tests, mutants }) => !mutants.every((name) => table.get(name)?.tests.some((test) => tests.includes(test))),
    );
    expect(apart.map(({ condition }) => condition)).to.deep.equal([]);
  });
});
