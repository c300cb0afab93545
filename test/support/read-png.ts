import { inflateSync } from 'node:zlib';

/** The pixels of the first row of a PNG with 8-bit RGBA, and its size. @throws when it does not decode. */
export function pixelsOf(png: Buffer): { readonly width: number; readonly height: number; readonly pixels: Buffer } {
  if (png.subarray(0, 8).toString('hex') !== '89504e470d0a1a0a') throw new Error('no PNG');
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const rows = inflateSync(Buffer.concat(data));
  if (rows.length !== height * (width * 4 + 1)) throw new Error(`${rows.length} bytes of pixels`);
  return { width, height, pixels: rows.subarray(1, width * 4 + 1) };
}
