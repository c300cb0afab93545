import { expect } from 'chai';
import type { SourceFile } from './support/source-file.ts';
import { sourceFiles } from './support/source-files.ts';

const CORE = 'engine/ranking/core/';

/** Clocks, randomness, I/O and timers. */
const FORBIDDEN_NAMES = [
  'Atomics',
  'Date',
  'Math.random',
  'URL',
  'WebSocket',
  'console',
  'crypto',
  'fetch',
  'globalThis',
  'navigator',
  'performance',
  'process',
  'queueMicrotask',
  'require',
  'setImmediate',
  'setInterval',
  'setTimeout',
];

const files = sourceFiles();
const core = [...files.values()].filter((file) => file.path.startsWith(CORE));

/** The core, and everything that it imports by value. */
function reachable(): SourceFile[] {
  const found = new Set(core);
  for (const file of found) {
    for (const used of file.imports) {
      const target = used.typesOnly || used.file === null ? undefined : files.get(used.file);
      if (target !== undefined) found.add(target);
    }
  }
  return [...found];
}

describe('engine/ranking/core', () => {
  it('has files', () => expect(core.length).to.be.above(5));

  it('is a function of its arguments: no clock, randomness, environment or I/O', () => {
    const found = core.flatMap((file) =>
      FORBIDDEN_NAMES.filter((name) => file.names.has(name)).map((name) => `${file.path} uses ${name}`),
    );
    expect(found).to.deep.equal([]);
  });

  it('awaits nothing', () => {
    expect(core.filter((file) => file.waits).map((file) => file.path)).to.deep.equal([]);
  });

  it('runs no package and no module of Node, not even indirectly', () => {
    const found = reachable().flatMap((file) =>
      file.imports
        .filter((used) => used.file === null && !used.typesOnly)
        .map((used) => `${file.path} imports ${used.specifier}`),
    );
    expect(found).to.deep.equal([]);
  });
});
