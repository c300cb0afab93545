/** Exit statuses of the process. Scripts rely on them: they are documented in the README and never change meaning. */
export const EXIT = {
  ok: 0,
  refused: 1,
  usage: 2,
  auth: 3,
  network: 4,
  nothing: 5,
  pending: 6,
  plan: 7,
  files: 8,
  internal: 70,
} as const;

export type ExitName = keyof typeof EXIT;
