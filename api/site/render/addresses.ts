import type { Addresses } from '../../http/hosts.ts';
import type { Surface } from '../../http/route.ts';

/** The target of a link: a path of a surface, an anchor, or an https address. No other text, such as a user's, becomes a link. */
export type Ref = `${Surface}:/${string}` | `#${string}` | `https://${string}`;

/** Resolves refs relative to one surface. */
export type Resolver = ReturnType<typeof createResolver>;

/** Makes the resolver of pages that are on `here`. */
export function createResolver(addresses: Addresses, here: Surface) {
  const { origin } = new URL(addresses[`${here}Url`]);
  const far = (ref: Ref): string =>
    requireRef(ref).replace(/^(base|site|login|auth):(?=\/)/, (_, surface: Surface) => addresses[`${surface}Url`]);
  return {
    /** An absolute address, for text that readers copy. */
    far,
    /** A path on the same origin, an absolute address otherwise. */
    near(ref: Ref): string {
      const address = far(ref);
      return address.startsWith(`${origin}/`) ? address.slice(origin.length) : address;
    },
  };
}

/** An operator's page. Codenames are letters, digits and hyphens; other characters would be percent-encoded. */
export function operatorRef(codename: string): Ref {
  return `site:/operators/${encodeURIComponent(codename)}`;
}

/** The row of an operator on the board. */
export function placeRef(codename: string, more = ''): Ref {
  return `site:/?around=${encodeURIComponent(codename)}${more}`;
}

/** The codenames that begin with a text. */
export function searchRef(prefix: string): Ref {
  return `site:/search?prefix=${encodeURIComponent(prefix)}`;
}

/** The evidence of a rule about an operator. */
export function evidenceRef(codename: string, rule: string): Ref {
  return `site:/operators/${encodeURIComponent(codename)}/integrity/${encodeURIComponent(rule)}`;
}

/** Checks that a text is a `Ref`. Throws otherwise. */
export function requireRef(written: string): Ref {
  if (isRef(written)) return written;
  throw new Error(`${written} is not a ref`);
}

function isRef(written: string): written is Ref {
  return /^(?:(?:base|site|login|auth):\/|#|https:\/\/)/.test(written);
}
