import { expect } from 'chai';
import { z } from 'zod';
import { eventually } from '../support/eventually.ts';
import { type RunningService, runService } from '../support/running-service.ts';
import { makeDeviceKey, makeDeviceProof, makeSubmission } from '../support/signing.ts';
import { useFixture } from '../support/use-fixture.ts';

const LINE = z.looseObject({ msg: z.string() });

describe('the log', () => {
  const lines: z.infer<typeof LINE>[] = [];
  const service = useFixture<RunningService>(() =>
    runService({ onLog: (line) => lines.push(LINE.parse(JSON.parse(line))) }),
  );

  const logged = (msg: string, matching: Readonly<Record<string, unknown>>) =>
    eventually(`a line "${msg}"`, () =>
      lines.find((line) => line.msg === msg && Object.entries(matching).every(([name, value]) => line[name] === value)),
    );

  it('connects a request with its job and the board version that shows it', async () => {
    const codename = 'paper-lantern';
    const { operator, token } = await service().operator(codename);
    const key = makeDeviceKey();
    const iat = Math.floor(service().now / 1_000);
    const proof = makeDeviceProof(key, { codename, iat });
    await service().accounts.devices.enrol({ operator, codename, jwk: key.jwk, proof });
    const counts = { codename, input: 1, output: 2, cache_read: 3, cache_write: 4 };
    const jti = 'followed-through';
    const submission = makeSubmission(key, counts, { iat, jti });
    const answer = await fetch(`${service().baseUrl}/snapshots`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(submission),
    });
    expect(answer.status).to.equal(200);

    const { batch } = await logged('a snapshot was logged', { operator, jti });
    expect(await logged('a job ended', { job: batch })).to.include({ name: 'process-batch' });
    const published = await eventually('the version', () =>
      lines.find(
        ({ msg, batches }) =>
          msg === 'a board version was published' && Array.isArray(batches) && batches.includes(batch),
      ),
    );
    const board = z.object({ board_version: z.int() });
    const shown = async () => board.parse(await (await fetch(`${service().baseUrl}/leaderboard`)).json()).board_version;
    await eventually('that version or a newer one', async () => (await shown()) >= Number(published['version']));
    const text = JSON.stringify(lines);
    for (const secret of [token, submission.signature]) expect(text).to.not.include(secret);
  });
});
