/** Upper bounds, in seconds, of histograms of short work: a request, a verdict's way, a commit. */
export const SHORT_WORK_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Upper bounds, in seconds, of histograms of waiting in a queue, and of jobs, the longest of which walk every record. */
export const WAITING_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];

/** Upper bounds of histograms of how many things one step handled. */
export const BATCH_SIZES = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000, 100_000];
