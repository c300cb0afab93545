import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { hasTool, startTool, TOOLS_FOLDER } from '../../../support/ci-tools.ts';
import { leaveOut } from '../../../support/leave-out.ts';
import { openTestApi } from '../../../support/test-api.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const GENERATOR = join(TOOLS_FOLDER, 'node_modules/openapi-generator-cli/bin/openapi-generator.jar');

/** What the generated clients find out: a board, an operator, and the errors of three operations. */
const FOUND = {
  board: ['generated-one'],
  me: 'generated-one',
  plan: 'plan_required',
  errors: ['operator_unknown', 'limit_out_of_bounds', 'token_missing'],
};

/** Uses the TypeScript client; every error has the one type of problems, or the compiler refuses the program. */
const TYPESCRIPT = `
import { client } from './generated/client.gen';
import { getLeaderboard, getMe, getOperator, submitSnapshot } from './generated/sdk.gen';
import type { LeaderboardEntry, ProblemDetails, SnapshotSubmission } from './generated/types.gen';

const [, , baseUrl = '', token = '', snapshot = ''] = process.argv;
client.setConfig({ baseUrl });
const auth = token;
const board = await getLeaderboard({ query: { window: 'all_time', limit: 5 } });
const entries: LeaderboardEntry[] = board.data?.entries ?? [];
const me = await getMe({ auth });
const body: SnapshotSubmission = JSON.parse(snapshot);
const submitted = await submitSnapshot({ auth, body });
const unpaid: ProblemDetails | undefined = submitted.error;
const unknown: ProblemDetails | undefined = (await getOperator({ path: { codename: 'nobody' } })).error;
const wrong: ProblemDetails | undefined = (await getLeaderboard({ query: { limit: 1000 } })).error;
const missing: ProblemDetails | undefined = (await getMe()).error;
console.log(JSON.stringify({
  board: entries.map(({ codename }) => codename),
  me: me.data?.codename,
  plan: unpaid?.code,
  errors: [unknown?.code, wrong?.code, missing?.code],
}));
`;

/** Uses the Python client. */
const PYTHON = `
import json, sys
sys.path.insert(0, 'generated')
import upsilon_client as u

_, base, token, snapshot = sys.argv

def api(access_token=None):
    configuration = u.Configuration(host=base)
    configuration.access_token = access_token
    return u.ApiClient(configuration)

def code_of(call):
    try:
        call()
    except u.ApiException as error:
        return json.loads(error.body)['code']

board = u.LeaderboardApi(api()).get_leaderboard(window='all_time', limit=5)
submission = u.SnapshotSubmission(**json.loads(snapshot))
print(json.dumps({
    'board': [entry.codename for entry in board.entries],
    'me': u.MeApi(api(token)).get_me().codename,
    'plan': code_of(lambda: u.SnapshotsApi(api(token)).submit_snapshot(submission)),
    'errors': [
        code_of(lambda: u.OperatorsApi(api()).get_operator('nobody')),
        code_of(lambda: u.LeaderboardApi(api()).get_leaderboard(limit=100, window='1d')),
        code_of(lambda: u.MeApi(api()).get_me()),
    ],
}))
`;

import { useFolder } from '../../../support/temporary-folder.ts';
import { useFixture } from '../../../support/use-fixture.ts';

interface Ran {
  readonly code: number;
  readonly out: string;
}

function run(program: string, args: readonly string[], cwd: string): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { cwd }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, out: `${stdout}${child.exitCode === 0 ? '' : stderr}` }),
    );
  });
}

/** The first Python with what generated clients import; null without one, or without Java. */
async function findPython(): Promise<string | null> {
  if ((await run('java', ['-version'], ROOT)).code !== 0) return null;
  for (const python of ['/usr/bin/python3', 'python3']) {
    if ((await run(python, ['-c', 'import urllib3, six, dateutil, certifi'], ROOT)).code === 0) return python;
  }
  return null;
}

describe('clients generated from the API description', () => {
  if (!hasTool('openapi-ts')) {
    leaveOut('tools', 'the tools are not installed (npm run tools)');
    return;
  }

  const test = useFixture(() => openTestApi({ settings: { enforcePlan: true } }));
  const operator = useFixture(() => test().operator(FOUND.me));
  const folder = useFolder();

  before(async () => {
    await test().accounts.setPlan(operator().operator, 'granted');
    await test().post('/api/v1/snapshots', operator().token, test().snapshot(operator()));
    await test().publish();
    await test().accounts.setPlan(operator().operator, 'free');
  });

  beforeEach(async () => writeFile(join(folder(), 'openapi.json'), (await test().get('/openapi.json')).text));

  const given = (): string[] => [
    `${test().origin}/api/v1`,
    operator().token,
    JSON.stringify(test().snapshot(operator(), { output: 40 })),
  ];

  it('work in TypeScript, with one type for all errors', async () => {
    const files = ['-i', join(folder(), 'openapi.json'), '-o', join(folder(), 'generated'), '--no-log-file'];
    const { code, out, err } = await startTool('openapi-ts', [...files, '-c', '@hey-api/client-fetch']).ended;
    expect(code, out + err).to.equal(0);
    const program = join(folder(), 'program.ts');
    await writeFile(program, TYPESCRIPT);
    await writeFile(join(folder(), 'package.json'), '{"type":"module"}');
    const strict = [
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
    ];
    const roots = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types'), '--lib', 'es2022,dom'];
    const checked = await run(join(ROOT, 'node_modules/.bin/tsc'), [...strict, ...roots, program], folder());
    expect(checked.code, checked.out).to.equal(0);
    const ran = await run(process.execPath, ['--import', 'tsx', program, ...given()], ROOT);
    expect(ran.code, ran.out).to.equal(0);
    expect(JSON.parse(ran.out)).to.deep.equal(FOUND);
  });

  it('work in Python', async () => {
    const python = await findPython();
    expect(python, 'Java and the Debian packages python3-urllib3, python3-dateutil, python3-certifi').to.not.equal(
      null,
    );
    const files = ['-i', 'openapi.json', '-o', 'generated', '--package-name', 'upsilon_client'];
    const made = await run('java', ['-jar', GENERATOR, 'generate', '-g', 'python', ...files], folder());
    expect(made.code, made.out).to.equal(0);
    const program = join(folder(), 'program.py');
    await writeFile(program, PYTHON);
    const ran = await run(python ?? '', [program, ...given()], folder());
    expect(ran.code, ran.out).to.equal(0);
    expect(JSON.parse(ran.out)).to.deep.equal({
      ...FOUND,
      errors: ['operator_unknown', 'window_invalid', 'token_missing'],
    });
  });
});
