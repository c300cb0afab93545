import { setTimeout as pause } from 'node:timers/promises';
import { LoadConnection } from '../frame/load-connection.ts';
import { readProfile } from '../frame/read-profile.ts';
import { type BenchOperator, RequestMaker } from '../ingest/signed-requests.ts';

const POLL_INTERVAL_MS = 20;
/** Time limit for a snapshot to reach the board. */
const TIMEOUT_MS = 60_000;

/** Submits snapshots one after another until aborted, and measures each from submission to a profile that contains it. */
export async function probeBoard(
  baseUrl: string,
  operator: BenchOperator,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const maker = new RequestMaker(baseUrl);
  const port = Number(new URL(baseUrl).port);
  const connection = await LoadConnection.open(port);
  const shownYield = async (): Promise<unknown> =>
    JSON.parse(await readProfile(connection, port, operator.codename)).yield_;
  const times: number[] = [];
  while (!signal.aborted) {
    const before = await shownYield();
    const started = performance.now();
    const { status, body } = await connection.exchange(maker.next(operator).bytes);
    if (status !== 200) throw new Error(`a probe returned ${status} ${body.toString()}`);
    while ((await shownYield()) === before) {
      if (performance.now() - started > TIMEOUT_MS) throw new Error('a snapshot did not reach the board in a minute');
      await pause(POLL_INTERVAL_MS);
    }
    times.push(performance.now() - started);
  }
  connection.close();
  return times;
}
