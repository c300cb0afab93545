import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseSync, Visitor } from 'oxc-parser';
import { ROOT, sourceFiles } from './support/source-files.ts';

const GLOSSARY = 'ops/docs/GLOSSARY.md';

/** The identifiers in the code block of the glossary's last section. */
function retiredIdentifiers(): ReadonlySet<string> {
  const text = readFileSync(join(ROOT, GLOSSARY), 'utf8');
  const block = /## Retired identifiers[^]*?```text\n([^]*?)```/.exec(text)?.[1] ?? '';
  return new Set(block.split(/\s+/).filter((name) => name !== ''));
}

describe('identifiers that the glossary retired', () => {
  it('do not come back', () => {
    const retired = retiredIdentifiers();
    expect(retired.size).to.be.above(100);
    const found: string[] = [];
    for (const { path } of sourceFiles().values()) {
      const note = ({ name }: { readonly name: string }): void => {
        if (retired.has(name)) found.push(`${path}: ${name}`);
      };
      const { program } = parseSync(path, readFileSync(join(ROOT, path), 'utf8'));
      new Visitor({ Identifier: note, PrivateIdentifier: note }).visit(program);
    }
    expect(found).to.deep.equal([]);
  });
});
