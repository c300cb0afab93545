/** Parameters as Stripe takes them: texts, lists and objects of them. */
export type Params = { readonly [name: string]: Param | undefined };
export type Param = string | readonly Param[] | Params;

/** Reads `a[b][0]=c`: brackets with numbers, or with nothing, make lists. */
export function readParams(encoded: string): Params {
  const root: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(encoded)) {
    const [first = '', ...rest] = name.split(/\[|\]\[|\]$/).filter((part, index) => part !== '' || index > 0);
    const path = name.endsWith(']') ? [first, ...rest.slice(0, -1)] : [first];
    set(root, path, value);
  }
  return listed(root);
}

function set(into: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: string): void {
  const key = name === '' ? String(Object.keys(into).length) : name;
  if (rest.length === 0) {
    into[key] = value;
    return;
  }
  const nested = into[key];
  const inner: Record<string, unknown> = isRecord(nested) ? nested : {};
  into[key] = inner;
  set(inner, rest, value);
}

/** Objects whose names are numbers are lists. */
function listed(object: Readonly<Record<string, unknown>>): Params {
  const read = (value: unknown): Param => {
    if (!isRecord(value)) return String(value);
    const names = Object.keys(value);
    const isList = names.length > 0 && names.every((name) => /^\d+$/.test(name));
    return isList ? Object.values(value).map(read) : listed(value);
  };
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, read(value)]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

export function textOf(params: Params, name: string): string | null {
  const value = params[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

export function objectOf(params: Params, name: string): Params {
  const value = params[name];
  return isObject(value) ? value : {};
}

/** An object of texts alone, as metadata are. */
export function metadataOf(params: Params): Readonly<Record<string, string>> {
  const entries = Object.entries(objectOf(params, 'metadata'));
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function isObject(value: Param | undefined): value is Params {
  return typeof value === 'object' && !Array.isArray(value);
}

export function textsOf(params: Params, name: string): readonly string[] {
  const value = params[name];
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}

export function numberOf(params: Params, name: string): number | null {
  const text = textOf(params, name);
  return text === null ? null : Number(text);
}
