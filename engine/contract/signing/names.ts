/** A codename as stored: lower case, 3 to 32 characters, no hyphen at either end. */
export const CODENAME_PATTERN = /^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$/;

/** A platform name: lower case, 1 to 32 characters. */
export const PLATFORM_PATTERN = /^[a-z0-9][a-z0-9._-]{0,31}$/;

/** The platform of a snapshot without one. */
export const UNSPECIFIED_PLATFORM = 'unspecified';

/** The lower-case form of a codename, which is stored and looked up. */
export function codenameKey(codename: string): string {
  return codename.toLowerCase();
}
