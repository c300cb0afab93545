import { execFile, spawnSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { defineService } from '../../../cli/src/service/definitions.ts';
import type { ServicePlan } from '../../../cli/src/service/plan.ts';
import { leaveOut, type Tool } from '../../support/leave-out.ts';
import { LINUX } from '../support/scan-source.ts';
import { useFolder } from '../support/temporary-folder.ts';

const ODD = `it's "odd" & <very> %h $HOME \\ ü`;

const execute = promisify(execFile);

function isMissing(program: Tool): boolean {
  return spawnSync(program, ['--version']).error !== undefined;
}

describe('the files of background services', () => {
  const folder = useFolder();

  /** Writes what a system would be given, with odd words and variables. */
  async function write(os: NodeJS.Platform): Promise<readonly string[]> {
    const program = join(folder(), 'node');
    await writeFile(program, '#!/bin/sh\n');
    await chmod(program, 0o755);
    const plan: ServicePlan = {
      id: 'upsilon-work',
      about: 'Submits token counts to board.example',
      command: [program, join(folder(), ODD, 'main.js'), 'service', 'run'],
      variables: new Map([['CLAUDE_CONFIG_DIR', ODD]]),
      second: 1_057,
      configDir: folder(),
    };
    const files = defineService(plan, { ...LINUX, os, home: folder() })?.files ?? [];
    for (const { path, content } of files) await writeFile(join(folder(), basename(path)), content);
    return files.map(({ path }) => join(folder(), basename(path)));
  }

  if (isMissing('systemd-analyze')) leaveOut('systemd-analyze', 'there is no systemd-analyze on this machine');
  else {
    it('are good for systemd', async () => {
      const files = await write('linux');
      expect(files).to.have.length(2);
      const env = { ...process.env, XDG_RUNTIME_DIR: folder(), SYSTEMD_LOG_LEVEL: 'warning' };
      const { stdout, stderr } = await execute('systemd-analyze', ['--user', 'verify', ...files], { env });
      expect(stdout + stderr).to.equal('');
      const { stdout: calendar } = await execute('systemd-analyze', ['calendar', '*-*-* *:17:37']);
      expect(calendar).to.include('Normalized form: *-*-* *:17:37');
    });
  }

  if (isMissing('plistutil')) leaveOut('plistutil', 'there is no plistutil on this machine');
  else {
    it('are good property lists', async () => {
      const [file = ''] = await write('darwin');
      const binary = join(folder(), 'binary.plist');
      await execute('plistutil', ['-i', file, '-o', binary, '-f', 'bin']);
      const { stdout } = await execute('plistutil', ['-i', binary, '-f', 'xml']);
      const parts = stdout.replaceAll(/>\s+</g, '><');
      const odd = ODD.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
      expect(parts).to.include('<key>Label</key><string>upsilon-work</string>');
      expect(parts).to.include('<key>StartCalendarInterval</key><dict><key>Minute</key><integer>17</integer></dict>');
      expect(parts).to.include(`<key>CLAUDE_CONFIG_DIR</key><string>${odd}</string>`);
      expect(parts).to.include(`<string>${join(folder(), odd, 'main.js')}</string><string>service</string>`);
    });
  }

  if (isMissing('xmllint')) leaveOut('xmllint', 'there is no xmllint on this machine');
  else {
    it('are well-formed XML', async () => {
      const [plist = ''] = await write('darwin');
      await execute('xmllint', ['--noout', '--nonet', plist]);
      const [task = ''] = await write('win32');
      const path = "string(//*[local-name()='Arguments'])";
      const { stdout } = await execute('xmllint', ['--nonet', '--xpath', path, task]);
      expect(stdout).to.include('--headless').and.include('<very>');
    });
  }
});
