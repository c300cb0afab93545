import {
  type Connection,
  type IndexDefinition,
  type IndexOptions,
  type Model,
  type mongo,
  Schema,
  type SchemaDefinition,
} from 'mongoose';
import { DURABLE } from './writes.ts';

/*
 * The shapes of cold collections, each declared once: validation, indexes and the type of its documents. A member is a type, such
 * as `Date`, which is absent until it applies; or `required`, `orNull`, `oneOf`, `shaped`, which are always there.
 */

/** Members of a document by name. */
type Members = SchemaDefinition;

/** A part of a document, or an object whose contents other modules check. `shape` is only for the type. */
type Typed<T, S> = T & { readonly shape?: S };

export const required = <const T>(type: T) => ({ type, required: true }) as const;

export const orNull = <const T>(type: T) => ({ type, default: null }) as const;

export const oneOf = <const T extends readonly string[]>(values: T) =>
  ({ type: String, required: true, enum: values }) as const;

/** An object of this shape, which is not checked. */
export const shaped = <S>() => required<Typed<typeof Schema.Types.Mixed, S>>(Schema.Types.Mixed);

/** An object within a document. */
export const part = <const M extends Members>(members: M): Typed<Schema, Shape<M>> =>
  new Schema(members, { _id: false, minimize: false, strict: 'throw' });

type ValueOf<T> = T extends { readonly shape?: infer S }
  ? S
  : T extends StringConstructor
    ? string
    : T extends NumberConstructor
      ? number
      : T extends BooleanConstructor
        ? boolean
        : T extends DateConstructor
          ? Date
          : T extends BufferConstructor
            ? mongo.Binary
            : T extends readonly [infer Item]
              ? readonly ValueOf<Item>[]
              : never;

type MemberOf<M> = M extends { readonly enum: readonly (infer Word)[] }
  ? Word
  : M extends { readonly type: infer T; readonly default: null }
    ? ValueOf<T> | null
    : M extends { readonly type: infer T }
      ? ValueOf<T>
      : ValueOf<M>;

type Always = { readonly required: true } | { readonly default: null };

type Shape<M extends Members> = { readonly [K in keyof M as M[K] extends Always ? K : never]: MemberOf<M[K]> } & {
  readonly [K in keyof M as M[K] extends Always ? never : K]?: MemberOf<M[K]>;
};

/** The type of a part. */
export type ShapeOf<P> = P extends { readonly shape?: infer S } ? S : never;

/** A cold collection: its name, and the schema of its documents. */
export interface Stored<D> {
  readonly name: string;
  readonly schema: Typed<Schema, D>;
}

/** The documents of a collection. */
export type DocumentOf<C> = C extends Stored<infer D> ? D : never;

/** Declares a collection. Unknown members are refused, not dropped. Writes are durable, unless a `bulkWrite` says otherwise. */
export function defineStored<const M extends Members>(
  name: string,
  members: M,
  ...indexes: readonly (readonly [key: IndexDefinition, options?: IndexOptions])[]
): Stored<Shape<M>> {
  const options = {
    collection: name,
    versionKey: false,
    minimize: false,
    autoIndex: false,
    autoCreate: false,
  } as const;
  const schema = new Schema(members, { ...options, strict: 'throw', strictQuery: 'throw', ...DURABLE });
  for (const [key, more] of indexes) schema.index(key, more);
  return { name, schema };
}

/** The model of a collection over a connection. */
export function openStored<D>(connection: Connection, { name, schema }: Stored<D>): Model<D> {
  return connection.model<D>(name, schema);
}

/** Creates the indexes of models. Safe to repeat and to run in several processes concurrently. */
export async function ensureStored(models: readonly Pick<Model<unknown>, 'createIndexes'>[]): Promise<void> {
  await Promise.all(models.map((model) => model.createIndexes()));
}

// An empty text is a value.
Schema.Types.String.checkRequired((value) => typeof value === 'string');
