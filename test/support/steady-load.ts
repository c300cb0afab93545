import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '../../engine/mongo/index.ts';
import { enrolMember, openEngine } from './open-engine.ts';
import { makeSubmission, type TestDeviceKey } from './signing.ts';

/** Longer than any run. */
const TOKEN_LIFETIME_S = 86_400;
/** Between two snapshots of a sender: it stays below its rate limit, but for that of a day after ten minutes. */
const PAUSE_MS = 250;
/** Pause before a snapshot without a response is sent again to another address. */
const AGAIN_MS = 50;
const ANSWER_WITHIN_MS = 120_000;
/** The error code of a connection that was closed on a request. */
export const HANG_UP = 'UND_ERR_SOCKET';
/** The error code when the kernel refused a request, of which the process has read nothing, because its connection was closed. */
export const RESET = 'ECONNRESET';
/** Only `output` changes, so that the latest snapshot determines an operator's Yield. */
const COUNTS = { input: 10, cache_read: 1_000, cache_write: 1 };

/** An operator that submits. */
export interface SteadySender {
  readonly operator: number;
  readonly codename: string;
  readonly token: string;
  readonly key: TestDeviceKey;
}

/** Results of the senders so far. */
export interface SteadyLoad {
  /** Entries (`operator.jti`) with status 200, and whether their verdict was final and accepted. */
  readonly acknowledged: ReadonlyMap<string, boolean>;
  /** Responses by status; failed requests by their error code. */
  readonly answers: ReadonlyMap<string, number>;
  /** When connections were closed on requests or reset, in milliseconds. */
  readonly hangUps: readonly number[];
  readonly resets: readonly number[];
  /** The Yield of each operator's latest acknowledged snapshot, by codename. */
  yields(): ReadonlyMap<string, number>;
  /** Stops the senders after the response to their last snapshot. */
  stop(): Promise<void>;
}

/** Enrols operators with an account, a device key and a token each. */
export async function enrolSteadySenders(
  connection: Connection,
  count: number,
  claims: { readonly issuer: string; readonly audience: string },
): Promise<SteadySender[]> {
  const engine = openEngine(connection);
  const enrol = async (_: unknown, index: number): Promise<SteadySender> => {
    const { subject, ...member } = await enrolMember(engine, `steady-${index}`);
    const request = { subject, scope: 'openid profile email', ...claims, lifetimeSeconds: TOKEN_LIFETIME_S };
    return { ...member, token: await engine.accounts.signingKeys.mintAccessToken(request) };
  };
  return Promise.all(Array.from({ length: count }, enrol));
}

/**
 * Every sender submits one snapshot after the other, to one of the bases. It goes on with the same one elsewhere when that
 * does not listen or hangs up, as the tool does, and with the next once it is acknowledged.
 */
export function startSteadyLoad(
  bases: readonly string[],
  senders: readonly SteadySender[],
  pauseMs = PAUSE_MS,
): SteadyLoad {
  const acknowledged = new Map<string, boolean>();
  const answers = new Map<string, number>();
  const hangUps: number[] = [];
  const resets: number[] = [];
  const latest = new Map<string, number>();
  const stopping = new AbortController();

  async function post(base: string, { token }: SteadySender, body: object): Promise<boolean | null> {
    try {
      const response = await fetch(`${base}/snapshots`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      const answer: { accepted?: boolean; verdict?: string } = JSON.parse(await response.text());
      count(String(response.status));
      return response.status === 200 ? answer.verdict === 'final' && answer.accepted === true : null;
    } catch (error) {
      const code = codeOf(error);
      count(code);
      if (code === HANG_UP) hangUps.push(Date.now());
      if (code === RESET) resets.push(Date.now());
      return null;
    }
  }

  const count = (answer: string): void => void answers.set(answer, (answers.get(answer) ?? 0) + 1);

  async function keepSending(sender: SteadySender, index: number): Promise<void> {
    let turn = index;
    for (let output = 1; !stopping.signal.aborted; output += 1) {
      const jti = `steady-${String(output).padStart(8, '0')}`;
      const iat = Math.floor(Date.now() / 1_000);
      const payload = { codename: sender.codename, ...COUNTS, output };
      const body = makeSubmission(sender.key, payload, { jti, iat, as_of: iat, stream: 'ledger-one' });
      let accepted = await post(bases[turn % bases.length]!, sender, body);
      while (accepted === null) {
        turn += 1;
        await pause(AGAIN_MS);
        accepted = await post(bases[turn % bases.length]!, sender, body);
      }
      acknowledged.set(`${sender.operator}.${jti}`, accepted);
      latest.set(sender.codename, output);
      await pause(pauseMs);
    }
  }

  const sending = senders.map(keepSending);
  return {
    acknowledged,
    answers,
    hangUps,
    resets,
    yields: () => new Map([...latest].map(([name, output]) => [name, yieldOf(output)])),
    async stop() {
      stopping.abort();
      await Promise.all(sending);
    },
  };
}

function yieldOf(output: number): number {
  return (COUNTS.cache_read * output) / (COUNTS.input * COUNTS.input);
}

function codeOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code;
  return cause instanceof Error ? cause.name : 'unknown';
}
