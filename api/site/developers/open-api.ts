import * as z from 'zod';

/** What the reference page reads of an OpenAPI schema. */
const Schema = z.object({
  $ref: z.string().optional(),
  type: z.string().optional(),
  format: z.string().optional(),
  description: z.string().optional(),
  nullable: z.boolean().optional(),
  enum: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  required: z.array(z.string()).optional(),
  get items() {
    return Schema.optional();
  },
  get properties() {
    return z.record(z.string(), Schema).optional();
  },
});

export type ApiSchema = z.infer<typeof Schema>;

const Content = z.record(z.string(), z.object({ schema: Schema }));

const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string(),
  deprecated: z.boolean().optional(),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  'x-payment-info': z.object({ amount: z.string(), currency: z.string(), description: z.string() }).loose().optional(),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.string(),
        required: z.boolean(),
        description: z.string().optional(),
        schema: Schema,
      }),
    )
    .optional(),
  requestBody: z.object({ required: z.boolean(), content: Content }).optional(),
  responses: z.record(z.string(), z.object({ description: z.string(), content: Content.optional() })),
});

const METHODS = ['get', 'post', 'patch', 'delete'] as const;

const PathItem = z.object({
  servers: z.array(z.object({ url: z.string() })).optional(),
  get: Operation.optional(),
  post: Operation.optional(),
  patch: Operation.optional(),
  delete: Operation.optional(),
});

/** The parts of our own API description that the reference shows. */
const Description = z.object({
  info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
  servers: z.array(z.object({ url: z.string() })).min(1),
  paths: z.record(z.string(), PathItem),
  components: z.object({ schemas: z.record(z.string(), Schema) }),
});

export type ApiOperation = z.infer<typeof Operation> & {
  readonly method: string;
  readonly path: string;
  readonly server: string;
};

export interface ApiDescription {
  readonly title: string;
  readonly version: string;
  readonly server: string;
  readonly operations: readonly ApiOperation[];
  readonly schemas: Readonly<Record<string, ApiSchema>>;
}

/** Reads the API description as it is served. */
export function readDescription(json: string): ApiDescription {
  const { info, servers, paths, components } = Description.parse(JSON.parse(json));
  const server = servers[0]?.url ?? '';
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      const at = item.servers?.[0]?.url ?? server;
      return operation === undefined ? [] : [{ ...operation, method: method.toUpperCase(), path, server: at }];
    }),
  );
  return { title: info.title, version: info.version, server, operations, schemas: components.schemas };
}
