import type { Addresses } from '../../addresses.ts';
import type { Surface } from '../../http/route.ts';

/**
 * Where a link leads: a path of a surface, a place on the same page, or an address elsewhere. Nothing else can be
 * written as a link, so no text of a user's becomes one.
 */
export type Ref = `${Surface}:/${string}` | `#${string}` | `https://${string}`;

/** Turns refs into addresses, as seen from one surface. */
export interface Resolver {
  /** As short as it can be: a path on the same origin. */
  near(ref: Ref): string;
  /** With its origin, for readers who take the text elsewhere. */
  far(ref: Ref): string;
}

/** Makes the resolver of pages that are on `here`. */
export function createResolver(addresses: Addresses, here: Surface): Resolver {
  const origin = new URL(baseOf(addresses, here)).origin;
  const far = (ref: Ref): string => {
    const parts = /^(base|site|login|auth):(\/.*)$/s.exec(ref);
    return parts === null ? requireRef(ref) : `${baseOf(addresses, parts[1])}${parts[2]}`;
  };
  return {
    far,
    near(ref) {
      const address = far(ref);
      return address.startsWith(`${origin}/`) ? address.slice(origin.length) : address;
    },
  };
}

function baseOf(addresses: Addresses, surface: string | undefined): string {
  switch (surface) {
    case 'base':
      return addresses.baseUrl;
    case 'site':
      return addresses.siteUrl;
    case 'login':
      return addresses.loginUrl;
    case 'auth':
      return addresses.authUrl;
    case undefined:
    default:
      throw new Error(`${surface} is no surface`);
  }
}

/** A text that is a link of one of the kinds there are. Throws for any other. */
export function requireRef(written: string): Ref {
  if (isRef(written)) return written;
  throw new Error(`${written} is no link of ours`);
}

function isRef(written: string): written is Ref {
  return /^(?:(?:base|site|login|auth):\/|#|https:\/\/)/.test(written);
}
