// Trains the bundled embedder. README.md in this folder describes the inputs.
//
//   node training/train.ts --corpus DIR --modules DIR --out FILE [--epochs 5] [--seed 1] [--sts DIR]

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { decodeStaticModel, type StaticModel } from '../src/llm/static/static.ts';
import { batchesOf } from './batches.ts';
import { evaluatePairs, evaluateTranslations } from './evaluate.ts';
import { createKernels } from './kernels.ts';
import { lossSlopes, matchSlopes } from './loss.ts';
import type { BatchScore } from './loss.ts';
import { encodeModel } from './modelFile.ts';
import { createRandom, shuffle } from './random.ts';
import { LOSS_WEIGHTS, SETTINGS } from './settings.ts';
import { createArena, createStudent, createTeacher } from './student.ts';
import type { Student } from './student.ts';
import { CHINESE_TEACHER_WIDTH, ENGLISH_TEACHER_WIDTH, readTrainingData } from './trainingData.ts';
import type { TextPool, TrainingData } from './trainingData.ts';

const USAGE = `Trains the bundled embedder.

  node training/train.ts --corpus DIR --modules DIR --out FILE [--epochs 5] [--seed 1] [--sts DIR]

  --corpus   the folder written by corpus.ts, variants.ts and teachers.ts
  --modules  a node_modules folder that holds wabt
  --out      the data file to write
  --sts      a folder of sentence pairs to measure on after each epoch (see evaluate.ts)`;

/** Members of a pool, or pairs if the pool is null. */
interface Batch {
  readonly members: Uint32Array;
  readonly pool: TextPool | null;
}

type Teach = (batch: Batch) => BatchScore;

/** All batches of an epoch, in random order. */
function batchesOfEpoch(data: TrainingData, random: () => number): Batch[] {
  const { batchTexts, groupTexts, wordShare, chineseRepeats } = SETTINGS;
  const pairs: number[] = [];
  data.pairs.forEach((pair, i) => {
    if (pair.isWord && random() >= wordShare) return;
    const repeats = pair.isChinese && !pair.isWord ? chineseRepeats : 1;
    for (let repeat = 0; repeat < repeats; repeat++) pairs.push(i);
  });
  const batches: Batch[] = batchesOf(
    Uint32Array.from(pairs),
    batchTexts / 2,
    groupTexts,
    data.pairsPlaced,
    random,
  ).map((members) => ({ members, pool: null }));
  for (const pool of data.pools) {
    const chosen = pool.texts.flatMap(({ rows, share }, i) =>
      rows.length > 0 && random() < share ? [i] : [],
    );
    for (const members of batchesOf(Uint32Array.from(chosen), batchTexts, groupTexts, pool.placed, random))
      batches.push({ members, pool });
  }
  return shuffle(batches, random);
}

/** Reads a batch, computes its targets and writes the gradients. */
async function createLesson(
  data: TrainingData,
  modules: string,
  random: () => number,
): Promise<{ student: Student; teach: Teach }> {
  const kernels = await createKernels(modules);
  const arena = createArena(kernels);
  const student = createStudent(kernels, arena, data.vocabulary, random);
  const teachers = new Map(
    [ENGLISH_TEACHER_WIDTH, CHINESE_TEACHER_WIDTH].map((width) => [
      width,
      createTeacher(kernels, arena, width),
    ]),
  );
  const teacherOf = (width: number): ReturnType<typeof createTeacher> => {
    const teacher = teachers.get(width);
    if (teacher === undefined) throw new Error(`no teacher has vectors of ${width} dimensions`);
    return teacher;
  };

  function teachPool({ texts, placed, unrelated, surface }: TextPool, members: Uint32Array): BatchScore {
    student.read(Array.from(members, (member) => texts[member]?.rows ?? new Uint32Array()));
    const teacher = teacherOf(placed.dimensions)(placed, members, unrelated);
    const { cosines, surface: letters, slopes } = student;
    return matchSlopes(members.length, cosines, letters, teacher, surface, LOSS_WEIGHTS, slopes);
  }
  function teachPairs(members: Uint32Array): BatchScore {
    const pairs = Array.from(members).flatMap((member) => data.pairs[member] ?? []);
    student.read([...pairs.map((pair) => pair.english), ...pairs.map((pair) => pair.foreign)]);
    const chineseMembers = Uint32Array.from(pairs, (pair) => pair.chineseAt);
    const batch = {
      size: pairs.length,
      student: student.cosines,
      surface: student.surface,
      teacher: teacherOf(ENGLISH_TEACHER_WIDTH)(data.pairsPlaced, members, 0),
      chinese: teacherOf(CHINESE_TEACHER_WIDTH)(data.chinese, chineseMembers, data.unrelatedChinese),
      isChinese: Uint8Array.from(pairs, (pair) => (pair.isChinese ? 1 : 0)),
    };
    return lossSlopes(batch, LOSS_WEIGHTS, student.slopes);
  }
  return { student, teach: ({ members, pool }) => (pool ? teachPool(pool, members) : teachPairs(members)) };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      corpus: { type: 'string', default: '' },
      modules: { type: 'string', default: '' },
      out: { type: 'string', default: '' },
      sts: { type: 'string', default: '' },
      epochs: { type: 'string', default: '5' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help || values.corpus === '' || values.modules === '' || values.out === '') {
    console.log(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const random = createRandom(Number(values.seed));
  const epochs = Number(values.epochs);
  const data = readTrainingData(values.corpus, random);
  const { student, teach } = await createLesson(data, values.modules, random);
  const startedAt = performance.now();
  for (let epoch = 0; epoch < epochs; epoch++) {
    const batches = batchesOfEpoch(data, random);
    let found = 0;
    let squaredError = 0;
    batches.forEach((batch, i) => {
      const score = teach(batch);
      found += score.found;
      squaredError += score.squaredError;
      student.learn(SETTINGS.rate * (1 - (epoch + i / batches.length) / epochs));
    });
    const bytes = encodeModel({
      width: SETTINGS.width,
      fingerprints: data.vocabulary.fingerprints,
      rows: student.finishedRows(),
      finish: data.vocabulary.finish,
      simplified: data.simplified,
    });
    writeFileSync(values.out, bytes);
    console.log({
      epoch: epoch + 1,
      found: found / batches.filter((batch) => batch.pool === null).length,
      squaredError: squaredError / batches.length,
      seconds: Math.round((performance.now() - startedAt) / 1000),
      ...(values.sts !== '' && figuresOf(decodeStaticModel(bytes), values)),
    });
  }
}

function figuresOf(model: StaticModel, { sts, corpus }: { sts: string; corpus: string }) {
  const embed = (text: string) => model.embed(text);
  return { ...evaluatePairs(embed, sts, Infinity), ...evaluateTranslations(embed, corpus) };
}

await main();
