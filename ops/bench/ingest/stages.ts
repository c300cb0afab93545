import { readFile } from 'node:fs/promises';
import type { Profiler } from 'node:inspector';

/** Stages by a part of the path of a function's file, or of its nearest caller's. */
const STAGES: readonly (readonly [part: string, stage: string])[] = [
  ['/node_modules/bson/', 'BSON'],
  ['/node_modules/mongodb/', 'MongoDB driver'],
  ['/node_modules/mongoose/', 'MongoDB driver'],
  ['/node_modules/bullmq/', 'queue (BullMQ)'],
  ['/node_modules/ioredis/', 'queue (ioredis)'],
  ['/node_modules/redis-parser/', 'queue (ioredis)'],
  ['/node_modules/zod/', 'zod'],
  ['/node_modules/jose/', 'token'],
  ['/node_modules/koa-body/', 'request body'],
  ['/node_modules/raw-body/', 'request body'],
  ['/node_modules/co-body/', 'request body'],
  ['/node_modules/koa', 'Koa'],
  ['/node_modules/@koa/', 'Koa'],
  ['/node_modules/prom-client/', 'metrics'],
  ['/ops/runtime/telemetry/', 'metrics'],
  ['/node_modules/', 'other packages'],
  ['/api/auth/', 'token'],
  ['/api/http/rate-limit/', 'rate limit'],
  ['/api/http/strict-json', 'strict JSON'],
  ['/api/http/read-body', 'request body'],
  ['/api/v1/snapshots/batch-writer', 'batch writer'],
  ['/api/v1/snapshots/', 'submission'],
  ['/api/', 'routes'],
  ['/engine/contract/', 'schema and JWS'],
  ['/engine/accounts/', 'accounts'],
  ['/engine/ranking/ingest/verification/', 'verification'],
  ['/engine/ranking/ingest/', 'apply'],
  ['/engine/ranking/core/operator-state/', 'apply'],
  ['/engine/ranking/storage/', 'stores'],
  ['/engine/ranking/board/', 'commit'],
  ['/engine/ranking/repair/', 'repair'],
  ['/engine/ranking/core/board/', 'board'],
  ['/engine/ranking/read/', 'board'],
  ['/engine/ranking/', 'ranking'],
  ['/workers/', 'jobs'],
  ['node:_http', 'node:http'],
  ['node:internal/stream', 'sockets'],
  ['node:net', 'sockets'],
];

/** Shares of a process's busy time by stage, in descending order. */
export type StageShares = readonly (readonly [stage: string, share: number])[];

/** Computes shares of the main thread's busy time from a CPU profile. */
export async function readStages(file: string): Promise<StageShares> {
  const { nodes: all, samples = [], timeDeltas = [] }: Profiler.Profile = JSON.parse(await readFile(file, 'utf8'));
  const parents = new Map<number, Profiler.ProfileNode>();
  const nodes = new Map<number, Profiler.ProfileNode>();
  for (const node of all) {
    nodes.set(node.id, node);
    for (const child of node.children ?? []) parents.set(child, node);
  }
  const stages = new Map<number, string>();
  const times = new Map<string, number>();
  let busy = 0;
  samples.forEach((id, index) => {
    const known = stages.get(id) ?? stageOf(nodes.get(id), parents);
    stages.set(id, known);
    if (known === '(idle)' || known === '(profiler)') return;
    const spent = timeDeltas[index] ?? 0;
    busy += spent;
    times.set(known, (times.get(known) ?? 0) + spent);
  });
  return [...times].map(([stage, spent]) => [stage, spent / busy] as const).sort((a, b) => b[1] - a[1]);
}

/** The stage of the innermost function of a package or of this project, else of a function of Node. */
function stageOf(leaf: Profiler.ProfileNode | undefined, parents: ReadonlyMap<number, Profiler.ProfileNode>): string {
  const name = leaf?.callFrame.functionName ?? '';
  if (name === '(idle)' || name === '(garbage collector)' || name === '(program)') return name;
  let outer = 'other';
  for (let node = leaf; node !== undefined; node = parents.get(node.id)) {
    const { url } = node.callFrame;
    const stage = STAGES.find(([part]) => url.includes(part))?.[1];
    if (url === 'node:inspector') return '(profiler)';
    if (stage !== undefined && !url.startsWith('node:')) return stage;
    outer = stage ?? outer;
  }
  return outer;
}
