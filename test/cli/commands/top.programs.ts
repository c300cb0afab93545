import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { leaveOut } from '../../support/leave-out.ts';
import { builtCli } from '../support/built-cli.ts';
import { assistantLine, writeLog } from '../support/log-lines.ts';
import { useFolder } from '../support/temporary-folder.ts';

const LEFT = '\u001b[?25h\u001b[?1049l';

const opened: ChildProcess[] = [];

/** `top` in a terminal of 120 columns and 24 rows. */
async function openTop(home: string) {
  const settings = (when: string) => `stty -g > '${join(home, when)}'`;
  const top = `'${process.execPath}' '${await builtCli()}' top --interval 1`;
  const script = [
    'stty rows 24 cols 120',
    settings('before'),
    `sh -c 'echo $$ > pid; tty > tty; exec "$@"' sh ${top}`,
    'echo "ended $?"',
    settings('after'),
  ].join('\n');
  const child = spawn('script', ['-qfc', script, '/dev/null'], {
    cwd: home,
    env: { PATH: process.env['PATH'], SHELL: '/bin/sh', HOME: home, UPSILON_KEYCHAIN: 'off', TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  opened.push(child);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return {
    press: (key: string) => child.stdin.write(key),
    resize: async (columns: number, rows: number) => {
      const tty = (await readFile(join(home, 'tty'), 'utf8')).trim();
      execFileSync('stty', ['-F', tty, 'cols', `${columns}`, 'rows', `${rows}`]);
    },
    terminate: async () => process.kill(Number(await readFile(join(home, 'pid'), 'utf8')), 'SIGTERM'),
    /** Waits until the last complete drawing contains a text. Returns its lines, without colours. */
    async drawn(text: string): Promise<readonly string[]> {
      for (;;) {
        const [last = ''] = output
          .split('\u001b[H')
          .filter((each) => each.includes('\u001b[J'))
          .slice(-1);
        // oxlint-disable-next-line no-control-regex -- the escape character is what starts a colour
        const lines = last.replace(/\u001b\[[\d?]*[A-Za-z]/g, '').split('\r\n');
        if (lines.some((line) => line.includes(text))) return lines;
        await Promise.race([once(child.stdout, 'data'), ended.then(() => Promise.reject(new Error(output)))]);
      }
    },
    /** What follows the last drawing, and the settings of the terminal before and after. */
    async end() {
      await ended;
      const [before, after] = await Promise.all(['before', 'after'].map((when) => readFile(join(home, when), 'utf8')));
      return { rest: output.slice(output.lastIndexOf('\u001b[J') + 3), before, after };
    },
  };
}

describe('top in a terminal', () => {
  const home = useFolder();

  beforeEach(async () => {
    const lines = Array.from({ length: 30 }, (_, day) => assistantLine({ id: `${day}`, request: 'r' }));
    const dated = lines.map((line, day) => line.replace('05-01', `05-${`${day + 1}`.padStart(2, '0')}`));
    await writeLog(home(), '.claude/projects/-srv-atlas/one.jsonl', dated);
  });

  afterEach(() => {
    for (const child of opened.splice(0)) child.kill();
  });

  if (spawnSync('script', ['--version']).error !== undefined || process.platform !== 'linux') {
    leaveOut('script', 'there is no script of util-linux on this machine');
    return;
  }

  it('obeys keys, shows new usage, and fits the terminal when its size changes', async () => {
    const top = await openTop(home());
    expect(await top.drawn('q quit')).to.have.length.at.most(24);
    top.press('t');
    expect((await top.drawn('05-30 10:00'))[2]).to.match(/^Used +Session/);
    // Two keys at once, and a sequence in two parts.
    top.press('wd');
    expect((await top.drawn('rows 1 to 17 of 30'))[3]).to.match(/^2026-05-30 /);
    top.press('o');
    expect((await top.drawn('Model'))[3]).to.include('claude-sonnet-4-5');
    top.press('\u001b[');
    top.press('B');
    expect((await top.drawn('rows 2 to 18 of 30'))[3]).to.match(/^2026-05-29 /);
    await top.resize(60, 12);
    const small = await top.drawn('rows 2 to 6 of 30');
    expect(small).to.have.length(12);
    expect(Math.max(...small.map((line) => line.length))).to.be.at.most(60);
    await writeLog(home(), '.claude/projects/-srv-atlas/two.jsonl', [
      assistantLine({ id: 'new', request: 'r' }).replace('05-01', '06-01'),
    ]);
    await top.drawn('rows 2 to 6 of 31');
    top.press(' ');
    await top.drawn('paused');
    top.press('q');
    await top.end();
  });

  for (const [how, stop] of [
    ['q', (top: Awaited<ReturnType<typeof openTop>>) => top.press('q')],
    ['Ctrl-C', (top: Awaited<ReturnType<typeof openTop>>) => top.press('\u0003')],
    ['SIGTERM', (top: Awaited<ReturnType<typeof openTop>>) => top.terminate()],
  ] as const) {
    it(`leaves the terminal as it was after ${how}`, async () => {
      const top = await openTop(home());
      await top.drawn('q quit');
      await stop(top);
      const { rest, before, after } = await top.end();
      expect(rest).to.equal(`${LEFT}ended 0\r\n`);
      expect(after).to.equal(before).and.not.to.equal('');
    });
  }
});
