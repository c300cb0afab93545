import * as z from 'zod';
import { NAMED_SCHEMAS } from '../../engine/contract/index.ts';

/** An OpenAPI 3.0 object of any kind. */
export type OpenApiObject = Record<string, unknown>;

const NAMES = new Map<z.ZodType, string>(Object.entries(NAMED_SCHEMAS).map(([name, schema]) => [schema, name]));

/** The `components.schemas` of the description: every wire schema that has a name. */
export function namedSchemaObjects(): Record<string, OpenApiObject> {
  const registry = z.registry<{ id: string }>();
  for (const [schema, name] of NAMES) registry.add(schema, { id: name });
  const { schemas } = z.toJSONSchema(registry, {
    target: 'openapi-3.0',
    io: 'input',
    uri: reference,
    override: ({ jsonSchema }) => tidy(jsonSchema),
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $id: _id, ...schema }]) => [name, schema as OpenApiObject]),
  );
}

/** A schema in place: a reference when it has a name. */
export function schemaObject(schema: z.ZodType, io: 'input' | 'output' = 'input'): OpenApiObject {
  const name = NAMES.get(schema);
  if (name !== undefined) return { $ref: reference(name) };
  const { $schema: _dialect, ...object } = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io,
    override: ({ jsonSchema }) => tidy(jsonSchema),
  });
  return object;
}

function reference(name: string): string {
  return `#/components/schemas/${name}`;
}

/** Drops what zod adds: patterns of formats, the bounds of safe integers, and `allOf` around a lone reference. */
function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  const [only] = schema.allOf ?? [];
  if (only !== undefined && Object.keys(schema).length === 1) {
    delete schema.allOf;
    Object.assign(schema, only);
  }
  if (schema.format === 'date-time' || schema.format === 'date') delete schema.pattern;
  if (schema.type === 'integer' && schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.type === 'integer' && schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}
