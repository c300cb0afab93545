/** The packages could not be installed. The message is for people. */
export class InstallError extends Error {
  name = 'InstallError';
}
