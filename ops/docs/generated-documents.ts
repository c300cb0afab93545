import { readdirSync, readFileSync } from 'node:fs';
import { Registry } from 'prom-client';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import { ENV } from '../../config/env.ts';
import { EVIDENCE_DELAY_WORDS } from '../../engine/integrity/cases/index.ts';
import { RULES } from '../../engine/integrity/index.ts';
import * as telemetry from '../runtime/telemetry/index.ts';

const DOCS = new URL('./', import.meta.url);
const ALERT_RULES = new URL('../monitoring/rules/', import.meta.url);

/** Metrics by the name of their table, and the processes that expose them. */
const METRICS: Readonly<Record<string, ReadonlyArray<readonly [processes: string, (registry: Registry) => unknown]>>> =
  {
    release: [['api, worker', telemetry.createBuildMetric]],
    requests: [['api', telemetry.createHttpMetrics]],
    snapshots: [['api, worker', telemetry.createIngestMetrics]],
    queues: [
      ['api, worker', telemetry.createQueueMetrics],
      ['worker', (registry) => telemetry.createScheduleMetrics(registry, 0)],
    ],
    purchases: [['api, worker', telemetry.createPurchaseMetrics]],
    subscriptions: [
      ['api, worker', (registry) => telemetry.createBillingMetrics(registry, Date.now, { warn: () => undefined })],
    ],
    stores: [['api, worker', telemetry.createStoreMetrics]],
    mails: [['api, worker', telemetry.createMailMetric]],
    board: [
      ['worker', telemetry.createBoardMetrics],
      ['api', (registry) => telemetry.createBoardViewMetrics(registry, Date.now)],
    ],
    methodology: [['worker', telemetry.createRerankMetrics]],
    integrity: [['worker', (registry) => telemetry.createIntegrityMetrics(registry, Date.now)]],
  };

/** Every metric of the service, without those of every Node process. */
export function documentedMetrics() {
  return Object.entries(METRICS).flatMap(([table, groups]) =>
    groups.flatMap(([processes, create]) => {
      const registry = new Registry();
      create(registry);
      return registry.getMetricsAsArray().map((metric) => {
        const { name, help, type, labelNames: labels } = Definition.parse(metric);
        return { table, name, type, labels, processes, help };
      });
    }),
  );
}

/** The members of prom-client's metrics, which its types omit. */
const Definition = z.object({ name: z.string(), help: z.string(), type: z.string(), labelNames: z.array(z.string()) });

const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          record: z.string().optional(),
          alert: z.string().optional(),
          expr: z.string(),
          annotations: z.object({ runbook_url: z.string() }).optional(),
        }),
      ),
    }),
  ),
});

const read = (name: string): string => readFileSync(new URL(name, DOCS), 'utf8');
const readRules = (file: string): string => readFileSync(new URL(file, ALERT_RULES), 'utf8');

/** Links to the runbooks of the alerts that use a metric, also by a recorded series. */
function alertLinks(): (metric: string) => string {
  const rules = readdirSync(ALERT_RULES).flatMap((file) =>
    Rules.parse(parse(readRules(file))).groups.flatMap((group) => group.rules),
  );
  const usersOf = (series: string): typeof rules => {
    const uses = new RegExp(`(?<![\\w:])${series}(_bucket|_sum|_count)?(?![\\w:])`);
    return rules
      .filter(({ expr }) => uses.test(expr))
      .flatMap((rule) => (rule.record === undefined ? rule : usersOf(rule.record)));
  };
  return (metric) => {
    const alerts = usersOf(metric).map(({ alert, annotations }) => {
      const runbook = annotations?.runbook_url.replace('ops/docs/', '') ?? '';
      return `[${alert?.replace(/^Upsilon/, '')}](${runbook})`;
    });
    return [...new Set(alerts)].join(', ');
  };
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), `|${'---|'.repeat(head.length)}`, ...rows.map(row)].join('\n');

function metricsTables(): Record<string, string> {
  const linksOf = alertLinks();
  const metrics = documentedMetrics();
  const tableOf = (of: string): string =>
    table(
      ['metric', 'type', 'labels', 'in', 'meaning', 'alerts'],
      metrics
        .filter((metric) => metric.table === of)
        .map(({ name, type, labels, processes, help }) => {
          return [`\`${name}\``, type, labels.join(', '), processes, help, linksOf(name)];
        }),
    );
  return Object.fromEntries(Object.keys(METRICS).map((name) => [name, tableOf(name)]));
}

/** Settings without a description share the row of those before them. */
function settingsTable(): string {
  const rows: { names: string[]; defaults: string[]; meaning: string }[] = [];
  for (const [name, schema] of Object.entries(ENV.shape)) {
    if (schema.description !== undefined) rows.push({ names: [], defaults: [], meaning: schema.description });
    rows.at(-1)?.names.push(`\`${name}\``);
    rows.at(-1)?.defaults.push(defaultOf(schema));
  }
  return table(
    ['variable', 'default', 'meaning'],
    rows.map(({ names, defaults, meaning }) => {
      const known = defaults.flatMap((value, index) => {
        if (value === '') return [];
        return defaults.includes('') && names.length > 1 ? `${names[index]}: ${value}` : value;
      });
      return [names.join(', '), known.join(', ') || 'none', meaning];
    }),
  );
}

function defaultOf(schema: z.ZodType): string {
  const value = schema.safeParse(undefined).data;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'string' || typeof value === 'number' ? `\`${value}\`` : '';
}

/** The findings, and when evidence is public. */
function methodologyTables(): Record<string, string> {
  return {
    findings: table(
      ['finding', 'effect', 'meaning'],
      RULES.map(({ name, severity, sentence }) => [`\`${name}\``, severity, sentence]),
    ),
    evidence: `The page is public ${EVIDENCE_DELAY_WORDS} after the case was opened, at once for exclusions.`,
  };
}

/** The rules as the object that the operator of Prometheus takes in Kubernetes. */
function kubernetesRules(): string {
  const groups = readdirSync(ALERT_RULES)
    .toSorted()
    .flatMap((file) => z.object({ groups: z.array(z.unknown()) }).parse(parse(readRules(file))).groups);
  const metadata = { name: 'upsilon' };
  const rule = { apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule', metadata, spec: { groups } };
  return `# Written by "npm run docs" from ops/monitoring/rules.\n${stringify(rule, { lineWidth: 0 })}`;
}

/**
 * The documents with generated tables, by their path from this folder: their present text with new tables between the
 * markers. One file is generated as a whole.
 */
export function generatedDocuments(): ReadonlyMap<string, { readonly present: string; readonly generated: string }> {
  const documents = {
    'METRICS.md': metricsTables(),
    'SETTINGS.md': { settings: settingsTable() },
    'METHODOLOGY.md': methodologyTables(),
  };
  const rules = '../monitoring/kubernetes/rules.yaml';
  return new Map([
    ...Object.entries(documents).map(([name, tables]) => {
      const present = read(name);
      return [name, { present, generated: withTables(present, tables) }] as const;
    }),
    [rules, { present: read(rules), generated: kubernetesRules() }],
  ]);
}

/** @throws when a table has no markers */
function withTables(text: string, tables: Readonly<Record<string, string>>): string {
  return Object.entries(tables).reduce((former, [name, lines]) => {
    const [begin, end] = [`<!-- npm run docs: ${name} -->\n`, '\n<!-- end -->'];
    const [from, until] = [former.indexOf(begin), former.indexOf(end, former.indexOf(begin))];
    if (from < 0 || until < 0) throw new Error(`there are no markers ${begin.trim()} and ${end.trim()}`);
    return former.slice(0, from + begin.length) + lines + former.slice(until);
  }, text);
}
