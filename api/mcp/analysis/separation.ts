/** The two ratios whose product is Yield. */
export interface Cascade {
  readonly leverage: number;
  readonly velocity: number;
}

/** How much of a gap in Yield one ratio has to make to be named as its reason. */
const MAIN_SHARE = 2 / 3;

/**
 * What lies between two cascades. Ratios are the first over the second, null where the second is 0; shares say how much
 * of the gap in Yield, measured in logarithms, each ratio makes. They add up to 1, and one is below 0 where the two pull
 * in opposite directions. Null where there is no gap or a ratio is 0, for then there is nothing to share out.
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
    main: mainReason(byLeverage, byVelocity),
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

export type Separation = ReturnType<typeof separate>;

function mainReason(byLeverage: number, byVelocity: number): 'leverage' | 'velocity' | 'both' | 'neither' {
  const [leverage, velocity] = [Math.abs(byLeverage), Math.abs(byVelocity)];
  const whole = leverage + velocity;
  if (whole === 0) return 'neither';
  if (!Number.isFinite(whole)) return leverage === velocity ? 'both' : leverage > velocity ? 'leverage' : 'velocity';
  if (leverage / whole >= MAIN_SHARE) return 'leverage';
  return velocity / whole >= MAIN_SHARE ? 'velocity' : 'both';
}
