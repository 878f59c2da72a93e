/**
 * The encoder's data file, little-endian, each part aligned to 16 bytes:
 *
 *     magic "OMOIENC\0" | version | pieces p | width w | layers | positions | dimensions d | bytes of text | inner i of each layer   (u32 each)
 *     the pieces, UTF-8, separated by line feeds
 *     table       p rows of w
 *     positions   positions × w   f32
 *     norm        gain and shift, w f32 each
 *     for each layer:
 *         queries, keys and values   3w rows of w, bias
 *         out                        w rows of w, bias
 *         up                         i rows of w, bias
 *         down                       w rows of i, bias
 *         two norms
 *     head        d rows of 2w, bias
 *
 * Rows are stored as n scales (f32) and n × width values (int8, times the row's scale).
 */
export interface EncoderShape {
  readonly pieces: number;
  readonly width: number;
  /** Neurons between `up` and `down` in each layer. */
  readonly inner: readonly number[];
  readonly positions: number;
  readonly dimensions: number;
}

/** The position of something in the data file, in bytes. */
export interface LinearPlace {
  readonly inputs: number;
  readonly outputs: number;
  readonly scales: number;
  readonly values: number;
  readonly bias: number;
}

export interface NormPlace {
  readonly gain: number;
  readonly shift: number;
}

export interface LayerPlace {
  readonly queriesKeysValues: LinearPlace;
  readonly out: LinearPlace;
  readonly up: LinearPlace;
  readonly down: LinearPlace;
  readonly attentionNorm: NormPlace;
  readonly feedNorm: NormPlace;
}

export interface EncoderFile {
  readonly shape: EncoderShape;
  readonly pieces: readonly string[];
  readonly table: { readonly scales: number; readonly values: number };
  readonly positions: number;
  /** The kernel reads the bytes from here to `end`. */
  readonly trunk: number;
  readonly norm: NormPlace;
  readonly layers: readonly LayerPlace[];
  readonly head: LinearPlace;
  readonly end: number;
}

const MAGIC = 'OMOIENC\0';
const VERSION = 1;
const ALIGNMENT = 16;
const FIXED_FIELDS = 7;
const MAX_LAYERS = 64;

/** The positions of everything in a data file. @throws Error when it is not a complete file of this version. */
export function readEncoderFile(bytes: Uint8Array): EncoderFile {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = new TextDecoder();
  const fixedBytes = MAGIC.length + 4 * FIXED_FIELDS;
  if (bytes.length < fixedBytes || text.decode(bytes.slice(0, MAGIC.length)) !== MAGIC)
    throw new Error('it is not an Omoide encoder.');
  const field = (index: number): number => view.getUint32(MAGIC.length + index * 4, true);
  if (field(0) !== VERSION)
    throw new Error(`it is of version ${field(0)}, and this program reads ${VERSION}.`);
  const readInner = (): number[] => {
    const layers = field(3);
    if (layers > MAX_LAYERS || bytes.length < fixedBytes + 4 * layers) throw new Error('it is damaged.');
    return Array.from({ length: layers }, (_, i) => field(FIXED_FIELDS + i));
  };
  const shape = {
    pieces: field(1),
    width: field(2),
    inner: readInner(),
    positions: field(4),
    dimensions: field(5),
  };
  let at = 0;
  const textBytes = field(6);
  const take = (size: number): number => {
    const from = at;
    at = Math.ceil((at + size) / ALIGNMENT) * ALIGNMENT;
    return from;
  };
  const rows = (count: number, width: number) => ({ scales: take(count * 4), values: take(count * width) });
  const linear = (outputs: number, inputs: number): LinearPlace => ({
    inputs,
    outputs,
    ...rows(outputs, inputs),
    bias: take(outputs * 4),
  });
  const norm = (): NormPlace => ({ gain: take(shape.width * 4), shift: take(shape.width * 4) });
  const layer = (inner: number): LayerPlace => ({
    queriesKeysValues: linear(3 * shape.width, shape.width),
    out: linear(shape.width, shape.width),
    up: linear(inner, shape.width),
    down: linear(shape.width, inner),
    attentionNorm: norm(),
    feedNorm: norm(),
  });
  take(fixedBytes + 4 * shape.inner.length);
  const textFrom = take(textBytes);
  const file = {
    shape,
    table: rows(shape.pieces, shape.width),
    positions: take(shape.positions * shape.width * 4),
    trunk: at,
    norm: norm(),
    layers: shape.inner.map(layer),
    head: linear(shape.dimensions, 2 * shape.width),
    end: at,
  };
  if (bytes.length !== at)
    throw new Error(`it has ${bytes.length} bytes instead of ${at}; it was cut short or damaged.`);
  const pieces = text.decode(bytes.slice(textFrom, textFrom + textBytes)).split('\n');
  if (pieces.length !== shape.pieces) throw new Error('its pieces are damaged.');
  return { ...file, end: at, pieces };
}
