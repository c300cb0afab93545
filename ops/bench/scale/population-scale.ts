/** How the service does over one field. Times are milliseconds, sizes bytes. */
export interface PopulationScale {
  readonly operators: number;
  readonly loadMs: number;
  /** Until a process is ready, medians; and how much longer that is than over an empty database, in turns with it. */
  readonly workerStartMs: number;
  readonly apiStartMs: number;
  readonly workerStartRatio: number;
  readonly apiStartRatio: number;
  readonly workerBytes: number;
  readonly apiBytes: number;
  /** Medians over the same operators, read the first time since the start and once more at once. */
  readonly coldProfileMs: number;
  readonly warmProfileMs: number;
  /** One operator found by codename through the driver: what a cold profile can be compared with. */
  readonly findOneMs: number;
  /** One base: its pages as documents, and as the store keeps them on disk. */
  readonly baseBytes: number;
  readonly baseStoredBytes: number;
}
