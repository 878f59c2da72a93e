/** The requests that Omoide sends to Qdrant, checked strictly; their types are those of Qdrant's OpenAPI description. */
import type { Schemas } from '@qdrant/js-client-rest';
import { z } from 'zod';

const pointId = z.union([z.uuid(), z.int().min(0)]);
const shardKey = { shard_key: z.string().optional() };
const filter = z.strictObject({
  must: z.array(
    z.union([
      z.strictObject({ key: z.string(), match: z.strictObject({ value: z.string() }) }),
      z.strictObject({
        key: z.string(),
        range: z.strictObject({ gte: z.number().optional(), lte: z.number().optional() }),
      }),
    ]),
  ),
});
export type SentFilter = z.infer<typeof filter>;

export const createCollection = z.strictObject({
  vectors: z.strictObject({ size: z.int().min(1).max(65_536), distance: z.literal('Cosine') }),
  hnsw_config: z.strictObject({ m: z.int().min(0), payload_m: z.int().min(0) }),
  sharding_method: z.literal('custom').optional(),
});
export const createFieldIndex = z.strictObject({
  field_name: z.string(),
  field_schema: z.union([
    z.literal('integer'),
    z.strictObject({ type: z.literal('keyword'), is_tenant: z.boolean() }),
  ]),
});
export const createShardKey = z.strictObject({ shard_key: z.string() });
export const upsert = z.strictObject({
  points: z
    .array(
      z.strictObject({
        id: pointId,
        vector: z.array(z.number()),
        payload: z.record(z.string(), z.union([z.string(), z.number()])),
      }),
    )
    .min(1),
  ...shardKey,
});
export const deletePoints = z.union([
  z.strictObject({ points: z.array(pointId), ...shardKey }),
  z.strictObject({ filter, ...shardKey }),
]);
export const getPoints = z.strictObject({
  ids: z.array(pointId),
  with_payload: z.literal(true),
  ...shardKey,
});
export const countPoints = z.strictObject({ filter, exact: z.literal(true), ...shardKey });
export const queryPoints = z.strictObject({
  query: z.array(z.number()),
  filter,
  limit: z.int().min(1),
  with_payload: z.array(z.string()),
  ...shardKey,
});
export const scrollPoints = z.strictObject({
  filter,
  limit: z.int().min(1),
  offset: pointId.optional(),
  with_payload: z.literal(true),
  ...shardKey,
});

/** The compiler holds these checks to the description: each request is one of Qdrant's. */
type Described<
  Sent extends (Name extends keyof Schemas ? Schemas[Name] : never),
  Name extends keyof Schemas,
> = Sent;
export type Checked = [
  Described<Sent<typeof createCollection>, 'CreateCollection'>,
  Described<Sent<typeof createFieldIndex>, 'CreateFieldIndex'>,
  Described<Sent<typeof createShardKey>, 'CreateShardingKey'>,
  Described<Sent<typeof upsert>, 'PointsList'>,
  Described<Sent<typeof deletePoints>, 'PointsSelector'>,
  Described<Sent<typeof getPoints>, 'PointRequest'>,
  Described<Sent<typeof countPoints>, 'CountRequest'>,
  Described<Sent<typeof queryPoints>, 'QueryRequest'>,
  Described<Sent<typeof scrollPoints>, 'ScrollRequest'>,
];
type Sent<Schema extends z.ZodType> = WithoutUndefined<z.infer<Schema>>;
/** An optional field is left out, never undefined: what is sent is JSON. */
type WithoutUndefined<T> = T extends object
  ? { [Key in keyof T]: WithoutUndefined<Exclude<T[Key], undefined>> }
  : T;
