import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import * as z from 'zod';
import { namedPackages } from '../support/named-packages.ts';
import { readJson } from './support/source-files.ts';

const MANIFEST = z.object({ name: z.string(), private: z.literal(true) });

/** Texts that people read, and the sources of those that the product writes. */
function texts(): string[] {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' });
  return files
    .split('\n')
    .filter((path) => /\.(?:md|ts|mjs|ya?ml)$|Containerfile$/.test(path) && !path.startsWith('test/'));
}

describe('packages of registries', () => {
  it('are named by no text: whoever owns a name decides what runs', () => {
    const files = texts();
    expect(files.length).to.be.above(500);
    const found = files.flatMap((path) => namedPackages(readFileSync(path, 'utf8')).map((name) => `${path}: ${name}`));
    expect(found).to.deep.equal([]);
  });

  it('are found in commands', () => {
    expect(namedPackages('npx upsilon --dry-run')).to.deep.equal(['upsilon']);
    expect(namedPackages('npx --yes upsilon@1 x\n$ npm install -g @other/tool')).to.deep.equal([
      'upsilon@1',
      '@other/tool',
    ]);
    expect(namedPackages('npx --allow-remote=root http://a.test/x.tgz, `npx ./x.tgz`, `npx`, npm ci')).to.deep.equal(
      [],
    );
  });

  it('have no name of ours: those are private, and in a scope', () => {
    expect(MANIFEST.parse(readJson('package.json')).name).to.equal('upsilon-service');
    expect(MANIFEST.parse(readJson('cli/package.json')).name).to.match(/^@/);
  });
});
