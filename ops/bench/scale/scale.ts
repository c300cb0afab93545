import { setTimeout as pause } from 'node:timers/promises';
import { MIB } from '../../../config/units.ts';
import { againstCommit } from '../frame/against.ts';
import { type BenchContext, defineBench, type Figure, figure } from '../frame/bench.ts';
import { residentBytes } from '../frame/cpu-time.ts';
import { alternate, median, medianRatio, timed } from '../frame/statistics.ts';
import { mib, ms, operatorsText } from '../frame/text-table.ts';
import { measureProfiles } from '../reads/measure-profiles.ts';
import { openSides, type Side } from '../sides/side.ts';
import { cloneToReady } from './clone-to-ready.ts';
import { pageFigures } from './page-figures.ts';

/** Unmeasured profile reads, during which code is compiled. */
const WARM_UP_READS = { full: 1_500, tiny: 20 } as const;
/** Sizes of populations grow by this. */
const FACTOR = 10;
/** Limits of start and memory, and of the time of a first start, as ratios to another commit. */
const MAX_GROWTH = { atMost: 1.1 } as const;
const MAX_CLONE_GROWTH = { atMost: 1.15 } as const;
const ROLES = ['worker', 'api'] as const;

/** The service over populations of growing size. */
export const scale = defineBench({
  name: 'scale',
  summary: 'start and memory of the service, and first reads of profiles, over populations up to a million',
  method:
    'A population with changes since the last compaction, as in production. Starts alternate with those over an empty database. ' +
    'Memory is resident, after some reads and a rest. A profile is one whose board pages are not in memory.',
  options: {
    operators: [1_000_000, 2_000],
    few: [10_000, 2_000],
    rounds: [3, 1],
    profiles: [200, 20],
    // The store writes a checkpoint of what was seeded, and the worker reads the board and compacts it for its hour.
    'rest-ms': [5_000, 100],
    // Fresh copies of each tree; npm installs all packages in each.
    clones: [0, 0],
  },
  async run(context, { operators: most, few, rounds, clones, ...options }) {
    const sides = await openSides(context, async (side) => side);
    const empty = context.size === 'tiny' ? [] : await seedAll(context, sides, 0);
    const rows: (readonly string[])[] = [];
    let figures: readonly Figure[] = [];
    let pages: readonly Figure[] = [];
    for (let operators = few; operators <= most; operators *= FACTOR) {
      context.progress(`${operators} operators`);
      const { ms: seedMs, value: services } = await timed(() => seedAll(context, sides, operators));
      await pause(options['rest-ms']);
      const shape = { ...options, warmUp: WARM_UP_READS[context.size] };
      const taken = await alternate([...services, ...empty], rounds, (service) => measure(service, shape));
      rows.push(...services.map(({ side }, tree) => rowOf([String(operators), side.name, ms(seedMs)], taken[tree]!)));
      figures = figuresOf(context, operators, taken);
      if (operators * FACTOR > most) pages = await measurePages(services[0]!, options.profiles);
    }
    context.table('The service over populations of growing size, medians', [
      ['operators', 'tree', 'seeded', 'worker start', 'api start', 'worker', 'api', 'profile', 'again', 'findOne'],
      ...rows,
    ]);
    return [...figures, ...pages, ...(clones === 0 ? [] : await cloneFigures(context, clones))];
  },
});

/** A tree's service over a database. */
type Service = Awaited<ReturnType<typeof seed>>;

async function seedAll(context: BenchContext, sides: readonly Side[], operators: number): Promise<readonly Service[]> {
  const services: Service[] = [];
  for (const side of sides) services.push(await seed(context, side, operators));
  return services;
}

/** Fills a new database, and starts each process over it once: the first start creates collections and indexes. */
async function seed(context: BenchContext, side: Side, operators: number) {
  const mongoUrl = side.newDatabase();
  await side.fill(mongoUrl, (population) => population.request('seed', { operators, isChanged: true }));
  const env = await side.environmentOf(mongoUrl);
  if (context.size === 'full') {
    await (await side.startWorker(env)).stop();
    await (await side.startApi(env)).stop();
  }
  return { side, operators, mongoUrl, env };
}

/** Starts worker and api: milliseconds of their starts and of profiles, and bytes of memory after a rest. */
async function measure(
  { side, operators, mongoUrl, env }: Service,
  { 'rest-ms': restMs, ...shape }: Readonly<Record<'rest-ms' | 'profiles' | 'warmUp', number>>,
) {
  const worker = await timed(() => side.startWorker(env));
  await pause(restMs);
  const api = await timed(() => side.startApi(env));
  const { port } = api.value;
  const profiles = operators === 0 ? NO_PROFILES : await measureProfiles({ mongoUrl, port }, { operators, ...shape });
  await pause(operators === 0 ? 0 : restMs);
  const [workerBytes, apiBytes] = [await residentBytes(worker.value.pid), await residentBytes(api.value.pid)];
  await Promise.all([api.value.stop(), worker.value.stop()]);
  return { workerMs: worker.ms, apiMs: api.ms, workerBytes, apiBytes, ...profiles };
}

async function measurePages({ side, env, mongoUrl, operators }: Service, rounds: number): Promise<readonly Figure[]> {
  const api = await side.startApi(env);
  const figures = await pageFigures({ mongoUrl, port: api.port }, operators, rounds);
  await api.stop();
  return figures;
}

const NO_PROFILES = { firstMs: Number.NaN, secondMs: Number.NaN, findOneMs: Number.NaN };

type Measured = Awaited<ReturnType<typeof measure>>;

const of = (taken: readonly Measured[], member: keyof Measured): number[] => taken.map((one) => one[member]);

function rowOf(first: readonly string[], taken: readonly Measured[]): readonly string[] {
  const shown = (member: keyof Measured): string => ms(median(of(taken, member)));
  const memory = ROLES.map((role) => mib(median(of(taken, `${role}Bytes`))));
  return [
    ...first,
    shown('workerMs'),
    shown('apiMs'),
    ...memory,
    shown('firstMs'),
    shown('secondMs'),
    shown('findOneMs'),
  ];
}

/** `taken`: of the populations of the trees, and then of their empty databases. */
function figuresOf(
  context: BenchContext,
  operators: number,
  taken: readonly (readonly Measured[])[],
): readonly Figure[] {
  const populations = taken.slice(0, context.trees.length);
  const [own, empty = []] = [taken[0]!, taken[context.trees.length]];
  const at = `at ${operatorsText(operators)}`;
  const [first, found] = [median(of(own, 'firstMs')), median(of(own, 'findOneMs'))];
  const start = (role: (typeof ROLES)[number]): Figure => {
    const times = of(own, `${role}Ms`);
    const ratio = medianRatio(times, of(empty, `${role}Ms`));
    return figure(`${role} start ${at}`, median(times), 'ms', { ratio, peer: 'of an empty start', atMost: 1.5 });
  };
  const memory = (role: (typeof ROLES)[number], atMost: number): Figure =>
    figure(`memory of ${role} ${at}`, median(of(own, `${role}Bytes`)) / MIB, 'MiB', { atMost });
  return [
    figure(`cold profile ${at}`, first, 'ms', { ratio: first / found, peer: 'of one indexed findOne', atMost: 3 }),
    start('worker'),
    start('api'),
    memory('worker', 500),
    memory('api', 270),
    ...ROLES.flatMap((role) => {
      const times = populations.map((measured) => of(measured, `${role}Ms`));
      const bytes = populations.map((measured) => of(measured, `${role}Bytes`));
      return [
        ...againstCommit(context, `${role} start`, 'ms', times, MAX_GROWTH),
        ...againstCommit(context, `memory of ${role}`, 'bytes', bytes, MAX_GROWTH),
      ];
    }),
  ];
}

async function cloneFigures(context: BenchContext, clones: number): Promise<readonly Figure[]> {
  context.progress('starting fresh copies');
  const seconds = await alternate(context.trees, clones, (tree) => cloneToReady(context, tree));
  const name = 'from a fresh copy to the first response';
  return [figure(name, median(seconds[0]!), 's'), ...againstCommit(context, name, 's', seconds, MAX_CLONE_GROWTH)];
}
