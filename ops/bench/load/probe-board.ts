import { setTimeout as pause } from 'node:timers/promises';
import type { BenchOperator } from '../ingest/bench-operator.ts';
import { RequestMaker } from '../ingest/signed-requests.ts';

const LOOK_AGAIN_MS = 20;
/** A snapshot that is not on the board after this long ends the measurement. */
const GIVE_UP_MS = 60_000;

let asked = 0;

/** Submits snapshots one after another until told to stop, and times each from submission to a profile that shows it. */
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
      if (performance.now() - started > GIVE_UP_MS) throw new Error('a snapshot did not reach the board in a minute');
      await pause(LOOK_AGAIN_MS);
    }
    times.push(performance.now() - started);
  }
  return times;
}

async function shownYield(baseUrl: string, { codename }: BenchOperator): Promise<unknown> {
  // As somebody else each time: a client's quota is not what is measured.
  asked += 1;
  const headers = { 'x-forwarded-for': `10.0.${(asked >> 8) & 255}.${asked & 255}` };
  const answer = await fetch(`${baseUrl}/operators/${codename}`, { headers });
  if (!answer.ok) throw new Error(`the profile of a probe answered ${answer.status}`);
  const profile: unknown = await answer.json();
  return typeof profile === 'object' && profile !== null ? Reflect.get(profile, 'yield_') : undefined;
}

async function submit(maker: RequestMaker, operator: BenchOperator, baseUrl: string): Promise<void> {
  const { bytes } = maker.next(operator);
  const text = bytes.toString('latin1');
  const answer = await fetch(`${baseUrl}/snapshots`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${operator.token}` },
    body: text.slice(text.indexOf('\r\n\r\n') + 4),
  });
  if (answer.status !== 200) throw new Error(`a probe was answered ${answer.status} ${await answer.text()}`);
}
