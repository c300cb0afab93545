import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import * as z from 'zod';
import { packageSets } from '../../ops/bootstrap/installed-packages.mjs';
import { readJson } from './support/source-files.ts';

/** Without the packages for tests, those of `ops/packages`, and the caches. */
const MAX_PRODUCTION_MIB = 250;
const KIB_PER_MIB = 1_024;

/** Files that are imported only where the setting is on. */
const BEHIND_A_SETTING = /^ops\/runtime\/telemetry\/tracing\/(?:open|queue)-telemetry\.ts$/;

const LOCK = z.object({ packages: z.record(z.string(), z.looseObject({})) });
const MANIFEST = z.object({ dependencies: z.record(z.string(), z.string()) });

const sets = packageSets(LOCK.parse(readJson('package-lock.json')).packages);
const names = readdirSync('ops/packages');
const seldom = names.flatMap((name) =>
  Object.keys(MANIFEST.parse(readJson(`ops/packages/${name}/package.json`)).dependencies),
);

function sources(): string[] {
  const folders = ['api', 'config', 'engine', 'ops', 'workers'];
  return execFileSync('git', ['ls-files', ...folders], { encoding: 'utf8' })
    .split('\n')
    .filter((path) => path.endsWith('.ts'));
}

describe('packages that only some settings need', () => {
  it('are not installed without the setting', () => {
    expect(names).to.deep.equal(['traces', 'x402']);
    for (const name of names) expect(sets[name], name).to.have.length.above(0);
    // The metrics need the interface of OpenTelemetry.
    const common = seldom.filter((name) => sets['production']?.includes(`node_modules/${name}`));
    expect(common).to.deep.equal(['@opentelemetry/api']);
  });

  it('are loaded only behind the setting', () => {
    const loads = new RegExp(
      `^import (?!type ).*from '(?:${seldom.join('|')})(?:/[^']*)?';|^} from '(?:${seldom.join('|')})'`,
      'm',
    );
    const found = sources().filter((path) => loads.test(readFileSync(path, 'utf8')));
    expect(found.filter((path) => !BEHIND_A_SETTING.test(path))).to.deep.equal([]);
    expect(found).to.deep.equal(['ops/runtime/telemetry/tracing/open-telemetry.ts']);
    const importers = sources().filter((path) =>
      /^import (?!type ).*open-telemetry\.ts/m.test(readFileSync(path, 'utf8')),
    );
    expect(importers).to.deep.equal([]);
  });

  it('leave production small', () => {
    const installed = (sets['production'] ?? []).filter((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path));
    const there = new Set(readdirSync('node_modules', { recursive: false }).map(String));
    const paths = installed.filter((path) => there.has(path.split('/')[1] ?? ''));
    // A package for another platform is missing, of which du complains.
    const out = execFileSync('sh', ['-c', 'du -sck "$@" 2>/dev/null | tail -n 1', 'du', ...paths], {
      encoding: 'utf8',
    });
    const mib = Number.parseInt(out, 10) / KIB_PER_MIB;
    expect(mib).to.be.within(50, MAX_PRODUCTION_MIB);
  });
});
