import { setTimeout as pause } from 'node:timers/promises';
import type { Accounts } from '../../engine/accounts/index.ts';
import { runsOf } from '../support/long-run.ts';
import { enrolMember, type OpenEngine } from '../support/open-engine.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { makeSubmission, type TestDeviceKey } from '../support/signing.ts';

const OPERATORS = runsOf(40, 90);
const SENDERS = runsOf(8, 16);
/** Maximum pause between two submissions of a sender: keeps operators below their rate limit, and the machine responsive. */
const PAUSE_MS = runsOf(600, 200);
const RESPONSE_WITHIN_MS = 30_000;
/** Maximum lifetime of a token: the clocks may advance by hours. */
const TOKEN_LIFETIME_S = 86_400;
const DAY_S = 86_400;
const INVALID_SHARE = 20;

export interface Sender {
  readonly operator: number;
  readonly codename: string;
  readonly subject: string;
  readonly token: string;
  readonly key: TestDeviceKey;
}

/** A snapshot with a response of status 200: from then on it must be in the log, and get a verdict. */
export interface Acknowledged {
  readonly id: string;
  /** The signature sent, which the log must have. */
  readonly signature: string;
  /** The verdict of the response, null when it was not final. */
  readonly accepted: boolean | null;
}

/** A snapshot to be sent. */
export interface Offer {
  readonly sender: Sender;
  readonly body: { readonly signature: string };
  /** Takes a response of status 200. */
  readonly acknowledge: (response: SubmissionResponse) => void;
}

interface SubmissionResponse {
  readonly accepted: boolean;
  readonly verdict: string;
}

export interface Load {
  readonly acknowledged: ReadonlyMap<string, Acknowledged>;
  /** Number of responses by status, `none` for requests without a response. */
  readonly responses: ReadonlyMap<string, number>;
  /** Creates a snapshot for another kind of client. */
  makeOffer(): Offer;
  /** Resolves at the next response with a final verdict. */
  nextVerdict(): Promise<void>;
  /** Stops all senders. */
  stop(): Promise<void>;
}

/** Enrols operators with accounts, device keys and tokens for `baseUrl`. */
export async function enrolSenders(
  engine: OpenEngine,
  { baseUrl, origin }: { readonly baseUrl: string; readonly origin: string },
): Promise<Sender[]> {
  const enrol = async (_: unknown, index: number): Promise<Sender> => {
    return { ...(await enrolMember(engine, `under-fire-${index}`)), token: '' };
  };
  const senders = await Promise.all(Array.from({ length: OPERATORS }, enrol));
  return withNewTokens(engine.accounts, senders, { baseUrl, origin });
}

/** The senders with newly issued tokens. */
export function withNewTokens(
  accounts: Accounts,
  senders: readonly Sender[],
  { baseUrl, origin }: { readonly baseUrl: string; readonly origin: string },
): Promise<Sender[]> {
  const renew = async (sender: Sender): Promise<Sender> => {
    const claims = { subject: sender.subject, scope: 'openid profile email', audience: baseUrl, issuer: origin };
    const token = await accounts.signingKeys.mintAccessToken({ ...claims, lifetimeSeconds: TOKEN_LIFETIME_S });
    return { ...sender, token };
  };
  return Promise.all(senders.map(renew));
}

interface LoadOptions {
  readonly baseUrl: string;
  readonly senders: readonly Sender[];
  readonly random: SeededRandom;
  /** Prefix of the snapshot ids of this load. */
  readonly name: string;
  /** The senders' clock, in milliseconds since the epoch. */
  readonly clock: () => number;
}

/** Sends signed snapshots of many operators until stopped, some repeatedly, some with invalid signatures. */
export function startLoad({ baseUrl, senders, random, name, clock }: LoadOptions): Load {
  const acknowledged = new Map<string, Acknowledged>();
  const responses = new Map<string, number>();
  const stopping = new AbortController();
  let verdictWaiters: (() => void)[] = [];
  let made = 0;

  const count = (response: string): void => void responses.set(response, (responses.get(response) ?? 0) + 1);

  function makeOffer(): Offer {
    const sender = random.pick(senders);
    const jti = `${name}-${String(made++).padStart(8, '0')}`;
    const valid = random.integer(1, INVALID_SHARE) > 1;
    const iat = Math.floor(clock() / 1_000);
    const age = random.pick([0, 0, random.integer(0, 50) * DAY_S]);
    const counts = { input: random.integer(1, 50), output: made, cache_read: random.integer(0, 9_999), cache_write: 1 };
    const header = { jti, iat, as_of: iat - age, stream: random.pick(['ledger-one', 'ledger-two']) };
    const signed = makeSubmission(sender.key, { codename: sender.codename, ...counts }, header);
    const body = valid ? signed : { ...signed, output: counts.output + 1 };
    const acknowledge = ({ accepted, verdict }: SubmissionResponse): void => {
      const final = verdict === 'final' ? accepted : null;
      const id = `${sender.operator}.${jti}`;
      const known = acknowledged.get(id)?.accepted ?? null;
      acknowledged.set(id, { id, signature: body.signature, accepted: final ?? known });
      if (final !== null) for (const resolve of verdictWaiters.splice(0)) resolve();
    };
    return { sender, body, acknowledge };
  }

  async function send(): Promise<void> {
    const offer = makeOffer();
    // Repeat without a response, as the CLI does, and occasionally with one.
    for (let tries = random.integer(1, 4); tries > 0; tries--) {
      const response = await post(baseUrl, offer, count);
      if (response !== null) {
        offer.acknowledge(response);
        if (random.integer(0, 9) > 0) return;
      }
      await pause(PAUSE_MS);
    }
  }

  async function keepSending(): Promise<void> {
    while (!stopping.signal.aborted) {
      await send();
      await pause(random.integer(0, PAUSE_MS));
    }
  }

  const sending = Array.from({ length: SENDERS }, keepSending);
  return {
    acknowledged,
    responses,
    makeOffer,
    nextVerdict: () => new Promise((resolve) => verdictWaiters.push(resolve)),
    async stop() {
      stopping.abort();
      await Promise.all(sending);
      verdictWaiters = [];
    },
  };
}

/** Sends a snapshot and passes the status to `count`. Null unless it was acknowledged. */
async function post(
  baseUrl: string,
  { sender, body }: Offer,
  count: (response: string) => void,
): Promise<SubmissionResponse | null> {
  try {
    const response = await fetch(`${baseUrl}/snapshots`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${sender.token}` },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(RESPONSE_WITHIN_MS),
    });
    const text = await response.text();
    count(response.status < 500 ? String(response.status) : `${response.status} ${problemCode(text)}`);
    return response.status === 200 ? JSON.parse(text) : null;
  } catch {
    count('none');
    return null;
  }
}

/** The code of a problem document, or the beginning of any other text. */
function problemCode(text: string): string {
  try {
    return String(JSON.parse(text)['code']);
  } catch {
    return text.slice(0, 40);
  }
}
