import { expect } from 'chai';
import { fixedToken } from '../../../cli/src/auth/identity.ts';
import { sendDayEnds } from '../../../cli/src/commands/send-day-ends.ts';
import { openLedger, readLedger } from '../../../cli/src/ledger/ledger.ts';
import { openClient } from '../../../cli/src/net/client.ts';
import { openScreen } from '../../../cli/src/output/screen.ts';
import { openDeviceKey } from '../../../cli/src/signing/device-key.ts';
import { signedHeader } from '../support/parsing.ts';
import { type RecordingService, type Reply, startService } from '../support/recording-service.ts';
import { bucketsOf } from '../support/stores.ts';
import { useFolder } from '../support/temporary-folder.ts';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const DAY_S = 86_400;
const DAYS = 13;
const ACCEPTED: Reply = { status: 200, body: { accepted: true, codename: 'test-lantern', rank: 3 } };

/** The last second of the day so many days before today. */
const endOf = (daysAgo: number): number => NOW / 1000 - DAY_S / 2 - (daysAgo - 1) * DAY_S - 1;
const dayOf = (daysAgo: number): string => new Date(endOf(daysAgo) * 1000).toISOString().slice(0, 10);
const ALL = Array.from({ length: DAYS }, (_, index) => endOf(DAYS - index));

describe('submitting the totals of past days', () => {
  const folder = useFolder();
  let service: RecordingService;

  afterEach(() => service[Symbol.asyncDispose]());

  /** Sends the days of a store in which every one of the last 13 days grew. `reply` sees how many requests came before. */
  const send = async (backdated: string | null, reply: (before: number) => Reply) => {
    service = await startService((_, before) => reply(before));
    const buckets = bucketsOf(
      Array.from({ length: DAYS }, (_, index) => {
        const counts = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
        return { platform: 'codex', time: endOf(index + 1), counts };
      }),
    );
    const context = { now: () => NOW, sleep: async () => undefined, random: () => 0, onWait: () => undefined };
    const client = openClient(service.baseUrl, fixedToken('a-token'), context);
    const sender = {
      client,
      configDir: folder(),
      codename: 'test-lantern',
      key: await openDeviceKey(folder(), false),
      device: null,
      ledger: await openLedger(folder()),
      scanned: {
        scans: [],
        ledger: null,
        warnings: [],
        epoch: 0,
        buckets,
      },
      screen: openScreen({ json: true, color: false }),
      history: true,
    };
    const name = { base_url: service.baseUrl, codename: 'test-lantern', platform: 'codex' };
    return sendDayEnds(sender, { ...name, epoch: 0, counts: null, backdated }, 'derived');
  };
  const sent = (): readonly unknown[] => service.requests.map(({ body }) => signedHeader(body).as_of);
  const noted = async (): Promise<unknown> => (await readLedger(folder()))!.submissions[0]?.backdated ?? null;

  it('are sent oldest first, and the last one is recorded', async () => {
    expect(await send(null, () => ACCEPTED)).to.equal(DAYS);
    expect(sent()).to.deep.equal(ALL);
    const inputs = service.requests.map(({ body }): number => JSON.parse(body).input);
    expect(inputs).to.deep.equal(Array.from({ length: DAYS }, (_, index) => index + 1));
    expect(await noted()).to.equal(dayOf(1));
  });

  it('resume after the last recorded day', async () => {
    expect(await send(dayOf(4), () => ACCEPTED)).to.equal(3);
    expect(sent()).to.deep.equal(ALL.slice(-3));
  });

  it('are recorded every ten days: an interrupted run resumes from there', async () => {
    const failure = await send(null, (before) => (before < 12 ? ACCEPTED : { status: 400 })).catch(() => 'failed');
    expect(failure).to.equal('failed');
    expect(await noted()).to.equal(dayOf(DAYS - 9));
  });

  it('skip a day that has become too old in the meantime, and do not count it', async () => {
    const tooOld: Reply = { status: 200, body: { accepted: false, reason: 'as_of_too_long_ago' } };
    expect(await send(null, (before) => (before === 0 ? tooOld : ACCEPTED))).to.equal(DAYS - 1);
    expect(sent()).to.deep.equal(ALL);
  });

  it('stop at any other refusal, which would apply to the current totals as well', async () => {
    const refused: Reply = { status: 200, body: { accepted: false, reason: 'key_unknown' } };
    const ended = await send(null, (before) => (before === 2 ? refused : ACCEPTED));
    expect(ended).to.have.property('outcome').that.includes({ kind: 'refused', reason: 'key_unknown' });
    expect(sent()).to.deep.equal(ALL.slice(0, 3));
    expect(await noted()).to.equal(null);
  });
});
