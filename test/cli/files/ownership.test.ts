import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { openSessions } from '../../../cli/src/auth/sessions.ts';
import { CliError } from '../../../cli/src/cli-error.ts';
import { withLock } from '../../../cli/src/files/lock.ts';
import { requireOwned } from '../../../cli/src/files/ownership.ts';
import { writePrivateJson } from '../../../cli/src/files/private-files.ts';
import { isEnrolled, rememberEnrolment } from '../../../cli/src/ledger/enrolments.ts';
import { openLedger, readLedger } from '../../../cli/src/ledger/ledger.ts';
import { openSecretFile } from '../../../cli/src/secrets/secret-store.ts';
import { keepReports, readReports } from '../../../cli/src/service/changes.ts';
import { openDeviceKey, readDeviceKey } from '../../../cli/src/signing/device-key.ts';
import { failureOf } from '../support/parsing.ts';
import { useStore } from '../support/stores.ts';
import { useFolder } from '../support/temporary-folder.ts';

const ENROLMENT = { base_url: 'https://upsilon.example/api/v1', codename: 'test-lantern', kid: 'any' };

const REPORTS = { base_url: ENROLMENT.base_url, notify: true, on_change: [], seen: null };

/** Every file of the settings folder, and what reads it. */
const READERS: Readonly<Record<string, (configDir: string) => Promise<unknown>>> = {
  'device-key.json': readDeviceKey,
  'secrets.json': (configDir) => openSecretFile(configDir).read('any'),
  'sessions.json': (configDir) => openSessions(configDir, false).find('any'),
  'ledger.json': readLedger,
  'enrolments.json': (configDir) => isEnrolled(configDir, ENROLMENT),
  'service-changes.json': (configDir) => readReports(configDir, REPORTS.base_url),
  'usage.db': (configDir) => useStore(configDir, (store) => store.buckets()),
};
const SECRETS = ['device-key.json', 'secrets.json'];
const STATE = Object.keys(READERS).filter((name) => !SECRETS.includes(name));

describe("the tool's own files and folder", () => {
  const folder = useFolder();
  // A path that a careless command would take apart.
  const settings = (): string => join(folder(), "operator's settings");
  const pathOf = (name: string): string => join(settings(), name);

  beforeEach(async () => {
    await openDeviceKey(settings(), false);
    await openSecretFile(settings()).write('any', 'a-secret');
    await writePrivateJson(pathOf('sessions.json'), { version: 1, sessions: [] });
    await openLedger(settings());
    await rememberEnrolment(settings(), ENROLMENT);
    await keepReports(settings(), REPORTS);
    await useStore(settings(), () => undefined);
  });

  for (const [name, read] of Object.entries(READERS)) {
    it(`${name} is read as the tool wrote it`, async () => {
      await read(settings());
      expect((await stat(pathOf(name))).mode & 0o777).to.equal(0o600);
    });

    it(`${name} is refused as a link`, async () => {
      await rename(pathOf(name), join(folder(), name));
      await symlink(join(folder(), name), pathOf(name));
      const failure = await filesFailure(read(settings()), 'file_linked');
      expect(failure.message).to.include(`${pathOf(name)} is a link to ${join(folder(), name)}`);
      await runAdvice(failure, 'remove the link: ');
      await read(settings());
    });

    for (const command of ['mkfifo -m 600', 'mkdir -m 700']) {
      it(`${name} is refused when it was made by ${command}`, async () => {
        await rename(pathOf(name), join(folder(), name));
        await promisify(execFile)('sh', ['-c', `${command} "$0"`, pathOf(name)]);
        const failure = await filesFailure(read(settings()), 'file_irregular');
        expect(failure.message).to.equal(`${pathOf(name)} is not a regular file`);
        await runAdvice(failure, 'if there is one: ');
        await rename(join(folder(), name), pathOf(name));
        await read(settings());
      });
    }

    it(`${name} is refused as a link that leads nowhere`, async () => {
      await rename(pathOf(name), join(folder(), 'aside'));
      await symlink(join(folder(), 'gone'), pathOf(name));
      await filesFailure(read(settings()), 'file_linked');
    });

    it(`${name} is refused in a folder that is a link or can be changed by others`, async () => {
      const link = join(folder(), 'link');
      await symlink(settings(), link);
      const failure = await filesFailure(read(link), 'file_linked');
      expect(failure.hint).to.include("operator'\\''s settings'\n");
      await chmod(settings(), 0o770);
      await runAdvice(await filesFailure(read(settings()), 'file_shared'), 'Run: ');
      await read(settings());
    });
  }

  for (const name of SECRETS) {
    for (const mode of [0o644, 0o640, 0o604, 0o660, 0o620, 0o602, 0o601]) {
      it(`${name} is refused with mode ${mode.toString(8)}, with the command that fixes it`, async () => {
        await chmod(pathOf(name), mode);
        const failure = await filesFailure(READERS[name]!(settings()), 'file_shared');
        expect(failure.message).to.include(`${pathOf(name)} can be read or changed by other users`);
        expect(failure.message).to.include(`(mode ${mode.toString(8)})`);
        await runAdvice(failure, 'Run: ');
        await READERS[name]!(settings());
      });
    }
  }

  for (const name of STATE) {
    it(`${name} is refused when others can change it, not when they can read it`, async () => {
      await chmod(pathOf(name), 0o644);
      await READERS[name]!(settings());
      for (const mode of [0o664, 0o646]) {
        await chmod(pathOf(name), mode);
        await runAdvice(await filesFailure(READERS[name]!(settings()), 'file_shared'), 'Run: ');
        await READERS[name]!(settings());
      }
    });
  }

  it('are refused when they belong to another user', async () => {
    for (const [path, kind] of [
      [pathOf('device-key.json'), 'secret'],
      [settings(), 'folder'],
    ] as const) {
      const { uid } = await stat(path);
      const failure = await filesFailure(requireOwned(path, kind, uid + 1), 'file_foreign');
      expect(failure.message).to.equal(`${path} belongs to another user (id ${uid})`);
      expect(failure.hint)
        .to.match(/^If it is yours, run: sudo chown /)
        .and.include('--config-dir');
      await requireOwned(path, kind, uid);
    }
  });

  it('are accepted without owners and modes where the system has none, but not as links', async () => {
    await chmod(pathOf('device-key.json'), 0o666);
    await chmod(settings(), 0o777);
    await symlink(pathOf('device-key.json'), pathOf('link'));
    await requireOwned(settings(), 'folder', null);
    await requireOwned(pathOf('device-key.json'), 'secret', null);
    await filesFailure(requireOwned(pathOf('link'), 'secret', null), 'file_linked');
  });

  it('are not written into a folder that is a link or can be changed by others', async () => {
    const link = join(folder(), 'link');
    await symlink(settings(), link);
    const open = join(folder(), 'open');
    await mkdir(open);
    await chmod(open, 0o777);
    for (const [place, code] of [
      [link, 'file_linked'],
      [open, 'file_shared'],
    ] as const) {
      await filesFailure(writePrivateJson(join(place, 'new.json'), {}), code);
      await filesFailure(
        withLock(join(place, 'new.lock'), async () => undefined),
        code,
      );
      await filesFailure(openDeviceKey(place, false), code);
    }
    expect(await readFile(join(open, 'new.json')).catch(() => 'none')).to.equal('none');
  });

  it('are written in place of a link, not through it', async () => {
    await writeFile(join(folder(), 'other'), 'not ours');
    await symlink(join(folder(), 'other'), pathOf('new.json'));
    await writePrivateJson(pathOf('new.json'), { written: true });
    expect(await readFile(join(folder(), 'other'), 'utf8')).to.equal('not ours');
  });
});

async function filesFailure(attempt: Promise<unknown>, code: string): Promise<CliError> {
  const failure = await failureOf(attempt);
  expect(failure).to.be.instanceOf(CliError);
  expect(failure).to.include({ exit: 'files', code });
  if (failure instanceof CliError) return failure;
  throw failure;
}

/** Runs the command that an error ends with, as a user would who copies it. */
async function runAdvice({ hint }: CliError, before: string): Promise<void> {
  const command = hint!.split(before)[1]!;
  await promisify(execFile)('sh', ['-c', command]);
}
