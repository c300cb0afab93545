import type { Bench, BenchContext, BenchResult, Figure } from '../frame/bench.ts';
import type { BenchEngines } from '../frame/engines.ts';
import { threeDigits } from '../frame/statistics.ts';
import { readLoggedTotals } from './check-verdicts.ts';
import { type Client, startClient } from './client.ts';
import type { LoadResult } from './client-main.ts';
import { loadOperators } from './load-operators.ts';
import { cpuOf, type MeasuredLoad, measureLoad, wholeLoad } from './measure-load.ts';
import { profileStages } from './profile-stages.ts';
import { cpuTable, latencyTable } from './report.ts';
import { chooseSite, type Service, startProfiledService, startService } from './service.ts';

/** Required ratios: of the saturated load, and of loads with the given number in flight. */
const TARGETS = { most: { atLeast: 0.42, aim: 0.6 }, given: { atLeast: 0.35, aim: 0.42 } } as const;
/** Multiple of the given number in flight for the saturated load. */
const SATURATED = 2;

/** Peer of the CPU time: the ratio if all cores worked only for the service, which is independent of other load. */
const CPU_PEER = 'all cores over the CPU time of a snapshot, in units of a verification';

/** Signed snapshots accepted end to end against bare verifications of signatures. */
export const ingest: Bench = {
  name: 'ingest',
  summary: 'signed snapshots a second, end to end, against bare Ed25519 verifications of one core',
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const few = context.option('few', { full: 2_000, tiny: 40 });
  const many = context.option('many', { full: 50_000, tiny: 200 });
  const seconds = context.option('seconds', { full: 24, tiny: 1 });
  const supply = context.option('supply', { full: 6_000, tiny: 1_000 }) * seconds;
  const connections = context.option('connections', { full: 512, tiny: 32 });

  const engines = await context.engines();
  const site = await chooseSite(context);
  context.progress(`loading ${few + many} operators`);
  const operators = await loadOperators(engines.mongoUrl, site.baseUrl, few + many);
  const client = await startClient(context, operators, site.baseUrl);
  const service = await startService(context, site);
  const verifySeconds = Math.min(1, seconds / 8);
  const { metricsUrl } = site;
  const load = { client, pids: pidsOf(engines, client, service), metricsUrl, connections, seconds, verifySeconds };

  context.progress('warming up');
  await client.request('sign', { first: 0, operators: few, requests: Math.ceil(supply / 3) });
  const warmUp = await client.request('load', { connections, seconds: seconds / 3 });
  const loads: MeasuredLoad[] = [];
  for (const [name, first, count, times] of [
    [`${few} operators`, 0, few, 1],
    [`${few} operators, twice as many in flight`, 0, few, SATURATED],
    [`${many} operators, worker cold`, few, many, 1],
  ] as const) {
    context.progress(`signing for ${name}`);
    await client.request('introduce', { first, operators: count, connections });
    await client.request('sign', { first, operators: count, requests: supply });
    loads.push(await measureLoad({ ...load, connections: connections * times }, name));
  }
  await service.stop();
  context.progress('profiling');
  const profiledService = await startProfiledService(context, site);
  await client.request('introduce', { first: 0, operators: few, connections });
  await client.request('sign', { first: 0, operators: few, requests: Math.ceil(supply / 3) });
  const { result: profiled, stages } = await profileStages(profiledService, () =>
    client.request('load', { connections, seconds: seconds / 3 }),
  );
  const measured = loads.flatMap(({ parts }) => parts.map(({ result }) => result));
  await check(engines, [warmUp, profiled, ...measured]);
  latencyTable(context, loads);
  cpuTable(context, loads, stages);
  return resultOf(loads, connections, { loads, stages });
}

function pidsOf(engines: BenchEngines, client: Client, { api, worker }: Service) {
  const { mongo, redis } = engines.pids;
  return {
    client: client.pid,
    api: api.pid,
    worker: worker.pid,
    ...(mongo === undefined ? {} : { mongo }),
    ...(redis === undefined ? {} : { redis }),
  };
}

/** Checks responses against the database: every accepted snapshot is in the log and has an accepting verdict. */
async function check(engines: BenchEngines, results: readonly LoadResult[]): Promise<void> {
  const odd = results.flatMap(({ oddResponses }) => oddResponses);
  if (odd.length > 0) throw new Error(`submissions were not accepted: ${odd.join(' | ')}`);
  const logged = await readLoggedTotals(engines.mongoUrl);
  const sent = results.reduce((sum, result) => sum + result.sent, 0);
  const accepted = results.reduce((sum, result) => sum + result.accepted, 0);
  const changed = results.reduce((sum, result) => sum + result.changed, 0);
  const pending = results.reduce((sum, result) => sum + result.pending, 0);
  const holds =
    logged.entries === sent &&
    logged.refused === 0 &&
    accepted + pending === sent &&
    (pending > 0 || (logged.undecidedBatches === 0 && logged.entries - logged.unchanged === changed));
  if (!holds) {
    throw new Error(
      `responses and database differ: ${JSON.stringify({ sent, accepted, changed, pending, ...logged })}`,
    );
  }
}

function resultOf(
  loads: readonly MeasuredLoad[],
  connections: number,
  details: Readonly<Record<string, unknown>>,
): BenchResult {
  const against = 'Ed25519 verifications a second of node:crypto on one core';
  const byTime = loads.map((load): Figure => {
    const { perSecond, ratio } = wholeLoad(load);
    const value = Math.round(perSecond);
    const target = load.inFlight > connections ? TARGETS.most : TARGETS.given;
    return { name: load.name, value, unit: 'snapshots/s', ratio: threeDigits(ratio), against, target };
  });
  const byCpu = loads.map((load): Figure => {
    const { cpu, cpuRatio } = wholeLoad(load);
    const value = threeDigits(cpuOf(cpu));
    return { name: `${load.name}, by CPU time`, value, unit: 'us', ratio: threeDigits(cpuRatio), against: CPU_PEER };
  });
  const least = byTime.toSorted((one, other) => (one.ratio ?? 0) - (other.ratio ?? 0))[0];
  if (least === undefined) throw new Error('nothing was measured');
  return { ...least, name: 'ingest', figures: [...byTime, ...byCpu], details };
}
