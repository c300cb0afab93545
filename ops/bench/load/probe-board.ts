import { setTimeout as pause } from 'node:timers/promises';
import type { BenchOperator } from '../ingest/bench-operator.ts';
import { RequestMaker } from '../ingest/signed-requests.ts';

const POLL_INTERVAL_MS = 20;
/** Time limit for a snapshot to reach the board. */
const TIMEOUT_MS = 60_000;

let requests = 0;

/** Submits snapshots one after another until aborted, and measures each from submission to a profile that contains it. */
export async function probeBoard(
  baseUrl: string,
  operator: BenchOperator,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const maker = new RequestMaker(baseUrl);
  const times: number[] = [];
  while (!signal.aborted) {
    const before = await shownYield(baseUrl, operator);
    const started = performance.now();
    await submit(maker, operator, baseUrl);
    while ((await shownYield(baseUrl, operator)) === before) {
      if (performance.now() - started > TIMEOUT_MS) throw new Error('a snapshot did not reach the board in a minute');
      await pause(POLL_INTERVAL_MS);
    }
    times.push(performance.now() - started);
  }
  return times;
}

async function shownYield(baseUrl: string, { codename }: BenchOperator): Promise<unknown> {
  // Each request from another client address, so that no client's quota is reached.
  requests += 1;
  const headers = { 'x-forwarded-for': `10.0.${(requests >> 8) & 255}.${requests & 255}` };
  const response = await fetch(`${baseUrl}/operators/${codename}`, { headers });
  if (!response.ok) throw new Error(`the profile of a probe returned ${response.status}`);
  const profile: unknown = await response.json();
  return typeof profile === 'object' && profile !== null ? Reflect.get(profile, 'yield_') : undefined;
}

async function submit(maker: RequestMaker, operator: BenchOperator, baseUrl: string): Promise<void> {
  const { bytes } = maker.next(operator);
  const text = bytes.toString('latin1');
  const response = await fetch(`${baseUrl}/snapshots`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${operator.token}` },
    body: text.slice(text.indexOf('\r\n\r\n') + 4),
  });
  if (response.status !== 200) throw new Error(`a probe returned ${response.status} ${await response.text()}`);
}
