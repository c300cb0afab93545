/** Sizes from `least` to `most`, each ten times the one before. Throws when there are none. */
export function growingSizes(least: number, most: number): readonly number[] {
  if (!Number.isInteger(least) || least < 1 || least > most) {
    throw new Error(`there are no sizes from ${least} to ${most}: take whole numbers from 1, and the most last`);
  }
  const sizes: number[] = [];
  for (let size = least; size <= most; size *= 10) sizes.push(size);
  return sizes;
}
