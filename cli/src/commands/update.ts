import { createHash, createPublicKey, verify } from 'node:crypto';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import {
  compareVersions,
  readRelease,
  releaseStatement,
  type ToolRelease,
} from '../../../engine/contract/tool-release.ts';
import { CliError, reasonOf } from '../cli-error.ts';
import type { Command, CommandContext } from '../command-context.ts';
import type { Environment } from '../environment.ts';
import { hasShape, parseJson, type Shaped } from '../json.ts';
import { downloadBytes, exchange } from '../net/http.ts';
import { isSafeAddress } from '../net/web-address.ts';
import { isAgreed } from '../output/is-agreed.ts';
import { VERSION } from '../version.ts';

/** The largest package that is downloaded, in bytes. */
const MAX_PACKAGE_BYTES = 32 * 1024 * 1024;

const PIN = { site: 'string', key: 'string' } as const;

export interface UpdateOptions {
  readonly yes?: boolean | undefined;
}

/**
 * Replaces this installed tool by a newer release of the site that it was installed from. The package names the site and the key of its
 * releases; nothing else decides where an update comes from. npm replaces the files. `--dry-run` only shows the release.
 */
export const updateCommand: Command<UpdateOptions> = async (context) => {
  const { settings, screen, options } = context;
  const folder = await packageFolder();
  const pin = await readPin(folder);
  const release = await fetchRelease(pin);
  const { version, sha512 } = release;
  const difference = compareVersions(version, VERSION);
  const result = { site: pin.site, key: pin.key, installed: VERSION, version, sha512 };
  if (!(difference > 0)) {
    if (difference < 0) {
      const message = `${pin.site} offers version ${version}, which is older than this one, ${VERSION}`;
      throw new CliError(
        'refused',
        'update_older',
        message,
        'Nothing was changed: a tool is never replaced by an older one.',
      );
    }
    screen.printWrapped(`Version ${VERSION} is the newest that ${pin.site} offers.`);
    screen.result({ ...result, updated: false });
    return 'ok';
  }
  screen.print(`Version:     ${version} (installed: ${VERSION})`);
  screen.print(`Site:        ${pin.site}`);
  screen.print(`Release key: ${pin.key}`);
  screen.print(`SHA-512:     ${sha512}`);
  if (settings.dryRun) {
    screen.result({ ...result, updated: false });
    return 'ok';
  }
  await requireGlobal(folder, context);
  if (options.yes !== true && !(await isAgreed('Install it?', screen))) {
    throw new CliError(
      'usage',
      'not_agreed',
      'the update was not agreed to',
      'Add --yes to agree without being asked.',
    );
  }
  await install(await fetchPackage(release), context);
  screen.printWrapped(`Updated to version ${version}.`);
  screen.result({ ...result, updated: true });
  return 'ok';
};

/** The folder of this package: …/node_modules/@scope/cli, where it is installed. */
async function packageFolder(): Promise<string> {
  return dirname(dirname(await realpath(process.argv[1] ?? '')));
}

/** The site and the public key that the package was made with. */
async function readPin(folder: string): Promise<Shaped<typeof PIN>> {
  const pin = parseJson(await readFile(join(folder, 'release-key.json'), 'utf8').catch(() => ''));
  if (hasShape(pin, PIN) && isSafeAddress(pin.site)) return pin;
  const hint = 'Install a newer version as you installed this one, after comparing its digest.';
  throw new CliError('refused', 'update_unavailable', 'this copy of the tool was made without a release key', hint);
}

/** The release that the site offers, which the pinned key has signed for the site. */
async function fetchRelease(pin: Shaped<typeof PIN>): Promise<ToolRelease> {
  const { status, body } = await exchange({
    method: 'GET',
    url: `${pin.site}/cli/release.json`,
    hint: 'Try again later.',
  });
  const release = status === 200 ? readRelease(body) : null;
  if (release === null) {
    throw new CliError(
      'network',
      'update_unavailable',
      `${pin.site} offers no release of the tool`,
      'Try again later.',
    );
  }
  if (release.site !== pin.site || !isSigned(release, pin.key)) {
    throw refusedUpdate(
      `the release that ${pin.site} offers is not signed by the release key of this tool, ${pin.key}`,
    );
  }
  return release;
}

function isSigned(release: ToolRelease, x: string): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, releaseStatement(release), key, Buffer.from(release.signature, 'base64url'));
  } catch {
    return false;
  }
}

async function fetchPackage({ site, version, sha512 }: ToolRelease): Promise<Buffer> {
  const bytes = await downloadBytes(`${site}/cli/upsilon-${version}.tgz`, MAX_PACKAGE_BYTES);
  const digest = createHash('sha512').update(bytes).digest('hex');
  if (digest !== sha512) throw refusedUpdate(`the package of ${site} does not have the digest that was signed`);
  return bytes;
}

function refusedUpdate(message: string): CliError {
  return new CliError('refused', 'update_refused', message, 'Nothing was changed. Tell those who run the site.');
}

/** Throws for a copy that a global installation by npm would not replace. */
async function requireGlobal(folder: string, { env }: CommandContext): Promise<void> {
  const root = await npm(env, env.home, ['root', '-g']);
  const installed = await realpath(root).catch(() => root);
  if (folder.startsWith(`${installed}${sep}`)) return;
  const message = `this copy of the tool is in ${folder}, and npm installs programs in ${installed}`;
  throw new CliError(
    'usage',
    'not_installed',
    message,
    'Update a copy as you made it: only installed ones can do it themselves.',
  );
}

/** Gives the package to npm, as a file in a folder that only the user can write. */
async function install(bytes: Buffer, { env, screen }: CommandContext): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'upsilon-update-'));
  try {
    const file = join(folder, 'upsilon.tgz');
    await writeFile(file, bytes, { mode: 0o600, flag: 'wx' });
    const options = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    screen.note(await npm(env, folder, ['install', '-g', ...options, file]));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs npm in a folder that is the user's, where no project has settings for it. Returns its standard output. */
async function npm({ os }: Environment, cwd: string, args: readonly string[]): Promise<string> {
  // Loaded on demand: it loads the network modules.
  const { execFile } = await import('node:child_process');
  // Node starts no command files of Windows without a shell.
  const script = join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js');
  const [program, before] = os === 'win32' ? [process.execPath, [script]] : ['npm', []];
  return new Promise((resolve, reject) => {
    execFile(program, [...before, ...args], { cwd, windowsHide: true }, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout.trim());
      const why = stderr.trim().split('\n').slice(-8).join('\n') || reasonOf(error);
      reject(
        new CliError('files', 'update_failed', `npm ${args[0]} failed: ${why}`, 'Nothing was changed by this tool.'),
      );
    });
  });
}
