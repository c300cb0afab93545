/** The one function of libsodium that is used; the package declares no types. */
declare module 'sodium-native' {
  const sodium: {
    /** Reads the first 64 bytes of `signature`; throws when there are fewer, or the key is not 32 bytes long. */
    crypto_sign_verify_detached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
  };
  export default sodium;
}
