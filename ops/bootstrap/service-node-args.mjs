/**
 * Node arguments. Requests and batches in progress outlive several collections of the young generation, whose semi-spaces have 16
 * MiB by default, and each collection copies them. With 64 MiB instead of 32, a snapshot takes 1 to 2 % less CPU time, and the api
 * 35 to 55 MiB more memory. Helper threads of the collector wait for each other more than they collect; without them a snapshot
 * takes a quarter less CPU time, and no more of the main thread's. Without allocation-site pretenuring, V8 never decides under
 * load, for the life of the process, to allocate objects such as a response's listeners in the old generation, where each keeps
 * its request alive until a major collection: 20 to 50 us of collection for each request through Koa, not 0.5 to 2. Between two
 * major collections the old generation may double, if Node's heap limit allows it. V8 decides by its rate otherwise: that of a
 * worker with 2,000 snapshots a second and 44 MB live grew by 40 %, and marking it again and again took an eighth of the CPU time.
 * A task of the event loop collects the young generation when 95 % of a semi-space is used. V8's default is 80 %, with which
 * collection takes a third more time under load; at 100 %, V8 collects in the middle of a function, where more is in use.
 */
const NODE_ARGS = [
  '--max-semi-space-size=32',
  '--single-threaded-gc',
  '--no-allocation-site-pretenuring',
  '--heap-growing-percent=100',
  '--minor-gc-task-trigger=95',
];

/**
 * The first major collection of an api comes at an old generation of 64 MiB: without this argument, an api over a million
 * operators takes 12 MiB more memory; with 128 MiB, 30 MiB more, and 3 to 5 % less CPU time for its start. A worker begins
 * at 128 MiB: with 64, it collects during its start or its first re-rank, which then takes 7 % longer; with 128, it has 8 MiB more
 * memory after that re-rank.
 */
export const SERVICE_NODE_ARGS = {
  api: [...NODE_ARGS, '--initial-old-space-size=64'],
  worker: [...NODE_ARGS, '--initial-old-space-size=128'],
};
