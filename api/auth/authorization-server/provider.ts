// Submodules, because the index prints a warning under Node 20 at each start. All tests pass under Node 20.
export * as errors from 'oidc-provider/lib/helpers/errors.js';
export { Provider } from 'oidc-provider/lib/provider.js';
