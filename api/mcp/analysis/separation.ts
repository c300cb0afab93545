/** The two ratios whose product is Yield. */
export type Cascade = Readonly<Record<'leverage' | 'velocity', number>>;

/** The share of a gap in Yield from which one ratio is its main cause. */
const MAIN_SHARE = 2 / 3;

/** The main cause of a gap in Yield. */
export const MAIN_CAUSES = ['leverage', 'velocity', 'both', 'neither'] as const;

/**
 * Compares two cascades. Ratios are the first over the second, null when the second is 0. Shares are the parts of the gap
 * in Yield, in logarithms, due to each ratio: they add up to 1, and one is negative when the two act in opposite
 * directions. They are null when there is no gap or a ratio is 0.
 */
export function separate(a: Cascade, b: Cascade) {
  const byLeverage = logRatio(a.leverage, b.leverage);
  const byVelocity = logRatio(a.velocity, b.velocity);
  const gap = byLeverage + byVelocity;
  const shared = Number.isFinite(gap) && gap !== 0;
  return {
    leverage_ratio: ratioOf(a.leverage, b.leverage),
    velocity_ratio: ratioOf(a.velocity, b.velocity),
    leverage_share: shared ? byLeverage / gap : null,
    velocity_share: shared ? byVelocity / gap : null,
    main: mainCause(byLeverage, byVelocity),
  };
}

/** The natural logarithm of a/b; 0 for two zeros, infinite where only one is 0. */
export function logRatio(a: number, b: number): number {
  return a === b ? 0 : Math.log(a) - Math.log(b);
}

function ratioOf(a: number, b: number): number | null {
  const ratio = a / b;
  return b > 0 && Number.isFinite(ratio) ? ratio : null;
}

function mainCause(byLeverage: number, byVelocity: number): (typeof MAIN_CAUSES)[number] {
  const [leverage, velocity] = [Math.abs(byLeverage), Math.abs(byVelocity)];
  const sum = leverage + velocity;
  if (sum === 0) return 'neither';
  if (!Number.isFinite(sum)) return leverage === velocity ? 'both' : leverage > velocity ? 'leverage' : 'velocity';
  if (leverage / sum >= MAIN_SHARE) return 'leverage';
  return velocity / sum >= MAIN_SHARE ? 'velocity' : 'both';
}
