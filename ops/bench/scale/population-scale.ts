/** Measurements of the service over one population. Times are milliseconds, sizes bytes. */
export interface PopulationScale {
  readonly operators: number;
  readonly loadMs: number;
  /** Median time to readiness, and its ratio to that over an empty database, measured alternately. */
  readonly workerStartMs: number;
  readonly apiStartMs: number;
  readonly workerStartRatio: number;
  readonly apiStartRatio: number;
  readonly workerBytes: number;
  readonly apiBytes: number;
  /** Medians over the same operators, read for the first time since the start and again immediately. */
  readonly coldProfileMs: number;
  readonly warmProfileMs: number;
  /** Finding one operator by codename through the driver: the peer of a cold profile. */
  readonly findOneMs: number;
  /** One base run: its pages as documents, and on disk. */
  readonly baseBytes: number;
  readonly baseStoredBytes: number;
}
