/** Small ONNX models, written as protobuf by hand (https://onnx.ai, onnx.proto3), so that tests need no model file. */

/** A graph from token ids to vectors: a lookup table and the operations after it. */
export interface TinyModel {
  /** One row for each token id. */
  readonly table: readonly (readonly number[])[];
  /** Added for each token type, if the model uses types. */
  readonly typeTable?: readonly (readonly number[])[];
  /** How the tokens' vectors are combined. */
  readonly ending?: 'mean over every position' | 'dynamic quantization';
  readonly extraInput?: string;
}

const FLOAT = 1;
const INT64 = 7;
const BATCH_BY_POSITION = ['batch', 'position'];

export function buildModel({ table, typeTable, ending, extraInput }: TinyModel): Uint8Array {
  const width = table[0]?.length ?? 0;
  const inputs = ['input_ids', 'attention_mask', ...(typeTable ? ['token_type_ids'] : [])];
  const hidden = ending === undefined ? 'last_hidden_state' : 'hidden';
  const output = ending === 'mean over every position' ? 'sentence_embedding' : 'last_hidden_state';
  const nodes = [
    node('Gather', ['table', 'input_ids'], [typeTable ? 'tokens' : hidden]),
    ...(typeTable
      ? [node('Gather', ['types', 'token_type_ids'], ['kinds']), node('Add', ['tokens', 'kinds'], [hidden])]
      : []),
    ...(ending === 'mean over every position'
      ? [node('ReduceMean', [hidden], [output], [ints('axes', [1]), int('keepdims', 0)])]
      : []),
    ...(ending === 'dynamic quantization'
      ? [
          node('DynamicQuantizeLinear', [hidden], ['small', 'scale', 'zero']),
          node('DequantizeLinear', ['small', 'scale', 'zero'], [output]),
        ]
      : []),
  ];
  const shape = ending === 'mean over every position' ? ['batch', width] : [...BATCH_BY_POSITION, width];
  const graph = join(
    ...nodes.map((bytes) => field(1, bytes)),
    field(2, 'tiny'),
    field(5, tensor('table', table)),
    ...(typeTable ? [field(5, tensor('types', typeTable))] : []),
    ...[...inputs, ...(extraInput ? [extraInput] : [])].map((name) =>
      field(11, valueInfo(name, INT64, BATCH_BY_POSITION)),
    ),
    field(12, valueInfo(output, FLOAT, shape)),
  );
  const opset = join(field(1, ''), field(2, 13));
  return join(field(1, 8), field(7, graph), field(8, opset));
}

function node(op: string, inputs: string[], outputs: string[], attributes: Uint8Array[] = []): Uint8Array {
  return join(
    ...inputs.map((name) => field(1, name)),
    ...outputs.map((name) => field(2, name)),
    field(4, op),
    ...attributes.map((attribute) => field(5, attribute)),
  );
}

function int(name: string, value: number): Uint8Array {
  return join(field(1, name), field(3, value), field(20, 2));
}

function ints(name: string, values: number[]): Uint8Array {
  return join(field(1, name), ...values.map((value) => field(8, value)), field(20, 7));
}

function tensor(name: string, rows: readonly (readonly number[])[]): Uint8Array {
  const values = new Uint8Array(Float32Array.from(rows.flat()).buffer);
  const width = rows[0]?.length ?? 0;
  return join(field(1, rows.length), field(1, width), field(2, FLOAT), field(8, name), field(9, values));
}

function valueInfo(name: string, elementType: number, shape: readonly (string | number)[]): Uint8Array {
  const dimensions = shape.map((size) =>
    field(1, typeof size === 'number' ? field(1, size) : field(2, size)),
  );
  const tensorType = join(field(1, elementType), field(2, join(...dimensions)));
  return join(field(1, name), field(2, field(1, tensorType)));
}

/** A protobuf field: a varint for a number, else a length and its bytes. */
function field(number: number, value: number | string | Uint8Array): Uint8Array {
  if (typeof value === 'number') return join(varint(number * 8), varint(value));
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  return join(varint(number * 8 + 2), varint(bytes.length), bytes);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    bytes.push(rest < 128 ? rest : (rest & 127) | 128);
    if (rest < 128) return Uint8Array.from(bytes);
  }
}

function join(...parts: Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}
