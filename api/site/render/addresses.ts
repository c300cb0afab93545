import type { Addresses } from '../../http/hosts.ts';
import type { Surface } from '../../http/route.ts';

/**
 * The target of a link: a path of a surface, an anchor on the same page, or an absolute https address. No other text can
 * become a link, so a user's text never does.
 */
export type Ref = `${Surface}:/${string}` | `#${string}` | `https://${string}`;

/** Resolves refs relative to one surface. */
export interface Resolver {
  /** A path on the same origin, an absolute address otherwise. */
  near(ref: Ref): string;
  /** An absolute address, for text that readers copy. */
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
      throw new Error(`${surface} is not a surface`);
  }
}

/** Checks that a text is a `Ref`. Throws otherwise. */
export function requireRef(written: string): Ref {
  if (isRef(written)) return written;
  throw new Error(`${written} is not a ref`);
}

function isRef(written: string): written is Ref {
  return /^(?:(?:base|site|login|auth):\/|#|https:\/\/)/.test(written);
}
