import type * as z from 'zod';

/** A schema with its description. */
export function described<Schema extends z.ZodType>(schema: Schema, description: string): Schema {
  return schema.meta({ description });
}

/** A member that can be absent, with its description. */
export function optional<Schema extends z.ZodType>(schema: Schema, description: string): z.ZodOptional<Schema> {
  return schema.optional().meta({ description });
}
