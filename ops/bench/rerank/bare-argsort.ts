/** The numbers of the ranked in the order of their Yields: a comparator sort of indices, and nothing else. */
export function bareArgsort(yields: Float64Array): Uint32Array {
  const ranked = Uint32Array.from(yields.keys()).filter((index) => !Number.isNaN(yields[index]!));
  return ranked.sort((one, other) => yields[other]! - yields[one]! || one - other);
}
