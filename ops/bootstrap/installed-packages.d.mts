/** The paths of a lockfile's packages, by set. */
export function packageSets(packages: Readonly<Record<string, object>>): Readonly<Record<string, readonly string[]>>;
