import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { globSync } from 'tinyglobby';

const DOCUMENTS = globSync(['*.md', 'cli/*.md', 'ops/**/*.md', 'test/**/*.md'], { ignore: ['**/node_modules/**'] });
/** Names of folders by which documents begin a path: those of the project, of the engine and of the tests. */
const ROOTS = ['.', 'engine/ranking', 'test'].flatMap((root) =>
  readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .map(({ name }) => [name, root] as const),
);
/** Names in upper case stand for what the reader chooses. */
const PLACEHOLDER = /[A-Z]{3,}|-N\b|\.env$/;

const codeOf = (text: string): string[] => [...text.matchAll(/`([^`\s]+)`/g)].map(([, code = '']) => code);
const exists = (path: string): boolean =>
  ['', '.ts', '.mjs', '.test.ts'].some((end) => existsSync(`${path.replace(/[/]$/, '')}${end}`));

/** Whether a path in a document exists, below the project or the engine; null when it is not a path of the project. */
function found(code: string): boolean | null {
  const [first] = code.split('/');
  const roots = ROOTS.filter(([name]) => name === first).map(([, root]) => root);
  const isPath = code.includes('/') && /^[\w.@/-]+$/.test(code) && !PLACEHOLDER.test(code);
  return isPath && roots.length > 0 ? roots.some((root) => exists(join(root, code))) : null;
}

describe('documents', () => {
  it('are found', () => {
    expect(DOCUMENTS).to.include.members(['README.md', 'ops/docs/ARCHITECTURE.md']).and.have.length.above(40);
  });

  it('name files and folders that exist', () => {
    const paths = DOCUMENTS.flatMap((document) =>
      codeOf(readFileSync(document, 'utf8')).map((code) => ({ document, code, found: found(code) })),
    );
    expect(paths.filter((path) => path.found === true)).to.have.length.above(50);
    expect(
      paths.filter((path) => path.found === false).map(({ document, code }) => `${document}: ${code}`),
    ).to.deep.equal([]);
  });

  it('link to files that exist', () => {
    for (const document of DOCUMENTS) {
      const links = [...readFileSync(document, 'utf8').matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)].map(
        ([, link, source]) => link ?? source ?? '',
      );
      for (const link of links.filter((each) => !/^(https?:|mailto:|#)/.test(each))) {
        const path = join(dirname(document), link.replace(/#.*/, ''));
        expect(existsSync(path), `${document}: ${link}`).to.equal(true);
      }
    }
  });
});
