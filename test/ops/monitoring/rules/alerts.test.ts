import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { leaveOut } from '../../../support/leave-out.ts';
import { MONITORING, PROMTOOL, runTool } from '../tools.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const RUNBOOKS = join(ROOT, 'ops/docs/runbooks');

const filesIn = (folder: string): string[] => readdirSync(folder).map((name) => join(folder, name));
const textOf = (files: readonly string[]): string => files.map((file) => readFileSync(file, 'utf8')).join('\n');
const all = (pattern: RegExp, text: string): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found);

const TESTS = filesIn(fileURLToPath(new URL('.', import.meta.url))).filter((file) => file.endsWith('.yml'));
const RULES = filesIn(join(MONITORING, 'rules'));
const alerts = all(/^ *- alert: (\w+)$/gm, textOf(RULES));

describe('alert rules', () => {
  it('have unique names', () => {
    expect(alerts).to.not.be.empty;
    expect(new Set(alerts).size).to.equal(alerts.length);
    for (const alert of alerts) expect(alert).to.match(/^Upsilon[A-Z]/);
  });

  it('have a severity that selects the recipient', () => {
    const severities = all(/severity: (\w+)/g, textOf(RULES));
    expect(severities).to.have.length(alerts.length);
    expect([...new Set(severities)].sort()).to.deep.equal(['page', 'ticket', 'watchdog']);
  });

  it('have a runbook each, which starts with their name', () => {
    const books = all(/runbook_url: (\S+)/g, textOf(RULES));
    expect(books).to.have.length(alerts.length);
    const heads = books.map((book) => readFileSync(join(ROOT, book), 'utf8').split('\n')[0]);
    expect(heads).to.deep.equal(alerts.map((alert) => `# ${alert}`));
  });

  it('are each covered by a test that makes them fire', () => {
    const fired = all(/alertname: (\w+)\n *exp_alerts:\n/g, textOf(TESTS));
    expect([...new Set(fired)].sort()).to.deep.equal(alerts.toSorted());
  });

  it('read metrics that exist', () => {
    const table = readFileSync(join(ROOT, 'ops/docs/METRICS.md'), 'utf8');
    const used = all(/\b(upsilon_\w+?)(?:_bucket|_sum|_count)?\b(?=[{)\s[])/g, textOf(RULES));
    for (const name of new Set(used)) expect(table, name).to.include(`| \`${name}\` |`);
  });
});

describe('runbooks', () => {
  it('link to pages that exist', () => {
    for (const file of filesIn(RUNBOOKS)) {
      for (const link of all(/\]\(([^)#:]+)\)/g, readFileSync(file, 'utf8'))) {
        expect(filesIn(RUNBOOKS), `${file}: ${link}`).to.include(join(RUNBOOKS, link));
      }
    }
  });
});

describe('alert rules under promtool', () => {
  if (PROMTOOL === null) {
    leaveOut('promtool', 'promtool is not installed');
    return;
  }
  const promtool = PROMTOOL;

  it('are valid', async () => {
    const rules = await runTool(promtool, ['check', 'rules', ...RULES]);
    expect(rules.status, rules.printed).to.equal(0);
    const config = await runTool(promtool, ['check', 'config', join(MONITORING, 'prometheus.yml')]);
    expect(config.status, config.printed).to.equal(0);
  });

  it('fire for their condition and clear', async () => {
    const { status, printed } = await runTool(promtool, ['test', 'rules', ...TESTS]);
    expect(status, printed).to.equal(0);
  });
});
