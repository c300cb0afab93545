import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { sourcesOf } from '../../../../cli/src/sources/registry.ts';
import { writeLog } from '../../support/log-lines.ts';
import { scanSource } from '../../support/scan-source.ts';
import { emptyStore } from '../../support/stores.ts';
import { useFolder } from '../../support/temporary-folder.ts';

const FIXTURES = fileURLToPath(new URL('../../../fixtures/', import.meta.url));
const USAGE = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };

/** Logs that name the folder that the tool worked in, and where they name it. */
const LOGS: ReadonlyArray<readonly [platform: string, path: string, lines: readonly object[], project: string]> = [
  [
    'amp',
    'threads/T-1.json',
    [
      {
        id: 'T-1',
        env: { initial: { trees: [{ displayName: 'atlas', uri: 'file:///srv/the%20atlas' }] } },
        messages: [{ role: 'assistant', messageId: 1, usage: { inputTokens: 1, outputTokens: 2 } }],
      },
    ],
    '/srv/the atlas',
  ],
  [
    'amp',
    'threads/T-1.json',
    [
      {
        id: 'T-1',
        env: { initial: { trees: [{ displayName: 'atlas', uri: 'vscode-remote://far/srv/%' }] } },
        usageLedger: { events: [{ id: 'e', tokens: { input: 1, output: 2 } }] },
      },
    ],
    'vscode-remote://far/srv/%',
  ],
  [
    'copilot-cli',
    'session-state/s1/events.jsonl',
    [
      { type: 'session.start', id: 'e0', data: { context: { cwd: '/srv/atlas/api', gitRoot: '/srv/atlas' } } },
      {
        type: 'session.shutdown',
        id: 'e1',
        data: { modelMetrics: { m: { usage: { inputTokens: 1, outputTokens: 2 } } } },
      },
    ],
    '/srv/atlas',
  ],
  ['droid', 'sessions/-srv-atlas/d.settings.json', [{ tokenUsage: { inputTokens: 1, outputTokens: 2 } }], '-srv-atlas'],
  [
    'grok-cli',
    'sessions/%2Fsrv%2Fthe%20atlas/s1/updates.jsonl',
    [
      {
        timestamp: 1785751200,
        params: {
          update: { sessionUpdate: 'turn_completed', prompt_id: 'p', usage: { inputTokens: 1, outputTokens: 2 } },
        },
      },
    ],
    '/srv/the atlas',
  ],
  [
    'openclaw',
    'agents/main/sessions/s1.jsonl',
    [
      { type: 'session', id: 's1', cwd: '/srv/atlas' },
      { type: 'message', id: 'a', timestamp: '2026-05-01T10:00:00Z', message: { role: 'assistant', usage: USAGE } },
    ],
    '/srv/atlas',
  ],
];

describe('the project of usage', () => {
  const folder = useFolder();

  for (const [platform, path, lines, project] of LOGS) {
    it(`is what the log names: ${platform}, ${project}`, async () => {
      await writeLog(
        folder(),
        path,
        lines.map((line) => JSON.stringify(line)),
      );
      const store = await emptyStore();
      const [source] = sourcesOf([platform]);
      expect(await scanSource(source!, [folder()], store)).to.include({ messages: 1 });
      const used = store.buckets().map(({ origin }) => origin.project);
      expect(used).to.deep.equal([project]);
    });
  }

  for (const platform of ['devin', 'zed']) {
    it(`is what the database names: ${platform}`, async () => {
      const store = await emptyStore();
      await scanSource(sourcesOf([platform])[0]!, [join(FIXTURES, platform)], store);
      expect(new Set(store.buckets().map(({ origin }) => origin.project))).to.deep.equal(new Set(['/srv/atlas']));
    });
  }
});
