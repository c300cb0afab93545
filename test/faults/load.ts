import { setTimeout as pause } from 'node:timers/promises';
import type { Accounts } from '../../engine/accounts/index.ts';
import type { Ranking } from '../../engine/ranking/index.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { makeDeviceProof, makeSubmission, namedDeviceKey, type TestDeviceKey } from '../support/signing.ts';

const OPERATORS = 90;
const SENDERS = 16;
/** Between two submissions of a sender at most: so that an operator stays below its rate limit, and the machine breathes. */
const PAUSE_MS = 200;
const ANSWER_WITHIN_MS = 8_000;
/** As long as a token may live: hours may turn meanwhile. */
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

/** A snapshot that was answered with 200: from then on it must be in the log, and be judged. */
export interface Acknowledged {
  readonly id: string;
  /** What was sent with it, which the log must have. */
  readonly signature: string;
  /** What the answer said, when it was final. */
  readonly accepted: boolean | null;
}

/** A snapshot to be sent. */
export interface Offer {
  readonly sender: Sender;
  readonly body: { readonly signature: string };
  /** Takes an answer with status 200. */
  readonly acknowledge: (answer: SubmissionResponse) => void;
}

interface SubmissionResponse {
  readonly accepted: boolean;
  readonly verdict: string;
}

export interface Load {
  readonly acknowledged: ReadonlyMap<string, Acknowledged>;
  /** Answers by status, `none` for those that never came. */
  readonly answers: ReadonlyMap<string, number>;
  /** Another snapshot, to be sent some other way. */
  makeOffer(): Offer;
  /** Resolves at the next answer with a final verdict. */
  nextVerdict(): Promise<void>;
  /** Lets every sender end. */
  stop(): Promise<void>;
}

/** Enrols operators with accounts, device keys and tokens for `baseUrl`. */
export async function enrolSenders(
  { accounts, ranking }: { readonly accounts: Accounts; readonly ranking: Ranking },
  { baseUrl, origin }: { readonly baseUrl: string; readonly origin: string },
): Promise<Sender[]> {
  const enrol = async (_: unknown, index: number): Promise<Sender> => {
    const codename = `under-fire-${index}`;
    const enrolment = await ranking.operators.enrol({ codename });
    if (enrolment.kind !== 'enrolled') throw new Error(enrolment.detail);
    const { operator } = enrolment;
    const { subject } = await accounts.create({ operator });
    const key = namedDeviceKey(codename);
    const proof = makeDeviceProof(key, { codename, iat: Math.floor(Date.now() / 1_000) });
    await accounts.devices.enrol({ operator, codename, jwk: key.jwk, proof });
    return { operator, codename, subject, token: '', key };
  };
  const senders = await Promise.all(Array.from({ length: OPERATORS }, enrol));
  return withNewTokens(accounts, senders, { baseUrl, origin });
}

/** The same senders with tokens that were issued just now. */
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

/** How a load is to be. */
interface LoadOptions {
  readonly baseUrl: string;
  readonly senders: readonly Sender[];
  readonly random: SeededRandom;
  /** Tells the snapshots of one load from those of another. */
  readonly name: string;
  /** The time that the senders' own clocks show, in milliseconds since the epoch. */
  readonly clock: () => number;
}

/** Sends signed snapshots of many operators until stopped, some of them again, some of them wrongly signed. */
export function startLoad({ baseUrl, senders, random, name, clock }: LoadOptions): Load {
  const acknowledged = new Map<string, Acknowledged>();
  const answers = new Map<string, number>();
  const stopping = new AbortController();
  let verdictCame: (() => void)[] = [];
  let made = 0;

  const count = (answer: string): void => void answers.set(answer, (answers.get(answer) ?? 0) + 1);

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
      if (final !== null) for (const tell of verdictCame.splice(0)) tell();
    };
    return { sender, body, acknowledge };
  }

  async function send(): Promise<void> {
    const offer = makeOffer();
    // One that was not answered is sent again, as the tool does; now and then also one that was.
    for (let tries = random.integer(1, 4); tries > 0; tries--) {
      const answer = await post(baseUrl, offer, count);
      if (answer !== null) {
        offer.acknowledge(answer);
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
    answers,
    makeOffer,
    nextVerdict: () => new Promise((resolve) => verdictCame.push(resolve)),
    async stop() {
      stopping.abort();
      await Promise.all(sending);
      verdictCame = [];
    },
  };
}

/** Sends a snapshot; tells what came back to `count`. Null when it was not taken. */
async function post(
  baseUrl: string,
  { sender, body }: Offer,
  count: (answer: string) => void,
): Promise<SubmissionResponse | null> {
  try {
    const response = await fetch(`${baseUrl}/snapshots`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${sender.token}` },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const text = await response.text();
    count(response.status < 500 ? String(response.status) : `${response.status} ${codeIn(text)}`);
    return response.status === 200 ? JSON.parse(text) : null;
  } catch {
    count('none');
    return null;
  }
}

/** The code of a problem; the text itself when it is none. */
function codeIn(text: string): string {
  try {
    return String(JSON.parse(text)['code']);
  } catch {
    return text.slice(0, 40);
  }
}
