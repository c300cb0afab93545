import * as z from 'zod';
import { MS_PER_SECOND } from '../../../config/units.ts';
import { RESOURCE_PARAM } from '../resources.ts';
import type { createAuthorizationServer } from './create-server.ts';

/** An authorization request that waits for a person's decision. */
export type AuthorizationRequest = NonNullable<Awaited<ReturnType<typeof readRequest>>>;

const UID = /^[A-Za-z0-9_-]{10,64}$/;

const PARAMS = z.object({
  client_id: z.string(),
  scope: z.string().optional(),
  prompt: z.string().optional(),
  max_age: z.union([z.string(), z.number()]).optional(),
  redirect_uri: z.string().optional(),
  resource: RESOURCE_PARAM,
});

/** The waiting request with this uid; null when it is unknown or has expired. */
export async function readRequest(currentProvider: ReturnType<typeof createAuthorizationServer>, uid: string) {
  if (!UID.test(uid)) return null;
  const provider = await currentProvider();
  const interaction = await provider.Interaction.find(uid);
  if (interaction === undefined) return null;
  const params = PARAMS.safeParse(interaction.params);
  if (!params.success) return null;
  const { client_id, scope = '', prompt = '', max_age, redirect_uri, resource } = params.data;
  const client = await provider.Client.find(client_id);
  if (client === undefined) return null;
  return {
    clientId: client_id,
    clientName: client.clientName ?? client_id,
    scopes: scope.split(' ').filter((each) => each !== ''),
    /** Where the response goes; null for a device. */
    redirectTarget: interaction.deviceCode === undefined ? targetOf(redirect_uri) : null,
    resource,
    wantsFreshLogin: prompt.split(' ').includes('login'),
    maxAgeMs: max_age === undefined ? null : Number(max_age) * MS_PER_SECOND,
    /** Milliseconds since the epoch, in whole seconds. */
    madeAt: (interaction.iat ?? 0) * MS_PER_SECOND,
  };
}

function targetOf(redirectUri: string | undefined) {
  if (redirectUri === undefined || !URL.canParse(redirectUri)) return null;
  const { protocol, origin, host } = new URL(redirectUri);
  const isWeb = protocol === 'http:' || protocol === 'https:';
  return isWeb ? { shown: host, formTarget: origin } : { shown: protocol, formTarget: protocol };
}
