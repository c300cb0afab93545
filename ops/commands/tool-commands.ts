import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { z } from 'zod';
import { packTool } from '../../cli/pack.mjs';
import { VERSION } from '../../cli/src/version.ts';
import { releaseStatement } from '../../engine/contract/tool-release.ts';
import { type CommandContext, CommandError, type CommandOptions, printResult } from './command-context.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const RELEASE_KEY = z.object({ site: z.url(), key: z.string() });

/** Files below the root: what the package contains, and what the site serves. */
const KEY_FILE = 'cli/release-key.json';
const RELEASE_FILE = 'cli/release.json';

interface ToolOptions extends CommandOptions {
  /** The file of the private key. */
  readonly key: string;
  readonly root: string;
}

interface SignOptions extends ToolOptions {
  readonly replacesKey?: true;
}

/** `tool key | sign`. They need no service: run them where the private key is, which is on no server. */
export function addToolCommands(program: Command, context: CommandContext): void {
  const tool = program.command('tool').description('Releases of the command-line tool, for "upsilon update".');
  const command = (name: string, description: string): Command =>
    tool
      .command(name)
      .description(description)
      .requiredOption('--key <file>', 'the file of the private key, which belongs on no server and into no repository')
      .option('--root <folder>', 'the copy of the repository', ROOT)
      .option('--json', 'print one JSON object');

  command('key', `Create a release key, and write its public half to ${KEY_FILE}, which the package contains.`)
    .requiredOption('--site <url>', 'the site that will offer the releases')
    .action((options: ToolOptions & { readonly site: string }) => createKey(context, options));

  command('sign', `Pack the tool, sign its digest, and write the release to ${RELEASE_FILE}, which the site serves.`)
    .option('--replaces-key', `sign with the former key: the package, with another key in ${KEY_FILE}, replaces it`)
    .action((options: SignOptions) => signRelease(context, options));
}

async function createKey(context: CommandContext, options: ToolOptions & { readonly site: string }): Promise<void> {
  const url = URL.canParse(options.site) ? new URL(options.site) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || `${url.origin}/` !== url.href) {
    throw new CommandError(`"${options.site}" is not the address of a site`, 'Give it as https://board.example.');
  }
  const { privateKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
    publicKeyEncoding: { format: 'pem', type: 'spki' },
  });
  await writeFile(resolve(options.key), privateKey, { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
    const next = 'An existing key is not replaced: tools that were installed with it would take no other.';
    throw new CommandError(`${options.key} cannot be created`, next, { cause: error });
  });
  const released = { site: url.origin, key: publicHalf(createPrivateKey(privateKey)) };
  const path = join(options.root, KEY_FILE);
  await writeFile(path, `${JSON.stringify(released, null, 2)}\n`);
  const text = `The release key is ${released.key}.\nCommit ${path}: packages that are installed from now on take its releases.\n`;
  printResult(context, options, released, text);
}

async function signRelease(context: CommandContext, options: SignOptions): Promise<void> {
  const { site, key } = RELEASE_KEY.parse(JSON.parse(await readText(join(options.root, KEY_FILE))));
  const privateKey = createPrivateKey(await readText(resolve(options.key)));
  if (publicHalf(privateKey) !== key && options.replacesKey !== true) {
    const next = 'Sign with the key that tools were installed with; to replace that key, add --replaces-key.';
    throw new CommandError(`${options.key} is not the key in ${KEY_FILE}`, next);
  }
  const { bytes } = await packTool(options.root);
  const sha512 = createHash('sha512').update(bytes).digest('hex');
  const signature = sign(null, releaseStatement({ site, version: VERSION, sha512 }), privateKey).toString('base64url');
  const release = { site, version: VERSION, sha512, signature };
  await writeFile(join(options.root, RELEASE_FILE), `${JSON.stringify(release, null, 2)}\n`);
  const text = `Signed: version ${VERSION} for ${site}\nSHA-512 ${sha512}\nDeploy ${RELEASE_FILE} with this commit.\n`;
  printResult(context, options, release, text);
}

function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    const next = 'Create a release key: npm run -s ops -- tool key --key FILE --site URL';
    throw new CommandError(`${path} cannot be read`, next, { cause: error });
  });
}

function publicHalf(privateKey: KeyObject): string {
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  if (x === undefined) throw new CommandError('the private key is no Ed25519 key', 'Create one with: tool key');
  return x;
}
