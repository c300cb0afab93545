import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  deviceKeyPath,
  keyUnavailableError,
  openDeviceKey,
  readDeviceKey,
} from '../../../cli/src/signing/device-key.ts';
import { failureOf } from '../support/parsing.ts';
import { useFolder } from '../support/temporary-folder.ts';

describe('the device key', () => {
  const folder = useFolder();

  it('is created once and found again', async () => {
    const configDir = join(folder(), 'new', 'settings');
    expect(await readDeviceKey(configDir)).to.equal(null);
    const made = await openDeviceKey(configDir, false);
    expect((await openDeviceKey(configDir, false)).kid).to.equal(made.kid);
    expect((await readDeviceKey(configDir))?.kid).to.equal(made.kid);
  });

  it('is readable by its owner alone', async () => {
    const configDir = join(folder(), 'settings');
    const key = await openDeviceKey(configDir, false);
    expect((await stat(key.path)).mode & 0o777).to.equal(0o600);
    expect((await stat(configDir)).mode & 0o777).to.equal(0o700);
  });

  it('is the same for runs that create it concurrently, and leaves no other file', async () => {
    const keys = await Promise.all(Array.from({ length: 12 }, () => openDeviceKey(folder(), false)));
    expect(new Set(keys.map(({ kid }) => kid)).size).to.equal(1);
    expect(await readdir(folder())).to.deep.equal(['device-key.json']);
  });

  for (const [what, content] of [
    ['empty', ''],
    ['no JSON', '{'],
    ['no key', '{"kty":"OKP"}'],
    ['an array', '[]'],
    ['another kind of key', '{"kty":"oct","k":"AAAA"}'],
  ] as const) {
    it(`is refused, not replaced, when its file is ${what}`, async () => {
      await writeFile(deviceKeyPath(folder()), content, { mode: 0o600 });
      const failure = await failureOf(openDeviceKey(folder(), false));
      expect(failure).to.include({ exit: 'files', code: 'file_damaged' });
      expect(await readFile(deviceKeyPath(folder()), 'utf8')).to.equal(content);
    });
  }

  it('is refused when its public part belongs to another key', async () => {
    const first = await openDeviceKey(join(folder(), 'one'), false);
    const second = await openDeviceKey(join(folder(), 'two'), false);
    const mixed = (await readFile(first.path, 'utf8')).replace(first.publicJwk.x, second.publicJwk.x);
    await writeFile(first.path, mixed);
    const failure = await failureOf(readDeviceKey(join(folder(), 'one')));
    expect(failure).to.include({ code: 'file_damaged' });
  });

  it('is named after a separator in the command that replaces it, when it begins with a hyphen', async () => {
    const key = { ...(await openDeviceKey(folder(), false)), kid: '-begins-so' };
    const error = keyUnavailableError(key);
    expect(error.hint).to.include('upsilon devices revoke -- -begins-so\n');
  });
});
