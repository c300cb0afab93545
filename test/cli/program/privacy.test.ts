import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { PLATFORMS } from '../../../cli/src/sources/registry.ts';
import { useFreshFixture } from '../../support/use-fixture.ts';
import { assistantLine, writeLog } from '../support/log-lines.ts';
import { signedHeader } from '../support/parsing.ts';
import { acceptAll, boardReply, type RecordingService, startService } from '../support/recording-service.ts';
import { useWarmCli } from '../support/run-cli.ts';
import { useFolder } from '../support/temporary-folder.ts';

/** A JWS without its payload, signed by Ed25519. */
const DETACHED = /^[\w-]+\.\.[\w-]{86}$/;

/** Planted wherever a log or its path can hold text; must never leave the machine. */
const MARKER = 'planted-marker-7261';

/** The headers of a request for the public board: no token. */
const BOARD_HEADERS = [
  'accept',
  'accept-encoding',
  'accept-language',
  'connection',
  'host',
  'sec-fetch-mode',
  'user-agent',
];

interface Planned {
  readonly requests: ReadonlyArray<{
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly signed?: { readonly header: object; readonly payload: string };
  }>;
  readonly key: { readonly exists: boolean };
}

describe('privacy', () => {
  const home = useFolder();
  const runCli = useWarmCli();
  const service = useFreshFixture(() => startService((request) => boardReply(request) ?? acceptAll()(request)));
  let env: Readonly<Record<string, string>>;

  beforeEach(async () => {
    env = {
      UPSILON_BASE_URL: service().baseUrl,
      UPSILON_TOKEN: 'a-secret-token',
      UPSILON_CODENAME: 'test-lantern',
      CLAUDE_CONFIG_DIR: join(home(), MARKER),
    };
    await writeLog(home(), `${MARKER}/projects/-srv-${MARKER}/${MARKER}.jsonl`, [
      JSON.stringify({ type: 'user', cwd: `/srv/${MARKER}`, message: { role: 'user', content: MARKER } }),
      assistantLine({ id: `msg_${MARKER}`, request: `req_${MARKER}`, uuid: MARKER, model: MARKER, text: MARKER }),
      assistantLine({ id: `msg_2_${MARKER}`, text: MARKER, input: MARKER }),
      `${MARKER} is no JSON`,
    ]);
  });

  it('sends the counts, the codename, the platform and the signature, and nothing of what logs hold', async () => {
    expect((await runCli(home(), [], env)).exit).to.equal(0);
    // The first one finds out whether this is the service, the last one asks for the rank, both as anyone may.
    expect(service().requests.map(({ method }) => method)).to.deep.equal(['GET', 'POST', 'POST', 'POST', 'GET']);
    expect(service().requests[0]!.headers).not.to.have.property('authorization');
    for (const { path, rawHeaders, body } of service().requests) {
      const signedParts = [...body.matchAll(/[A-Za-z0-9_-]{20,}/g)].map(([part]) => Buffer.from(part, 'base64url'));
      const sent = [path, ...rawHeaders, body, ...signedParts.map((part) => part.toString('latin1'))].join('\n');
      expect(sent).not.to.include(MARKER);
      expect(sent).not.to.include(home());
    }
    const [enrolment, past, snapshot] = posted(service()).map(({ body }) => body);
    const { jwk, name, proof, ...more }: Record<string, unknown> = JSON.parse(enrolment!);
    expect(more).to.deep.equal({});
    expect(jwk).to.have.all.keys(['kty', 'crv', 'x']);
    expect(proof).to.match(/^[\w-]+\.[\w-]+\.[\w-]{86}$/);
    // The key's own id names it: a host or login name would tell of the machine.
    expect(name).to.match(/^command line [A-Za-z0-9_-]{8}$/);
    const { signature, ...rest }: Record<string, unknown> = JSON.parse(snapshot!);
    expect(signature).to.match(DETACHED);
    const counts = { input: 10, output: 20, cache_read: 30, cache_write: 40 };
    expect(rest).to.deep.equal({ codename: 'test-lantern', platform: 'claude-code', ...counts });
    const members = ['alg', 'typ', 'kid', 'jti', 'iat', 'stream', 'epoch', 'cli', 'counting'];
    expect(signedHeader(snapshot!)).to.have.all.keys(members);
    expect(JSON.parse(past!)).to.have.all.keys(['codename', 'platform', ...Object.keys(counts), 'signature']);
    expect(signedHeader(past!)).to.have.all.keys([...members, 'as_of']);
  });

  it('sends no totals of past days with --no-history, or UPSILON_HISTORY=off', async () => {
    const dryRun = await runCli(home(), ['--dry-run', '--json'], { ...env, UPSILON_HISTORY: 'off' });
    const { requests }: Planned = JSON.parse(dryRun.stdout);
    expect(requests).to.have.length(2);
    expect((await runCli(home(), ['--no-history'], env)).exit).to.equal(0);
    // The service has totals of this ledger now: a later run has no past to add.
    expect((await runCli(home(), [], env)).exit).to.equal(0);
    const [, ...snapshots] = posted(service());
    expect(snapshots.map(({ body }) => signedHeader(body).as_of)).to.deep.equal([undefined, undefined]);
  });

  it('sends numbers and names of its own of any tool it knows', async () => {
    const fixtures = fileURLToPath(new URL('../../fixtures', import.meta.url));
    expect((await runCli(home(), ['--source-dir', fixtures], env)).exit).to.equal(0);
    const [, ...snapshots] = posted(service());
    const platforms = new Set<unknown>();
    for (const { path, body } of snapshots) {
      expect(path).to.equal('/api/v1/snapshots');
      const { codename, platform, signature, ...counts }: Record<string, unknown> = JSON.parse(body);
      platforms.add(platform);
      expect(codename).to.equal('test-lantern');
      expect(signature).to.match(DETACHED);
      expect(counts).to.have.all.keys(['input', 'output', 'cache_read', 'cache_write']);
      expect(Object.values(counts).every((count) => typeof count === 'number')).to.equal(true);
      const { kid, jti, stream, ...header } = signedHeader(body);
      expect([kid, jti, stream].every((id) => /^[A-Za-z0-9_-]{22,43}$/.test(id))).to.equal(true);
      expect(JSON.stringify(header)).to.match(/^[{}",:a-zA-Z0-9_+.-]+$/);
      expect(JSON.stringify(header)).not.to.match(/atlas|msg_|ses_|rollout/);
    }
    expect(platforms).to.deep.equal(new Set(PLATFORMS.filter((name) => name !== 'other')));
  });

  it('sends nothing and writes nothing in a dry run, with or without a login', async () => {
    const before = await readdir(home(), { recursive: true });
    const nameless = { CLAUDE_CONFIG_DIR: join(home(), MARKER), UPSILON_BASE_URL: service().baseUrl };
    for (const settings of [env, nameless]) {
      const run = await runCli(home(), ['--dry-run', '--requests'], settings);
      expect(run.exit).to.equal(0);
      expect(run.stdout).to.include('"cache_read":30').and.include(`${service().baseUrl}/snapshots`);
      expect(run.stdout).not.to.include('a-secret-token');
    }
    expect(await readdir(home(), { recursive: true })).to.deep.equal(before);
    // The public board and profile, and where this Yield stands, as anyone may ask.
    const asked = ['leaderboard?window=all_time&limit=1', 'standing?window=all_time&yield=6'];
    const paths = [...asked, 'operators/test-lantern', ...asked].map((path) => `/api/v1/${path}`);
    expect(service().requests.map(({ path }) => path)).to.have.members(paths);
    for (const { method, headers, body } of service().requests) {
      expect({ method, body }).to.deep.equal({ method: 'GET', body: '' });
      expect(headers).to.have.all.keys(BOARD_HEADERS);
    }
  });

  it('shows in a dry run the very bytes that are sent, but for time, id and signature', async () => {
    await runCli(home(), [], env);
    const planned: Planned = JSON.parse((await runCli(home(), ['--dry-run', '--json'], env)).stdout);
    await runCli(home(), [], env);
    expect(planned.key.exists).to.equal(true);
    expect(planned.requests).to.have.length(1);
    const shown = planned.requests[0]!;
    const sent = posted(service()).at(-1)!;
    expect(unsigned(shown.body)).to.equal(unsigned(sent.body));
    expect(shown.url).to.equal(`${service().baseUrl}/snapshots`);
    expect(sent.headers).to.include({ ...shown.headers, authorization: 'Bearer a-secret-token' });
    expect(Object.keys(signedHeader(shown.body))).to.deep.equal(Object.keys(signedHeader(sent.body)));
  });
});

function unsigned(body: string): string {
  return body.replace(/"signature":"[^"]+"/, '');
}

function posted({ requests }: RecordingService): RecordingService['requests'] {
  return requests.filter(({ method }) => method === 'POST');
}
