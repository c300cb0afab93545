import { type Config, DEFAULT_DATA_DIR } from '../../../config/config.ts';
import type { Supervised } from '../process/supervise.ts';
import type { EngineInUse, EnginesInUse } from '../start-engines.ts';

/** The message when everything is ready: addresses, processes and next steps. */
export function greeting(
  config: Config,
  engines: EnginesInUse,
  services: readonly Supervised[],
  seconds: number,
): string {
  return [
    `Upsilon is ready after ${seconds.toFixed(1)} s.`,
    '',
    ...table([
      ['website', config.siteUrl],
      ...services.map((service, index): [string, string] => [service.name, serviceLine(config, service, index)]),
      ['MongoDB', engineLine(engines.mongo)],
      ['Redis', engineLine(engines.redis)],
      ['sign-in', signInLine(config)],
      ['payments', paymentsLine(config)],
    ]),
    '',
    'Try next, in another terminal:',
    ...table(nextSteps(config)),
    '',
    'Ctrl-C stops everything.',
  ].join('\n');
}

function serviceLine(config: Config, service: Supervised, index: number): string {
  const metrics = `metrics at http://${config.host}:${config.metricsPort + index}/metrics`;
  const address = index === 0 ? `${config.baseUrl} (listening on ${config.host}:${config.port}), ` : '';
  return `${address}${metrics}, process ${service.pid()}`;
}

function engineLine(engine: EngineInUse): string {
  const process = engine.process === null ? 'not started here' : `process ${engine.process.pid()}`;
  return `${engine.title}, ${process}; ${engine.persistence}`;
}

function paymentsLine({ billing, enforcePlan }: Config): string {
  const submitting = enforcePlan ? 'submitting requires a plan' : 'submitting is free';
  const plans =
    billing.stripe === null ? 'STRIPE_SECRET_KEY is not set, so subscriptions are off' : 'subscriptions by Stripe';
  return `${submitting}; ${plans}`;
}

function signInLine({ signIn, trustedProxies }: Config): string {
  const { github, twitter, oidc, smtpUrl, development } = signIn;
  const ways = { GitHub: github, X: twitter, [oidc?.name ?? 'OpenID Connect']: oidc, mail: smtpUrl };
  const offered = Object.entries(ways).flatMap(([name, way]) => (way === null ? [] : name));
  const by = offered.length === 0 ? 'no provider is set' : `by ${offered.join(', ')}`;
  if (development !== 'off')
    return `${by}; development sign-in is on, for ${development === 'loopback' ? 'this machine' : 'everybody'}`;
  const why = trustedProxies.length > 0 ? ', because TRUSTED_PROXIES is set' : '';
  return `${by}; development sign-in and the outbox are off${why}`;
}

function nextSteps(config: Config): Array<[string, string]> {
  // Commands find the service through the data folder; another one than the default must be given.
  const here = config.dataDir === DEFAULT_DATA_DIR ? '' : `DATA_DIR=${config.dataDir} `;
  const there = config.port === 3000 ? '' : `UPSILON_BASE_URL=${config.baseUrl} `;
  return [
    ['an example', `${here}npm run demo`],
    ['your own usage', `${there}npm run -s upsilon -- --dry-run`],
    ['an operator', `${here}npm run -s ops -- operator create my-codename`],
    ['the board', config.siteUrl],
  ];
}

function table(rows: ReadonlyArray<readonly [string, string]>): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`);
}
