import { randomUUID } from 'node:crypto';
import { AGREEMENT_PERCENT } from '../../../engine/contract/signing/index.ts';
import { CliError } from '../cli-error.ts';
import type { Command } from '../command-context.ts';
import { type ComparedDay, compareDays } from '../otel/agreement.ts';
import { deleteMetrics, readMetrics, updateMetrics } from '../otel/metrics-file.ts';
import { METERED_PLATFORMS } from '../otel/token-metrics.ts';
import { countsTable } from '../output/counts-table.ts';
import type { Screen } from '../output/screen.ts';
import { zeroCounts } from '../store/usage-summary.ts';
import { scanUsage } from './scan-usage.ts';

const DEFAULT_PORT = 14_318;
const DAY_MS = 86_400_000;

/** The settings with which each tool sends its metrics to the receiver. Only metrics: its logs can hold prompts. */
function setupTexts(
  port: number,
): ReadonlyArray<{ readonly platform: string; readonly where: string; readonly lines: readonly string[] }> {
  const address = `http://127.0.0.1:${port}`;
  return [
    {
      platform: 'claude-code',
      where: 'Claude Code: set these variables in its environment',
      lines: [
        'CLAUDE_CODE_ENABLE_TELEMETRY=1',
        'OTEL_METRICS_EXPORTER=otlp',
        'OTEL_EXPORTER_OTLP_METRICS_PROTOCOL=http/protobuf',
        `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=${address}/v1/metrics`,
      ],
    },
    {
      platform: 'codex',
      where: 'Codex: add this to config.toml in ~/.codex or CODEX_HOME',
      lines: [
        '[otel]',
        `metrics_exporter = { otlp-http = { endpoint = "${address}/v1/metrics", protocol = "binary" } }`,
      ],
    },
    {
      platform: 'gemini-cli',
      where: 'Gemini CLI: set these variables in its environment',
      lines: [
        'GEMINI_TELEMETRY_ENABLED=true',
        'GEMINI_TELEMETRY_TARGET=local',
        'GEMINI_TELEMETRY_LOG_PROMPTS=false',
        'GEMINI_TELEMETRY_OTLP_PROTOCOL=http',
        `GEMINI_TELEMETRY_OTLP_ENDPOINT=${address}`,
      ],
    },
  ];
}

/** Allows `upsilon watch` to receive metrics, and shows the settings with which the tools send them. Changes no other tool's settings. */
export const enableOtelCommand: Command<{ readonly port?: string }> = async ({ settings, screen, options }) => {
  const port = readPort(options.port);
  const empty = { id: randomUUID(), days: {}, series: {}, received_at: null };
  await updateMetrics(settings.configDir, (known) => ({ ...(known ?? empty), port }));
  const setup = setupTexts(port);
  screen.printWrapped(
    `upsilon watch now receives metrics of AI tools on 127.0.0.1:${port}, and compares their tokens with the logs day by day. ` +
      'Start upsilon watch, again if it runs already. Then set up your tools to send them:',
  );
  for (const { where, lines } of setup) screen.print(`\n${screen.paint.bold(where)}\n${lines.join('\n')}`);
  screen.print('');
  screen.printWrapped(
    'Kept on this machine: the sums of each day. Sent with snapshots: for each full day whether both records agree within ' +
      `${AGREEMENT_PERCENT} %, as upsilon --dry-run shows. The metrics themselves are not sent.`,
  );
  screen.result({ enabled: true, port, setup });
  return 'ok';
};

/** Ends it, and deletes what was received. */
export const disableOtelCommand: Command = async ({ settings, screen }) => {
  const known = await readMetrics(settings.configDir);
  await deleteMetrics(settings.configDir);
  screen.printWrapped(
    known === null
      ? 'Metrics were not being received.'
      : 'Metrics are no longer received, and what was received is deleted. Remove the settings that you made for your tools.',
  );
  screen.result({ enabled: false });
  return 'ok';
};

/** Shows on which days logs and metrics agree, and both counts of the others. Sends nothing. */
export const otelStatusCommand: Command = async (context) => {
  const { settings, screen } = context;
  const known = await readMetrics(settings.configDir);
  if (known === null) {
    screen.printWrapped('Metrics of AI tools are not received. To compare them with the logs: upsilon otel enable');
    screen.result({ enabled: false });
    return 'ok';
  }
  const { port, received_at } = known;
  const last = received_at === null ? null : new Date(received_at).toISOString();
  screen.printWrapped(
    `upsilon watch receives metrics on 127.0.0.1:${port}. The last ones with tokens: ${last ?? 'none yet'}.`,
  );
  const scanned = await scanUsage(context, 'where writable');
  const compared = compareDays(await scanned.openUsages(), known.days, Date.now());
  const metered = METERED_PLATFORMS.filter((platform) => compared.has(platform));
  if (metered.length === 0)
    screen.printWrapped('No full day could be compared yet: the first is the day after the first metrics.');
  for (const platform of metered) showDays(platform, compared.get(platform)!, screen);
  const platforms = Object.fromEntries(metered.map((platform) => [platform, compared.get(platform)!.map(dayResult)]));
  screen.result({ enabled: true, port, received_at: last, platforms });
  return 'ok';
};

function showDays(platform: string, days: readonly ComparedDay[], screen: Screen): void {
  const agreeing = days.filter(({ mark }) => mark === '1').length;
  const differing = days.filter(({ mark }) => mark === '0');
  const withTokens = agreeing + differing.length;
  screen.print(`\n${screen.paint.bold(platform)}`);
  screen.printWrapped(`Logs and metrics agree within ${AGREEMENT_PERCENT} % on ${agreeing} of ${withTokens} days.`);
  if (differing.length === 0) return;
  const rows = differing.flatMap((each) => [
    { platform: `${dateOf(each.day)} logs`, totals: each.logs ?? zeroCounts() },
    { platform: `${dateOf(each.day)} metrics`, totals: each.metrics ?? zeroCounts() },
  ]);
  screen.print(countsTable(rows, screen.columns, screen.paint, 'Differing'));
}

function dayResult({ day, logs, metrics, mark }: ComparedDay): object {
  return { day: dateOf(day), agrees: mark === '-' ? null : mark === '1', logs: logs ?? null, metrics: metrics ?? null };
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

function readPort(text: string | undefined): number {
  const port = Number(text ?? DEFAULT_PORT);
  if (Number.isInteger(port) && port >= 1_024 && port <= 65_535) return port;
  throw new CliError(
    'usage',
    'settings_invalid',
    '--port takes a number from 1024 to 65535',
    `Without it: ${DEFAULT_PORT}.`,
  );
}
