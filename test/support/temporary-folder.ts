import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useFixture, useFreshFixture } from './use-fixture.ts';

/** A new folder, by its real path, which is removed when it is closed. */
async function openFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'upsilon-test-')));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Registers a hook that gives every test of the enclosing suite a new folder. */
export function useFolder(): () => string {
  const folder = useFreshFixture(openFolder);
  return () => folder().path;
}

/** One folder for all tests of the enclosing suite. */
export function useSuiteFolder(): () => string {
  const folder = useFixture(openFolder);
  return () => folder().path;
}
