import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import sqlite from 'node-sqlite3-wasm';
import { opencode } from '../../../../cli/src/sources/opencode.ts';
import type { UsageStore } from '../../../../cli/src/store/usage-store.ts';
import { LINUX, scanSource, withVariables } from '../../support/scan-source.ts';
import { useFolder } from '../../support/temporary-folder.ts';

const ONCE = { input: 10, output: 120, cache_read: 5000, cache_write: 300 };

/** A message in OpenCode's form: 10 input, 100 + 20 output, 5000 read, 300 written. */
function message(id: string | null, created: number, more: object = {}): string {
  return JSON.stringify({
    ...(id === null ? {} : { id }),
    modelID: 'claude-sonnet-4-5',
    providerID: 'anthropic',
    time: { created, completed: created + 5 },
    tokens: { input: 10, output: 100, reasoning: 20, cache: { read: 5000, write: 300 } },
    ...more,
  });
}

describe('the database of OpenCode', () => {
  const folder = useFolder();

  /** Makes a database as another program that has it open leaves it: some of it in the write-ahead log alone. */
  const makeDatabase = async (name: string, fill: (run: (sql: string, ...values: string[]) => void) => void) => {
    const made = join(folder(), 'made.db');
    const database = new sqlite.Database(made);
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL');
    database.exec('CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, data TEXT)');
    database.exec('CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, data TEXT)');
    fill((sql, ...values) => void database.run(sql, values));
    await mkdir(join(folder(), 'data'), { recursive: true });
    await copyFile(made, join(folder(), 'data', name));
    await copyFile(`${made}-wal`, join(folder(), 'data', `${name}-wal`));
    database.close();
    await rm(made);
  };
  const scan = (store?: UsageStore) => scanSource(opencode, [join(folder(), 'data')], store);

  /** Scans with a folder for temporary files that no other process uses. */
  async function scanIn(temporary: string): ReturnType<typeof scan> {
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = temporary;
    try {
      return await scan();
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
  }

  it('is read in both schemas, including its write-ahead log, and not changed', async () => {
    const copies = join(folder(), 'copies');
    await mkdir(copies);
    await makeDatabase('opencode.db', (run) => {
      const data = 'INSERT INTO message VALUES (?, ?, ?)';
      run(data, 'msg_1', 'ses_1', message('msg_1', 1_777_629_600_000, { role: 'assistant' }));
      run(data, 'msg_u', 'ses_1', message('msg_u', 1_777_629_600_000, { role: 'user' }));
      run(data, 'msg_x', 'ses_1', 'no JSON');
      const second = 'INSERT INTO session_message VALUES (?, ?, ?, ?)';
      run(second, 'msg_2', 'ses_2', 'assistant', message(null, 1_777_629_700_000));
      run(second, 'msg_3', 'ses_2', 'user', message(null, 1_777_629_800_000));
      run(second, 'msg_4', 'ses_2', 'compaction', message(null, 1_777_629_900_000));
      run(second, 'msg_5', 'ses_2', 'oracle', message(null, 1_777_630_000_000));
      run(second, 'msg_6', 'ses_2', 'oracle', 'a text');
    });
    expect((await stat(join(folder(), 'data', 'opencode.db-wal'))).size).to.be.greaterThan(0);
    const { totals, messages, skipped } = await scanIn(copies);
    expect(totals).to.deep.equal({ input: 40, output: 480, cache_read: 20_000, cache_write: 1_200 });
    expect(messages).to.equal(4);
    expect(skipped).to.include({ not_json: 1, unknown_type: 1 });
    expect((await readdir(join(folder(), 'data'))).sort()).to.deep.equal(['opencode.db', 'opencode.db-wal']);
    expect(await readdir(copies), 'copies that were left').to.deep.equal([]);
  });

  it('counts a message once, also in a backup, a fork and the older files', async () => {
    const insert = 'INSERT INTO message VALUES (?, ?, ?)';
    await makeDatabase('opencode.db', (run) => {
      run(insert, 'msg_1', 'ses_1', message('msg_1', 1_777_629_600_000, { role: 'assistant' }));
      run(insert, 'msg_9', 'ses_9', message('msg_9', 1_777_629_600_000, { role: 'assistant' }));
    });
    await copyFile(join(folder(), 'data', 'opencode.db'), join(folder(), 'data', 'opencode-backup.db'));
    await copyFile(join(folder(), 'data', 'opencode.db-wal'), join(folder(), 'data', 'opencode-backup.db-wal'));
    const old = join(folder(), 'data', 'storage', 'message', 'ses_1');
    await mkdir(old, { recursive: true });
    await writeFile(join(old, 'msg_1.json'), message('msg_1', 1_777_629_600_000, { role: 'assistant' }));
    const { totals, messages } = await scan();
    expect(totals).to.deep.equal(ONCE);
    expect(messages).to.equal(1);
  });

  it('is read where OPENCODE_DB names it, and for a channel', async () => {
    for (const name of ['opencode-beta.db', 'elsewhere.sqlite3']) {
      await makeDatabase(name, (run) => {
        const data = message(`msg_${name}`, name.length * 1e9, { role: 'assistant' });
        run('INSERT INTO message VALUES (?, ?, ?)', `msg_${name}`, 'ses_1', data);
      });
    }
    const data = join(folder(), 'data');
    expect((await scan()).totals).to.deep.equal(ONCE);
    const variables = { OPENCODE_DATA_DIR: data, OPENCODE_DB: 'elsewhere.sqlite3' };
    const named = await scanSource(opencode, opencode.places(withVariables(LINUX, variables)));
    expect(named).to.include({ messages: 2, files: 2 });
  });

  // Later versions of Node read databases in place.
  if (process.getBuiltinModule('node:sqlite') === undefined) {
    it('leaves no copy behind when its reader was killed, after the next one', async () => {
      const copies = join(folder(), 'copies');
      const { pid: dead } = spawnSync(process.execPath, ['--version']);
      const running = `upsilon-copy-${process.pid}-AAAAAA`;
      for (const name of [`upsilon-copy-${dead}-BBBBBB`, running, 'upsilon-copy-of-mine']) {
        await mkdir(join(copies, name), { recursive: true });
        await writeFile(join(copies, name, 'copy.db'), 'prompts');
      }
      await makeDatabase('opencode.db', () => undefined);
      await scanIn(copies);
      expect((await readdir(copies)).sort()).to.deep.equal([running, 'upsilon-copy-of-mine'].sort());
    });
  }

  it('is read in pages', async () => {
    await makeDatabase('opencode.db', (run) => {
      run('BEGIN');
      for (let index = 0; index < 1_203; index += 1) {
        const data = message(`msg_${index}`, 1_777_629_600_000 + index, { role: 'assistant' });
        run('INSERT INTO message VALUES (?, ?, ?)', `msg_${index}`, 'ses_1', data);
      }
      run('COMMIT');
    });
    expect(await scan()).to.include({ messages: 1_203 });
  });

  it('is named when none of its tables is known, unless it has none yet', async () => {
    await mkdir(join(folder(), 'data'));
    for (const [name, sql] of [
      ['opencode.db', 'CREATE TABLE message_v9 (id TEXT)'],
      ['opencode-new.db', 'VACUUM'],
    ] as const) {
      const database = new sqlite.Database(join(folder(), 'data', name));
      database.exec(sql);
      database.close();
    }
    const { unreadable } = await scan();
    expect(unreadable).to.deep.equal([{ path: join(folder(), 'data', 'opencode.db'), reason: 'NEWER_FORMAT' }]);
  });

  it('is reported as unreadable when it is not a database', async () => {
    await mkdir(join(folder(), 'data'), { recursive: true });
    await writeFile(join(folder(), 'data', 'opencode.db'), 'this is no database at all, whatever its name says');
    const { unreadable, messages } = await scan();
    expect(messages).to.equal(0);
    expect(unreadable).to.have.length(1);
  });
});
