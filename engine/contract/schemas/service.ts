import * as z from 'zod';

/** The response of a health probe. */
export const Health = z
  .object({ status: z.literal('ok') })
  .meta({ description: 'The probed part of the service works.' });

const store = z.enum(['up', 'down']);

/** The stores of the service, as one process reached them last. */
export const StoreHealth = z.object({ mongodb: store, redis: store }).meta({ description: 'Which stores answered.' });

const text = z.string().optional();

/** RFC 7517: the members of public keys. Private members are not in the schema, so they are never sent. */
export const JsonWebKeySet = z
  .object({
    keys: z.array(
      z.object({ kty: z.string(), kid: text, use: text, alg: text, crv: text, x: text, y: text, n: text, e: text }),
    ),
  })
  .meta({ description: 'The public keys of access tokens.' });

/** RFC 9728: the members that this service publishes, and two members about the command-line tool. */
export const ProtectedResource = z
  .object({
    resource: z.url(),
    authorization_servers: z.array(z.url()),
    jwks_uri: z.url().optional(),
    scopes_supported: z.array(z.string()),
    bearer_methods_supported: z.array(z.string()),
    resource_documentation: z.url().optional(),
    cli_version: z.string(),
    /** What npm installs: an address or a name. */
    cli_package: z.string(),
  })
  .meta({ description: 'How to get an access token for this resource.' });
