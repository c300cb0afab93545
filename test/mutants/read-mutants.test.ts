import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { applyFault, type Fault } from './apply-fault.ts';
import { readMutants } from './read-mutants.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('the table of mutants', () => {
  const mutants = readMutants(ROOT);

  it('makes each fault in one place of the product, and names tests that exist', () => {
    const wrong = mutants.flatMap((mutant) => {
      const missing = mutant.tests.filter((test) => !existsSync(join(ROOT, test)));
      try {
        const text = readFileSync(join(ROOT, mutant.file), 'utf8');
        return mutant.mutated(text) !== text && missing.length === 0
          ? []
          : [`${mutant.name}: missing tests ${missing.join(', ')}`];
      } catch (error) {
        return [`${mutant.name}: ${String(error)}`];
      }
    });
    expect(mutants).to.have.length.above(50);
    expect(wrong).to.deep.equal([]);
  });

  it('has the mutants that ARCHITECTURE names, at least one for each guarantee', () => {
    const text = readFileSync(join(ROOT, 'ops/docs/ARCHITECTURE.md'), 'utf8');
    const [, ...rows] = /^## What keeps it whole$([^]*?)^## /m
      .exec(text)![1]!
      .split('\n')
      .filter((line) => line.startsWith('| '));
    const names = rows.map((row) => [...row.split('|')[3]!.matchAll(/`([a-z0-9-]+)`/g)].map(([, name]) => name));
    expect(rows).to.have.length.above(15);
    expect(names.filter((each) => each.length === 0)).to.deep.equal([]);
    expect(mutants.map(({ name }) => name)).to.include.members(names.flat());
  });
});

describe('a fault of a mutant', () => {
  const text = 'export async function publish({ all }) {\n  await write(all);\n  if (all.length > 0) mark(all);\n}\n';
  const made = (fault: Fault): string => applyFault('publish.ts', text, fault);

  it('is refused when it has no place, or several', () => {
    expect(made({ in: 'publish', drop: 'mark' })).to.equal(text.replace('mark(all);', ';'));
    expect(() => made({ in: 'publish', drop: 'remove' })).to.throw('publish.ts has no place for');
    expect(() => made({ in: 'publish', name: 'all', by: '[]' })).to.throw('several places (lines 2, 3, 3)');
    expect(() => made({ in: 'publish.none', drop: 'mark' })).to.throw('publish.ts has no function none');
  });
});
