const NODE_ARGS = [
  // Helper threads of the collector wait for each other more than they collect: with them, a snapshot took 22 % more CPU time.
  '--single-threaded-gc',
  // Otherwise V8 may allocate what a request needs in the old generation: in three of six processes, a snapshot then took 17 to
  // 33 % more CPU time.
  '--no-allocation-site-pretenuring',
];

/** Node arguments of the service's processes. */
export const SERVICE_NODE_ARGS = { api: NODE_ARGS, worker: NODE_ARGS };
