export function compilePrograms<Name extends string>(
  root: string,
  entries: Readonly<Record<Name, string>>,
  kind: string,
): Promise<Record<Name, string>>;
