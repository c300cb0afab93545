import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** The chain's program, or why there is none on this machine. */
export type FoundAnvil = { readonly path: string } | { readonly missing: string };

/** Finds the program of the local chain, and tries whether it runs here. */
export function findAnvil(): FoundAnvil {
  const name = `@foundry-rs/anvil-${process.platform}-${ARCHITECTURES[process.arch] ?? process.arch}`;
  let path: string;
  try {
    path = createRequire(import.meta.url).resolve(`${name}/bin/anvil`);
  } catch {
    return { missing: `${name} is not installed` };
  }
  const { status, stderr, error } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000 });
  if (status === 0) return { path };
  return { missing: `anvil does not run here: ${error?.message ?? stderr.trim().split('\n', 1)[0] ?? ''}` };
}
