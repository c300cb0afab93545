/** What stands behind an operator's counts, from the least. */
export const INTEGRITY_LEVELS = {
  self_reported: 'The operator signed these counts. Nothing else confirms them.',
  consistent: 'A long and regular history that this service saw arrive, without findings. Nothing else confirms it.',
} as const;

export type IntegrityLevel = keyof typeof INTEGRITY_LEVELS;

/** Every level with its meaning, in one text. */
export function levelWords(): string {
  return Object.entries(INTEGRITY_LEVELS)
    .map(([level, words]) => `${level}: ${words}`)
    .join(' ');
}
