/** Limits that several modules share; others stand where they apply. Sizes are bytes, times milliseconds, unless the name says otherwise. */
export const LIMITS = {
  http: {
    bodyBytes: 16 * 1024,
    /** A webhook: an event of a payment provider, which includes the complete object. */
    webhookBytes: 512 * 1024,
    /** Metadata of a dynamic client registration. */
    registrationBytes: 4 * 1024,
    jsonDepth: 8,
    /** Rounded up to whole seconds on the wire. */
    preferWaitMs: 10_000,
    requestTimeoutMs: 30_000,
    headersTimeoutMs: 10_000,
    keepAliveTimeoutMs: 65_000,
  },
  connections: {
    /** Concurrent connections of one api process. */
    ofApi: 10_000,
    /** Of a metrics port, and of the queue console. */
    ofConsole: 256,
    /** After this long without reading, a client's response is aborted. */
    unreadMs: 30_000,
    /** Speed of the slowest client whose long response continues beyond that. */
    minBytesPerMs: 16,
    /** Interval between checks of all connections. */
    checkEveryMs: 2_000,
    /** Of an embedded engine, which only local processes reach. */
    ofEngine: {
      maxConnections: 10_000,
      unreadMs: 30_000,
      minBytesPerMs: 4_096,
      checkEveryMs: 2_000,
      /** From connecting until the first reply. */
      firstReplyMs: 10_000,
      /** From the first part of a message until its end. */
      messageMs: 30_000,
    },
  },
  /** Of a process that runs and does nothing. */
  liveness: {
    /** It is looked at this often. */
    everyMs: 5_000,
    /** Time without a sign of life after which it is killed. */
    silentMs: 30_000,
    /** Shortest time between two such kills. */
    apartMs: 300_000,
  },
  ingest: {
    snapshotsPerBatch: 512,
    /** Log entries without a verdict above which submissions are refused temporarily. */
    backlogEntries: 50_000,
  },
  shutdown: {
    /** Deadline for a service process to stop. */
    processMs: 10_000,
    /** Of that, until all client connections are closed. */
    httpMs: 7_000,
    /** How long idle connections stay open, so that a request in transit still gets its response. */
    idleGraceMs: 1_000,
  },
} as const;
