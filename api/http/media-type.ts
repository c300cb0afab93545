import { Problem } from './problem.ts';

/**
 * Accepts `application/json`, alone or with `charset=utf-8`, sent as it is.
 *
 * @throws Problem media_type_unsupported, content_encoding_unsupported.
 */
export function requireJson(contentType: string | undefined, contentEncoding: string | undefined): void {
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') {
    throw new Problem('content_encoding_unsupported');
  }
  if (!isJson(contentType, contentEncoding)) throw new Problem('media_type_unsupported');
}

/** Whether a body is `application/json`, alone or with `charset=utf-8`, sent as it is. */
export function isJson(contentType: string | undefined, contentEncoding: string | undefined): boolean {
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') return false;
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  return type.trim() === 'application/json' && parameters.every(isUtf8Parameter);
}

function isUtf8Parameter(parameter: string): boolean {
  return /^(charset=("utf-8"|utf-8))?$/.test(parameter.trim());
}
