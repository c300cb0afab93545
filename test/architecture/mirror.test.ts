import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from './support/source-files.ts';

const AREAS = ['api', 'cli', 'config', 'engine', 'ops', 'workers'] as const;

/** Tests of what all of a folder does together, beside the folder or in it, each with what makes them so. */
const FOLDER_TESTS: Readonly<Record<string, string>> = {
  'test/cli/auth/sign-in.test.ts': 'signs in with all modules of cli/src/auth, as a person does',
  'test/ops/deploy/manifests.test.ts': 'compares the manifests with each other and with the settings',
};

const MAX_FOLDER_TESTS = 8;

/** Every file below a folder of the project, by path relative to the project's folder. */
function filesBelow(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files
    .map((file) => join(file.parentPath, file.name).slice(ROOT.length))
    .filter((path) => !/(^|\/)(node_modules|cli\/dist)\//.test(path));
}

/** The files' paths without their last extension: a module's path, as tests name it. */
function modulesOf(files: readonly string[]): ReadonlySet<string> {
  // The tool's modules are in cli/src, its tests in test/cli.
  return new Set(files.map((path) => path.replace(/\.[^./]+$/, '').replace(/^cli\/src\//, 'cli/')));
}

/** Whether a test is of a module: `test/a/b.test.ts`, or one of several in `test/a/b/`, for `a/b.ts`. */
function mirrors(test: string, modules: ReadonlySet<string>): boolean {
  const subject = test.replace(/^test\//, '').replace(/\.test\.ts$/, '');
  return modules.has(subject) || modules.has(dirname(subject));
}

/** Whether a test is in a folder that mirrors one of the product, or has the name of one. */
function isOfFolder(test: string, modules: ReadonlySet<string>): boolean {
  const subject = test.replace(/^test\//, '').replace(/\.test\.ts$/, '');
  const folders = [`${subject}/`, `${dirname(subject)}/`];
  return [...modules].some((path) => folders.some((folder) => path.startsWith(folder)));
}

describe('tests', () => {
  const modules = modulesOf(AREAS.flatMap(filesBelow));
  const tests = AREAS.flatMap((area) => filesBelow(`test/${area}`)).filter((path) => path.endsWith('.test.ts'));

  it('mirror the tree of the product, each in the place of its module', () => {
    expect(tests).to.have.length.above(100);
    const elsewhere = tests.filter((test) => !mirrors(test, modules) && !Object.hasOwn(FOLDER_TESTS, test));
    expect(elsewhere).to.deep.equal([]);
  });

  it(`of whole folders are at most ${MAX_FOLDER_TESTS}, and of folders that exist`, () => {
    const listed = Object.keys(FOLDER_TESTS);
    expect(listed).to.have.length.of.at.most(MAX_FOLDER_TESTS);
    expect(tests).to.include.members(listed);
    expect(listed.filter((test) => mirrors(test, modules) || !isOfFolder(test, modules))).to.deep.equal([]);
  });
});
