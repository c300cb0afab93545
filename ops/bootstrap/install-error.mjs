/** Why the packages could not be installed, in words for people. */
export class InstallError extends Error {
  name = 'InstallError';
}
