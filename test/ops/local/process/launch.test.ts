import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { processEnvironment } from '../../../../config/env.ts';
import { type ChildSpec, launch } from '../../../../ops/local/process/launch.ts';
import { processesOf } from '../../../support/starter.ts';
import { useFolder } from '../../../support/temporary-folder.ts';

const READY = 'process.send({ type: "ready", port: 7 });';
const LIVE_ON = 'setInterval(() => {}, 1_000);';

describe('a launched process', () => {
  const folder = useFolder();

  async function program(code: string): Promise<ChildSpec> {
    const entry = join(folder(), 'program.mjs');
    await writeFile(entry, code);
    const times = { readyWithinMs: 300_000, stopWithinMs: 60_000 };
    return { name: 'program', entry, env: processEnvironment(), output: 'kept', ...times };
  }

  async function failureOf(spec: ChildSpec): Promise<unknown> {
    const failure = await launch(spec).catch((error: unknown) => error);
    expect(await processesOf(folder()), 'left running').to.deep.equal([]);
    return failure;
  }

  it('returns its details when it is ready, and ends on SIGTERM', async () => {
    const child = await launch(await program(`process.on("SIGTERM", () => process.exit(4)); ${READY} ${LIVE_ON}`));
    expect(child.details).to.include({ port: 7 });
    expect(await child.stop()).to.include({ code: 4, signal: null });
  });

  it('is killed when it does not end in time', async () => {
    const spec = await program(`process.on("SIGTERM", () => {}); ${READY} ${LIVE_ON}`);
    const child = await launch({ ...spec, stopWithinMs: 1 });
    expect(await child.stop()).to.include({ code: null, signal: 'SIGKILL' });
  });

  it('is stopped when it is not ready in time', async () => {
    const spec = await program(LIVE_ON);
    expect(await failureOf({ ...spec, readyWithinMs: 1 }))
      .to.be.an('error')
      .with.property('message', 'program was not ready within 0.001 s');
  });

  it('is stopped when it reports that it cannot serve, and the error has its reason', async () => {
    const spec = await program(`process.send({ type: "failed", reason: "no room" }); ${LIVE_ON}`);
    expect(await failureOf(spec))
      .to.be.an('error')
      .with.property('message', 'program: no room');
  });

  it('that ends before it is ready fails with its last output lines', async () => {
    const spec = await program(
      'for (let line = 1; line <= 25; line++) console.log(`line ${line}`); process.exitCode = 3;',
    );
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 6}`);
    expect(await failureOf(spec))
      .to.be.an('error')
      .with.property('message', ['program ended with status 3', ...lines].join('\n    '));
  });
});
