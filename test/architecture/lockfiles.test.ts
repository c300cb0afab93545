import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Each folder with a lockfile, and the packages in it whose install scripts may run. */
const NEEDED_SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  '.': [],
  // Downloads nothing: links the program of its platform's package.
  '.ci/tools': ['node'],
  'test/interop/x402-v1': [],
};

const LOCK = z.object({
  packages: z.record(
    z.string(),
    z.object({
      link: z.boolean().optional(),
      integrity: z.string().optional(),
      resolved: z.string().optional(),
      hasInstallScript: z.boolean().optional(),
      optionalDependencies: z.record(z.string(), z.string()).optional(),
    }),
  ),
});
const PACKAGE = z.object({ allowScripts: z.record(z.string(), z.boolean()).default({}) });
const PROGRAMS = z.object({
  bin: z.unknown().optional(),
  directories: z.object({ bin: z.string().optional() }).nullish(),
});

const read = (folder: string, name: string): string => readFileSync(join(ROOT, folder, name), 'utf8');
const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

for (const [folder, needed] of Object.entries(NEEDED_SCRIPTS)) {
  describe(`the lockfile of ${folder}`, () => {
    const { packages } = LOCK.parse(JSON.parse(read(folder, 'package-lock.json')));
    const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);

    it('has an integrity hash for each package, for every platform, and no download address', () => {
      expect(installed.length).to.be.above(20);
      const without = installed.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''));
      expect(without.map(([path]) => path)).to.deep.equal([]);
      expect(installed.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).to.deep.equal([]);
      const names = new Set(installed.map(([path]) => nameOf(path)));
      const wanted = installed.flatMap(([, entry]) => Object.keys(entry.optionalDependencies ?? {}));
      expect(wanted.filter((name) => !names.has(name))).to.deep.equal([]);
    });

    it('has no package that gives its programs as a folder: npm 11.6.1 and 11.6.2, of Node 24, cannot install it', () => {
      const inFolder = installed.filter(([path]) => {
        if (!existsSync(join(ROOT, folder, path, 'package.json'))) return false;
        const { bin, directories } = PROGRAMS.parse(JSON.parse(read(join(folder, path), 'package.json')));
        return bin === undefined && directories?.bin !== undefined;
      });
      expect(inFolder.map(([path]) => path)).to.deep.equal([]);
    });

    it('runs only the install scripts that are needed', () => {
      const scripts = installed.filter(([, entry]) => entry.hasInstallScript).map(([path]) => nameOf(path));
      const { allowScripts } = PACKAGE.parse(JSON.parse(read(folder, 'package.json')));
      const decided = Object.entries(allowScripts).map(([name, allowed]) => [name.replace(/(?<=.)@.*$/, ''), allowed]);
      expect(decided).to.have.deep.members([...new Set(scripts)].map((name) => [name, needed.includes(name)]));
      // npm 10 ignores allowScripts: a folder that needs no script disables all.
      if (needed.length === 0) expect(read(folder, '.npmrc')).to.match(/^ignore-scripts=true$/m);
      else expect(scripts).to.deep.equal(needed);
    });
  });
}
