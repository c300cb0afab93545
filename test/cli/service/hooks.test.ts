import { readFileSync } from 'node:fs';
import { chmod, lstat, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { changeHooks, planHooks, shellLine } from '../../../cli/src/service/hooks.ts';
import { withSyncs } from '../../support/with-syncs.ts';
import { failureOf } from '../support/parsing.ts';
import { LINUX, withVariables } from '../support/scan-source.ts';
import { useFolder } from '../support/temporary-folder.ts';

const HOOK = { mark: 'service run --base-url https://board.example/api/v1', command: '' };
HOOK.command = `/usr/bin/node '/opt/a b/main.js' ${HOOK.mark} --detach`;

describe('hooks of other tools', () => {
  const folder = useFolder();
  const env = () => ({ ...LINUX, home: folder() });
  const file = () => join(folder(), '.claude', 'settings.json');

  async function change(platforms: readonly string[], hook = HOOK): Promise<readonly string[]> {
    const changes = await planHooks(hook, platforms, env());
    for (const each of changes) await changeHooks(each);
    return changes.map(({ path }) => path);
  }

  async function write(settings: unknown): Promise<void> {
    await mkdir(join(folder(), '.claude'), { recursive: true });
    await writeFile(file(), typeof settings === 'string' ? settings : JSON.stringify(settings, null, 4));
  }

  const read = async (): Promise<unknown> => JSON.parse(await readFile(file(), 'utf8'));

  it('are added beside those of others, once, and removed without a trace', async () => {
    const other = { matcher: 'clear', hooks: [{ type: 'command', command: 'say goodbye' }] };
    const settings = { model: 'opus', hooks: { Stop: [other], SessionEnd: [other] }, env: { A: 'b' } };
    await write(settings);
    expect(await change(['claude-code'])).to.deep.equal([file()]);
    const added = { hooks: [{ type: 'command', command: HOOK.command }] };
    expect(await read()).to.deep.equal({ ...settings, hooks: { Stop: [other], SessionEnd: [other, added] } });
    expect(await readFile(file(), 'utf8')).to.match(/^\{\n {4}"model"/);
    expect(await change(['claude-code'])).to.deep.equal([]);
    const moved = { ...HOOK, command: HOOK.command.replace('/opt/a b', '/opt/c') };
    expect(await change(['claude-code'], moved)).to.deep.equal([file()]);
    expect(JSON.stringify(await read()))
      .to.include('/opt/c')
      .and.not.include('/opt/a b');
    expect(await change([], { ...HOOK, mark: HOOK.mark.replace('board', 'other') })).to.deep.equal([]);
    expect(await change([])).to.deep.equal([file()]);
    expect(await read()).to.deep.equal(settings);
    expect(await change([])).to.deep.equal([]);
  });

  it('are on disk before they replace the settings: a power cut leaves one of the two', async () => {
    await write({ model: 'opus' });
    const atSyncs: string[] = [];
    await withSyncs(
      () => void atSyncs.push(readFileSync(file(), 'utf8')),
      () => change(['claude-code']),
    );
    expect(atSyncs.map((text) => JSON.parse(text))).to.deep.equal([{ model: 'opus' }]);
  });

  it('leave any settings as they were, after they were added and removed', () =>
    fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.option(
          fc.dictionary(
            fc.constantFrom('Stop', 'SessionEnd', 'SessionStart'),
            fc.array(
              fc.oneof(
                fc.record({ hooks: fc.array(fc.record({ command: fc.string() }), { minLength: 1 }) }),
                fc.jsonValue(),
              ),
              { minLength: 1 },
            ),
            { minKeys: 1 },
          ),
          { nil: undefined },
        ),
        async (members, hooks) => {
          // As a parser reads them: without a prototype, and -0 as 0.
          const settings: unknown = JSON.parse(JSON.stringify({ ...members, hooks }));
          await write(settings);
          await change(['claude-code']);
          expect(JSON.stringify(await read())).to.include(JSON.stringify(HOOK.command));
          await change([]);
          expect(await read()).to.deep.equal(settings);
        },
      ),
      { numRuns: 100 },
    ));

  it('refuse settings of which something would be lost, and leave them as they are', async () => {
    for (const settings of [
      '{"hooks": []}',
      '{"hooks": "x"}',
      '{"hooks": {"SessionEnd": {"matcher": "x"}}}',
      '{"id": 12345678901234567890}',
      '{"a": 1, "a": 2}',
      '{"a": 1,}',
      '\uFEFF{}',
      '[]',
      'null',
    ]) {
      await write(settings);
      const failure = await failureOf(planHooks(HOOK, ['claude-code'], env()));
      expect(failure, settings).to.include({ exit: 'files', code: 'hook_unwritable' });
      expect(await readFile(file(), 'utf8')).to.equal(settings);
    }
    await write('{ "text": "\\u00e9 \\" {", "b": [1, -2.5, true], "a": "é" }');
    expect(await change(['claude-code'])).to.deep.equal([file()]);
  });

  it('keep groups that are empty, and the order of members', async () => {
    const settings = { hooks: { SessionEnd: [{ hooks: [] }, { matcher: '*' }], Stop: [1] }, model: 'opus' };
    await write(settings);
    await change(['claude-code']);
    await change([]);
    expect(await readFile(file(), 'utf8')).to.equal(`${JSON.stringify(settings, null, 4)}\n`);
  });

  it('refuse a file that changed after its change was planned, and a tool without a folder', async () => {
    await write({ model: 'opus' });
    const [planned] = await planHooks(HOOK, ['claude-code'], env());
    await write({ model: 'sonnet' });
    expect(await failureOf(changeHooks(planned!))).to.include({ code: 'hook_unwritable' });
    expect(await read()).to.deep.equal({ model: 'sonnet' });
    const failure = await failureOf(planHooks(HOOK, ['gemini-cli'], env()));
    expect(failure.message).to.equal(
      `gemini-cli has no settings here: there is no folder ${join(folder(), '.gemini')}`,
    );
  });

  it('begin a file that does not exist, and are only where they were asked for', async () => {
    await mkdir(join(folder(), '.gemini'));
    const gemini = join(folder(), '.gemini', 'settings.json');
    expect(await change(['gemini-cli'])).to.deep.equal([gemini]);
    expect((await stat(gemini)).mode & 0o777).to.equal(0o600);
    expect(await stat(file()).catch(() => null)).to.equal(null);
    expect(await change([])).to.deep.equal([gemini]);
    const moved = withVariables(env(), { CLAUDE_CONFIG_DIR: folder() });
    expect((await planHooks(HOOK, ['claude-code'], moved)).map(({ path }) => path)).to.deep.equal([
      join(folder(), 'settings.json'),
    ]);
  });

  it('refuse a file with comments, and show what to add', async () => {
    await write('{\n  // mine\n  "model": "opus"\n}\n');
    const failure = await failureOf(planHooks(HOOK, ['claude-code'], env()));
    expect(failure).to.include({ exit: 'files', code: 'hook_unwritable' });
    expect(Reflect.get(failure, 'hint')).to.include(HOOK.command);
    expect(await planHooks(HOOK, [], env())).to.deep.equal([]);
  });

  it('go where a link leads, and keep the mode', async () => {
    await mkdir(join(folder(), '.claude'));
    const real = join(folder(), 'dotfiles.json');
    await writeFile(real, '{}', { mode: 0o600 });
    await chmod(real, 0o664);
    await symlink(real, file());
    await change(['claude-code']);
    expect((await lstat(file())).isSymbolicLink()).to.equal(true);
    expect((await stat(real)).mode & 0o777).to.equal(0o664);
    expect(await readFile(real, 'utf8')).to.include(HOOK.mark);
  });

  it('quote what a shell would read otherwise', () => {
    const words = ['/usr/bin/node', "it's", 'a b', '$HOME', 'https://board.example/api/v1'];
    expect(shellLine(words, 'linux')).to.equal(`/usr/bin/node 'it'\\''s' 'a b' '$HOME' https://board.example/api/v1`);
    expect(shellLine(['C:\\a b\\node.exe', 'run'], 'win32')).to.equal('"C:\\a b\\node.exe" run');
  });
});
