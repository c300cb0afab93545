import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { checkChain } from '../../../../cli/src/archive/check-chain.ts';
import { checkDay } from '../../../../cli/src/archive/check-day.ts';
import { openArchive } from '../../../../cli/src/archive/open-archive.ts';
import { DAY_MS } from '../../../../config/units.ts';
import { ARCHIVE_FAILPOINTS, type FailpointName } from '../../../../engine/ranking/index.ts';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import { makeVictim } from '../../../faults/victim.ts';
import { runsOf } from '../../../support/long-run.ts';
import { runSeed, seededRandom } from '../../../support/seeded-random.ts';
import { useFolder } from '../../../support/temporary-folder.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';
import { openArchiveWorld } from './archive-world.ts';

const DAYS = runsOf(4, 30);
const FLIPS = runsOf(30, 1_000);
const REFERENCE = fileURLToPath(new URL('../../../../api/site/assets/recompute.mjs', import.meta.url));

/** Checks a whole archive; returns the days' lines, null where they were deleted. */
async function recompute(dir: string, now?: number) {
  const archive = openArchive(dir);
  const chain = await checkChain(archive);
  const days = new Map<string, Awaited<ReturnType<typeof checkDay>>>();
  for (const [name, day] of chain.days) days.set(name, await checkDay(archive, day, now));
  return { chain, days };
}

/** The files of an archive, by name. */
function filesOf(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((file) => statSync(join(dir, file)).isFile());
}

const contentsOf = (dir: string) =>
  new Map(filesOf(dir).map((file) => [file, readFileSync(join(dir, file)).toString('base64')]));

/** All text of an archive, decompressed. */
function textOf(dir: string): string {
  return filesOf(dir)
    .map((file) => readFileSync(join(dir, file)))
    .map((bytes, at) => (filesOf(dir)[at]!.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString())
    .join('\n');
}

const referenceOn = (dir: string): string => execFileSync(process.execPath, [REFERENCE, dir], { encoding: 'utf8' });

describe('the archive', () => {
  const random = seededRandom(runSeed());
  const folder = useFolder();
  const archived = useFreshFixture(() => openArchiveWorld(folder(), random));

  async function archiveDays(count: number, enrolled = 3): Promise<void> {
    for (let day = 0; day < count; day++) {
      await archived().nextDay(enrolled);
      await archived().write();
    }
  }

  it(`of ${DAYS} simulated days is recomputed equal, row by row, also by the reference`, async () => {
    await archiveDays(DAYS);
    const { chain, days } = await recompute(folder());
    expect([days.size, chain.last, chain.missingDays, chain.lostLinks]).to.deep.equal([DAYS, DAYS, [], 0]);
    expect([...days.values()].at(-1)?.lines).to.be.above(DAYS);
    expect(referenceOn(folder()).trim().split('\n')).to.have.lengthOf(DAYS);
    const reader = await archived().world.ranking.openBoardReader(() => undefined);
    expect([...chain.days.values()].at(-1)?.manifest.windows['all_time']?.ranked).to.equal(
      reader.view().totals.all_time,
    );
    await reader.close();
  });

  it('is not written again, and has no names', async () => {
    await archiveDays(2);
    const before = contentsOf(folder());
    await archived().submit(2);
    await archived().write();
    expect(contentsOf(folder())).to.deep.equal(before);
    expect(textOf(folder())).to.not.include('archived-');
  });

  it(`with one flipped bit in any file is refused by the name of the file, in ${FLIPS} of ${FLIPS} tries`, async () => {
    await archiveDays(2);
    await archived().archiveKeys.rotate();
    await archiveDays(1);
    await archived().world.ranking.operators.erase(await firstLine());
    await archived().world.ranking.archive.blankErased(archived().target);
    const missed: string[] = [];
    for (let flip = 0; flip < FLIPS; flip++) {
      const file = random.pick(filesOf(folder()).filter((name) => !name.endsWith('.new')));
      const path = join(folder(), file);
      const bytes = readFileSync(path);
      const changed = Buffer.from(bytes);
      const bit = random.integer(0, bytes.length * 8 - 1);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      writeFileSync(path, changed);
      const found = await recompute(folder()).then(
        () => 'nothing',
        (error: unknown) => String(error),
      );
      if (!found.includes(file)) missed.push(`${file} bit ${bit}: ${found}`);
      writeFileSync(path, bytes);
    }
    expect(missed).to.deep.equal([]);
    await recompute(folder());
  });

  it('is byte-equal after a crash at every failpoint', async () => {
    await archiveDays(1);
    await archived().nextDay();
    const [before, head] = [join(folder(), '../before'), await archived().world.ranking.archive.head()];
    cpSync(folder(), before, { recursive: true });
    await archived().write();
    const expected = contentsOf(folder());
    const stores = openStores(archived().world.connection);
    for (const at of ARCHIVE_FAILPOINTS.filter((point) => point !== 'archive.applied')) {
      rmSync(folder(), { recursive: true });
      cpSync(before, folder(), { recursive: true });
      await stores.archiveLines.setHead(head);
      await crash(at, (engine) => engine.archive.write(archived().target));
      await archived().write();
      expect(contentsOf(folder()), at).to.deep.equal(expected);
    }
    rmSync(before, { recursive: true });
  });

  /** Stops a process at a failpoint; its lease is over when the next one comes. */
  async function crash(
    at: FailpointName,
    work: (engine: ReturnType<typeof makeVictim>['engine']) => Promise<void>,
  ): Promise<void> {
    const victim = makeVictim(archived().world, { at });
    await victim.reachedBy(work(victim.engine));
    await archived().world.connection.collection('leases').deleteMany({});
  }

  it('has no number of an erased operator after the pass, also one that crashed anywhere, and is recomputed', async () => {
    await archiveDays(3, 9);
    const { operators, world, target } = archived();
    for (const at of [
      'archive.part_staged',
      'archive.link_written',
      'archive.applied',
      'archive.head_written',
    ] as const) {
      const found = await Promise.all(operators.map(yieldsOf));
      const yields = found.find((own) => own.length > 0)!;
      const [operator = 0] = operators.splice(found.indexOf(yields), 1);
      for (const number of yields) expect(textOf(folder())).to.include(number);
      await world.ranking.operators.erase(operator);
      await crash(at, (engine) => engine.archive.blankErased(target));
      await world.ranking.archive.blankErased(target);
      for (const number of yields) expect(textOf(folder()), at).to.not.include(`,${number},`);
    }
    const { days } = await recompute(folder());
    expect([...days.values()].map((day) => day?.blank)).to.include(4);
    expect(referenceOn(folder())).to.include('of which 4 are blank');
    const known = await world.connection.collection('archive_lines').find().toArray();
    expect(known).to.have.lengthOf(3);
    const left = await Promise.all(known.map(({ _id }) => openStores(world.connection).archiveLines.part(String(_id))));
    expect(left.flatMap((part) => [...part!.operators]).filter((number) => number === 0)).to.have.length.above(3);
    const before = contentsOf(folder());
    await world.ranking.archive.blankErased(target);
    expect(contentsOf(folder())).to.deep.equal(before);
  });

  /** Whose the first line of the first day is. */
  async function firstLine(): Promise<number> {
    const { archiveLines } = openStores(archived().world.connection);
    const [file = ''] = await archiveLines.filesUntil('9999-12-31');
    return (await archiveLines.part(file))!.operators[0]!;
  }

  /** The operator's Yields in the archive that no other line has, as they are written. */
  async function yieldsOf(operator: number): Promise<string[]> {
    const { archiveLines } = openStores(archived().world.connection);
    const numbers = new Map<string, Set<number>>();
    for (const file of await archiveLines.filesUntil('9999-12-31')) {
      const lines = gunzipSync(readFileSync(join(folder(), file)))
        .toString()
        .trim()
        .split('\n');
      const whose = (await archiveLines.part(file))!.operators;
      for (const [at, line] of lines.entries()) {
        for (const number of line.slice(1, -1).split(',').slice(1, 5)) {
          numbers.set(number, (numbers.get(number) ?? new Set()).add(whose[at]!));
        }
      }
    }
    return [...numbers].flatMap(([number, of]) =>
      number !== 'null' && of.size === 1 && of.has(operator) ? number : [],
    );
  }

  it('signs no part again that is not what was signed, and blanks the others', async () => {
    await archiveDays(2);
    const { world, target } = archived();
    const damaged = filesOf(folder()).find((file) => file.endsWith('.gz'))!;
    writeFileSync(join(folder(), damaged), 'not it');
    await world.ranking.operators.erase(await firstLine());
    const error = await world.ranking.archive.blankErased(target).catch((reason: unknown) => reason);
    expect(String(error)).to.include(damaged);
    expect((await world.ranking.archive.head()).link).to.equal(3);
  });

  it('names days without a board, and begins again where its folder was lost', async () => {
    await archiveDays(1);
    await archived().nextDay(1, 3);
    await archived().write();
    const { chain } = await recompute(folder());
    expect(chain.missingDays).to.have.lengthOf(2);
    rmSync(folder(), { recursive: true });
    await archiveDays(1);
    const again = await recompute(folder());
    expect([again.chain.first, again.chain.last, again.chain.lostLinks, again.days.size]).to.deep.equal([3, 4, 2, 1]);
    expect(again.chain.hashes.has(chain.head)).to.equal(true);
    expect(referenceOn(folder())).to.include('are as stated');
  });

  it('deletes lines after their time, and keeps the links', async () => {
    await archiveDays(2);
    const [first = ''] = (await recompute(folder())).days.keys();
    await archived().nextDay(1, 399);
    await archived().write();
    expect(existsSync(join(folder(), first))).to.equal(false);
    expect(existsSync(join(folder(), 'links/000001.json'))).to.equal(true);
    const { days } = await recompute(folder(), archived().world.now);
    expect([...days.values()].map((day) => day === null)).to.deep.equal([true, false, false]);
    const early = await recompute(folder(), archived().world.now - 2 * DAY_MS).catch(String);
    expect(early, 'before its time').to.include(first);
  });

  it('refuses a folder that holds another chain', async () => {
    await archiveDays(1);
    await openStores(archived().world.connection).archiveLines.setHead({ first: 1, link: 0, sha256: 'x', day: null });
    await archived().nextDay();
    expect(await archived().write().catch(String)).to.include('use another folder');
  });
});
