/** The release, as in `package.json`. */
export const RELEASE = '1.0.0';
