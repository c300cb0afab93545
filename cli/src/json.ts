export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object: not an array, a scalar or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is a JSON object, else an empty object. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Non-empty text, or null. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The value of a JSON text; undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Types {
  string: string;
  number: number;
  boolean: boolean;
}

export type Shape = Readonly<Record<string, keyof Types>>;

export type Shaped<S extends Shape> = { readonly [Name in keyof S]: Types[S[Name]] };

/** Whether a value is a JSON object whose members have these types. */
export function hasShape<const S extends Shape>(value: unknown, shape: S): value is Shaped<S> {
  return isObject(value) && Object.entries(shape).every(([name, type]) => typeof value[name] === type);
}
