/** Sizes from `least` to `most`, each `factor` times the one before. @throws when there are none. */
export function growingSizes(least: number, most: number, factor = 10): readonly number[] {
  if (!Number.isInteger(least) || least < 1 || least > most) {
    throw new Error(
      `no sizes from ${least} to ${most}: give integers from 1 with --min-operators not above --max-operators`,
    );
  }
  const sizes: number[] = [];
  for (let size = least; size <= most; size *= factor) sizes.push(size);
  return sizes;
}
