import { mongo } from 'mongoose';

/**
 * Server errors that do not concern the request: unreachable, stopping, not primary, out of time or space, busy, or denying
 * access. Names and numbers are those of the server's error_codes.yml.
 */
const UNAVAILABLE: ReadonlySet<number | string | undefined> = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  13, // Unauthorized
  18, // AuthenticationFailed
  24, // LockTimeout
  43, // CursorNotFound
  46, // LockBusy
  50, // MaxTimeMSExpired
  63, // StaleShardVersion
  64, // WriteConcernTimeout
  89, // NetworkTimeout
  91, // ShutdownInProgress
  100, // UnsatisfiableWriteConcern
  112, // WriteConflict
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet
  146, // ExceededMemoryLimit
  150, // StaleEpoch
  175, // QueryPlanKilled
  189, // PrimarySteppedDown
  202, // NetworkInterfaceExceededTimeLimit
  237, // CursorKilled
  262, // ExceededTimeLimit
  317, // ConnectionPoolExpired
  384, // ConnectionError
  9_001, // SocketException
  10_058, // LegacyNotPrimary
  10_107, // NotWritablePrimary
  11_600, // InterruptedAtShutdown
  11_601, // Interrupted
  11_602, // InterruptedDueToReplStateChange
  13_388, // StaleConfig
  13_435, // NotPrimaryNoSecondaryOk
  13_436, // NotPrimaryOrSecondary
  14_031, // OutOfDiskSpace
]);

/**
 * Whether the store failed, as opposed to rejecting the request. The driver's own errors concern connections, except for
 * invalid arguments.
 */
export function isStoreUnavailable(error: unknown): boolean {
  if (!(error instanceof mongo.MongoError)) return isBrokenConnection(error);
  if (!(error instanceof mongo.MongoServerError)) return !(error instanceof mongo.MongoInvalidArgumentError);
  if (error instanceof mongo.MongoWriteConcernError || error.hasErrorLabel('RetryableWriteError')) return true;
  return UNAVAILABLE.has(error.code);
}

/** Whether the store failed after it was found: it may have done what it was asked to, and may be back at once. */
export function isInterruption(error: unknown): boolean {
  return isStoreUnavailable(error) && !(error instanceof mongo.MongoServerSelectionError);
}

/** Whether an error is a socket error such as EPIPE; the driver passes some of them on unchanged. */
function isBrokenConnection(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return /^(E[A-Z]+|ERR_(STREAM|SOCKET|TLS)_[A-Z_]+)$/.test(error.code);
}
