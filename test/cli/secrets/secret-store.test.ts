import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openSessions, type Tokens } from '../../../cli/src/auth/sessions.ts';
import type { LoadKeyring } from '../../../cli/src/secrets/secret-store.ts';
import { openDeviceKey, readDeviceKey, setKeyAside } from '../../../cli/src/signing/device-key.ts';
import { failureOf } from '../support/parsing.ts';
import { useFolder } from '../support/temporary-folder.ts';

/** How a system's keychain behaves. */
interface Behaviour {
  /** There is no Secret Service: the library's own choice would be the kernel's keyring, which the type of its options leaves out. */
  absent?: boolean;
  /** Every call fails, as behind a lock. */
  locked?: boolean;
  /** Reading works, writing does not. */
  readOnly?: boolean;
  /** Takes everything and keeps nothing. */
  forgetful?: boolean;
}

const SESSION = {
  base_url: 'http://127.0.0.1:1/api/v1',
  codename: 'test-lantern',
  issuer: 'http://127.0.0.1:1',
  resource: 'http://127.0.0.1:1/api/v1',
  token_endpoint: 'http://127.0.0.1:1/oauth/token',
  revocation_endpoint: null,
};
const TOKENS: Tokens = { access_token: 'an-access-token', expires_at: 1, refresh_token: 'a-refresh-token' };

interface MemoryKeyring {
  readonly secrets: ReadonlyMap<string, string>;
  readonly load: LoadKeyring;
}

/** The keychain in memory with the library's interface: what the system's own do cannot be had here. */
function openMemoryKeyring(behaviour: Behaviour): MemoryKeyring {
  const secrets = new Map<string, string>();
  class Entry {
    readonly #name: string;
    constructor(service: string, name: string) {
      if (behaviour.absent === true) throw new Error('No DBus session');
      this.#name = `${service}/${name}`;
    }
    getPassword(): string | null {
      if (behaviour.locked === true) throw new Error('Access to the keychain was denied');
      return secrets.get(this.#name) ?? null;
    }
    setPassword(secret: string): void {
      if (behaviour.locked === true || behaviour.readOnly === true) throw new Error('The keychain takes nothing');
      if (behaviour.forgetful !== true) secrets.set(this.#name, secret);
    }
    deletePassword(): boolean {
      return secrets.delete(this.#name);
    }
  }
  return { secrets, load: async () => ({ Entry }) };
}

describe('secrets in the keychain', () => {
  const folder = useFolder();
  const textOf = (name: string): Promise<string> => readFile(join(folder(), name), 'utf8').catch(() => '');

  it('keeps key and tokens there, and only what is public in files', async () => {
    const { secrets, load } = openMemoryKeyring({});
    const key = await openDeviceKey(folder(), true, load);
    const sessions = openSessions(folder(), true, load);
    expect(await sessions.save(SESSION, TOKENS)).to.equal("the system's keychain");
    expect(secrets.size).to.equal(2);
    expect(JSON.parse(await textOf('device-key.json'))).to.have.keys('kty', 'crv', 'x', 'keychain');
    expect(await textOf('secrets.json')).to.equal('');
    expect((await readDeviceKey(folder(), load))!.kid).to.equal(key.kid);
    const session = await sessions.find(SESSION.base_url);
    expect(await sessions.tokens(session!)).to.deep.equal(TOKENS);
    await sessions.remove(session!);
    expect(secrets.size).to.equal(1);
  });

  for (const [what, behaviour] of Object.entries({
    'is absent': { absent: true },
    'is locked': { locked: true },
    'takes nothing': { readOnly: true },
    'keeps nothing': { forgetful: true },
  })) {
    it(`keeps them in files of the owner alone where the keychain ${what}`, async () => {
      const { load } = openMemoryKeyring(behaviour);
      const key = await openDeviceKey(folder(), true, load);
      expect((await readDeviceKey(folder(), load))!.kid).to.equal(key.kid);
      const sessions = openSessions(folder(), true, load);
      expect(await sessions.save(SESSION, TOKENS)).to.equal(join(folder(), 'secrets.json'));
      expect(await sessions.tokens((await sessions.find(SESSION.base_url))!)).to.deep.equal(TOKENS);
      for (const name of ['device-key.json', 'secrets.json']) {
        expect((await stat(join(folder(), name))).mode & 0o777, name).to.equal(0o600);
      }
    });
  }

  it('does so with the real library on a machine without a session bus', async () => {
    const { DBUS_SESSION_BUS_ADDRESS: address } = process.env;
    process.env['DBUS_SESSION_BUS_ADDRESS'] = 'unix:path=/nonexistent/bus';
    try {
      await openDeviceKey(folder(), true);
      expect(await openSessions(folder(), true).save(SESSION, TOKENS)).to.equal(join(folder(), 'secrets.json'));
    } finally {
      if (address === undefined) delete process.env['DBUS_SESSION_BUS_ADDRESS'];
      else process.env['DBUS_SESSION_BUS_ADDRESS'] = address;
    }
    expect(JSON.parse(await textOf('device-key.json'))).to.have.property('d');
  });

  it('does so when the library is missing, or the keychain is off', async () => {
    const { secrets, load } = openMemoryKeyring({});
    await openSessions(folder(), true, async () => null).save(SESSION, TOKENS);
    await openSessions(folder(), false, load).save(SESSION, TOKENS);
    await openDeviceKey(folder(), false, load);
    expect(secrets.size).to.equal(0);
    expect(await textOf('secrets.json')).to.include(TOKENS.access_token);
  });

  it('leaves no tokens behind in the file when a later sign-in puts them into the keychain', async () => {
    const { secrets, load } = openMemoryKeyring({});
    await openSessions(folder(), false, load).save(SESSION, TOKENS);
    const sessions = openSessions(folder(), true, load);
    await sessions.save(SESSION, { ...TOKENS, access_token: 'a-later-token' });
    expect(await textOf('secrets.json')).to.not.include(TOKENS.refresh_token);
    await sessions.remove((await sessions.find(SESSION.base_url))!);
    expect([await textOf('secrets.json'), secrets.size]).to.deep.equal(['{}\n', 0]);
  });

  it('keeps the sign-in at one service when another one begins, is renewed or ends', async () => {
    const sessions = openSessions(folder(), false);
    const other = { ...SESSION, base_url: 'http://127.0.0.1:2/api/v1', codename: 'other-lantern' };
    await sessions.save(SESSION, TOKENS);
    await sessions.save(other, { ...TOKENS, access_token: 'another-token' });
    const first = (await sessions.find(SESSION.base_url))!;
    expect(first).to.include({ codename: 'test-lantern' });
    expect(await sessions.tokens(first)).to.deep.equal(TOKENS);
    await sessions.renew(first, async (tokens) => ({ ...tokens, access_token: 'renewed' }));
    await sessions.rename(first, 'new-lantern');
    expect(await sessions.find(SESSION.base_url)).to.include({ codename: 'new-lantern' });
    // Neither is a sign-in.
    expect(await sessions.latest()).to.include({ base_url: other.base_url });
    const second = (await sessions.find(other.base_url))!;
    expect(await sessions.tokens(second)).to.include({ access_token: 'another-token' });
    await sessions.remove(second);
    expect(await sessions.find(other.base_url)).to.equal(null);
    expect(await sessions.latest()).to.include({ base_url: SESSION.base_url });
    expect(await sessions.tokens(first)).to.include({ access_token: 'renewed' });
  });

  it('does not lose renewed tokens when the keychain was locked in the meantime', async () => {
    const behaviour: Behaviour = {};
    const sessions = openSessions(folder(), true, openMemoryKeyring(behaviour).load);
    await sessions.save(SESSION, TOKENS);
    const renewed = { ...TOKENS, refresh_token: 'the-next-one' };
    const session = (await sessions.find(SESSION.base_url))!;
    await sessions.renew(session, async () => {
      behaviour.readOnly = true;
      return renewed;
    });
    expect(await sessions.tokens(session)).to.deep.equal(renewed);
    expect(await sessions.tokens((await sessions.find(SESSION.base_url))!)).to.deep.equal(renewed);
  });

  it('reports a key that the keychain does not return, and the command that replaces it', async () => {
    const behaviour: Behaviour = {};
    const { load } = openMemoryKeyring(behaviour);
    const { kid } = await openDeviceKey(folder(), true, load);
    behaviour.locked = true;
    expect(await readDeviceKey(folder(), load)).to.include({ kid, privateKey: null });
    const failure = await failureOf(openDeviceKey(folder(), true, load));
    expect(failure).to.include({ exit: 'files', code: 'key_unavailable' });
    expect(failure)
      .to.have.property('hint')
      .that.includes('unlock it')
      .and.includes(`upsilon devices revoke ${kid.startsWith('-') ? '-- ' : ''}${kid}\n`);
    await setKeyAside((await readDeviceKey(folder(), load))!);
    expect((await openDeviceKey(folder(), true, load)).kid).not.to.equal(kid);
  });
});
