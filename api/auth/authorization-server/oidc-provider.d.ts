/** The submodules that `provider.ts` imports; the types of the package leave them out. */
declare module 'oidc-provider/lib/provider.js' {
  export { Provider } from 'oidc-provider';
}

declare module 'oidc-provider/lib/helpers/errors.js' {
  import { errors } from 'oidc-provider';
  export import InvalidClientMetadata = errors.InvalidClientMetadata;
  export import InvalidGrant = errors.InvalidGrant;
  export import InvalidRequest = errors.InvalidRequest;
  export import InvalidTarget = errors.InvalidTarget;
  export import SessionNotFound = errors.SessionNotFound;
}
