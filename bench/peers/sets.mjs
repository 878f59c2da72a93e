// Conversations with questions whose answering turns are known.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SAMPLES = fileURLToPath(new URL('../../examples/conversations/', import.meta.url));

/** LoCoMo's category of questions without an answer. */
const UNANSWERABLE = 5;

/**
 * LoCoMo: its original file (`locomo10.json`), or a folder with `history.jsonl` and `queries.jsonl`. Questions without
 * an answer are left out.
 */
export function readLocomo(path, most) {
  const all = statSync(path).isDirectory() ? readFolder(path) : readOwnFile(path);
  return { name: 'LoCoMo', conversations: all.slice(0, most) };
}

/** The three sample memories of the demo. */
export function readSamples() {
  const queries = JSON.parse(readFileSync(join(SAMPLES, 'queries.json'), 'utf8'));
  return ['en', 'ja', 'zh'].map((language) => ({
    name: `sample, ${language}`,
    conversations: [
      {
        turns: readLines(join(SAMPLES, `${language}.jsonl`)).map(toTurn),
        queries: queries[language]
          .filter(({ gold }) => gold.length > 0)
          .map(({ text, askedAt, gold }) => ({ text, askedAt, gold })),
      },
    ],
  }));
}

function readFolder(path) {
  const conversations = new Map();
  const of = (id) => {
    if (!conversations.has(id)) conversations.set(id, { turns: [], queries: [] });
    return conversations.get(id);
  };
  for (const line of readLines(join(path, 'history.jsonl'))) of(line.conv_id).turns.push(toTurn(line));
  for (const { conv_id, text, asked_at, evidence, unanswerable } of readLines(join(path, 'queries.jsonl')))
    if (evidence.length > 0 && unanswerable !== true)
      of(conv_id).queries.push({ text, askedAt: asked_at, gold: evidence });
  return [...conversations.values()];
}

function readOwnFile(path) {
  return JSON.parse(readFileSync(path, 'utf8')).map(({ conversation, qa }) => {
    const sessions = Object.keys(conversation)
      .filter((key) => /^session_\d+$/.test(key))
      .sort((a, b) => Number(a.slice(8)) - Number(b.slice(8)));
    const turns = sessions.flatMap((session) => {
      const at = readLocomoTime(conversation[`${session}_date_time`]);
      return conversation[session].map(({ dia_id, speaker, text, blip_caption }) => ({
        id: dia_id,
        speaker,
        text: blip_caption ? `${text} [${blip_caption}]` : text,
        at,
        session,
      }));
    });
    const known = new Set(turns.map(({ id }) => id));
    const queries = qa
      .filter(({ category }) => category !== UNANSWERABLE)
      .map(({ question, evidence = [] }) => ({
        text: question,
        gold: evidence.filter((id) => known.has(id)),
      }))
      .filter(({ gold }) => gold.length > 0)
      .map((query) => ({ ...query, askedAt: turns.at(-1).at }));
    return { turns, queries };
  });
}

/** “1:56 pm on 8 May, 2023”, read as UTC. */
function readLocomoTime(text) {
  const [, hour, minute, half, day] = /(\d+):(\d+) (am|pm) on (.*)/.exec(text);
  const date = new Date(`${day} UTC`);
  date.setUTCHours((Number(hour) % 12) + (half === 'pm' ? 12 : 0), Number(minute));
  return date.toISOString();
}

function toTurn({ turn_id, speaker, text, timestamp, session_id }) {
  const at = /Z$|[+-]\d\d:\d\d$/.test(timestamp) ? timestamp : `${timestamp}Z`;
  return { id: turn_id, speaker, text, at, session: session_id };
}

function readLines(path) {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));
}
