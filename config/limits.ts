/** Every limit of the service, by name and unit. Sizes are bytes, times milliseconds, unless the name says otherwise. */
export const LIMITS = {
  http: {
    bodyBytes: 16 * 1024,
    /** A webhook: an event of a payment provider with the whole object it is about. */
    webhookBytes: 512 * 1024,
    /** Metadata with which an app registers itself. */
    registrationBytes: 4 * 1024,
    jsonDepth: 8,
    /** Rounded up to whole seconds on the wire. */
    preferWaitMs: 10_000,
    requestTimeoutMs: 30_000,
    headersTimeoutMs: 10_000,
    keepAliveTimeoutMs: 65_000,
  },
  connections: {
    /** Connections that one process of the api holds at once. */
    ofApi: 10_000,
    /** The same for a metrics port and for the queue console. */
    ofConsole: 256,
    /** From the last byte that a client read until an answer that it stopped reading is given up. */
    unreadMs: 30_000,
    /** Between two checks of every connection. */
    checkEveryMs: 2_000,
    /** Of an embedded engine, which only local processes can reach. */
    ofEngine: {
      maxConnections: 10_000,
      unreadMs: 30_000,
      checkEveryMs: 2_000,
      /** From connecting until the first reply. */
      firstReplyMs: 10_000,
      /** From a part of a message until the rest of it. */
      messageMs: 30_000,
    },
  },
  rate: {
    /** Public reads of one client address. */
    publicRequests: 60,
    publicWindowMs: 60_000,
    /** Snapshots of one operator. */
    snapshotRequests: 300,
    snapshotWindowMs: 60_000,
    /** Snapshots of one operator in a day. Bounds the growth of its log. */
    snapshotDayRequests: 40_000,
    snapshotDayWindowMs: 24 * 60 * 60_000,
    /** Other writes of one operator. */
    writeRequests: 30,
    writeWindowMs: 60_000,
    /** Webhooks of one client address in a public window. */
    webhookRequests: 3_000,
    /** Distinct clients remembered at once by one process. */
    trackedClients: 100_000,
  },
  ingest: {
    snapshotsPerBatch: 512,
    /** Log entries waiting for a verdict above which submissions are refused for a while. */
    backlogEntries: 50_000,
  },
  shutdown: {
    /** How long a service process may take to stop. */
    processMs: 10_000,
    /** Of that, until every connection of clients is closed. */
    httpMs: 7_000,
    /** How long connections without a request stay open, so that a request on its way is answered and not cut off. */
    idleGraceMs: 1_000,
  },
} as const;
