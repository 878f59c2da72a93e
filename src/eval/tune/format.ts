/** The tuning report for people. */
import { renderMarkdown, renderText, type Block } from '../blocks.ts';
import { differenceCells, signed } from '../differenceCells.ts';
import { TUNED_FIGURES } from './labelled.ts';
import type { Gain, SetGain, TuneReport } from './report.ts';
import type { WrongReport } from './wrong.ts';

export function formatTuning(report: TuneReport): string {
  return renderText(describe(report));
}

/** @param command the command that reproduces the report */
export function formatTuningMarkdown(report: TuneReport, command: string): string {
  const title: Block = { kind: 'heading', level: 1, text: `Tuning ${report.profile}` };
  return renderMarkdown([title, { kind: 'code', text: command }, ...describe(report)]);
}

function describe(report: TuneReport): Block[] {
  return [
    { kind: 'text', text: settingsOf(report) },
    { kind: 'text', text: 'On queries that the weights were not fitted to, turn level:' },
    gainTable(report),
    { kind: 'list', items: report.sets.map(foldsOf) },
    ...(report.wrong ? [{ kind: 'text' as const, text: describeWrong(report.wrong, report.profile) }] : []),
    { kind: 'text', text: 'Weights, and the least and greatest of those fitted without one fold:' },
    weightTable(report),
    { kind: 'text', text: verdictOf(report) },
  ];
}

function settingsOf({ profile, embedder, strategy, limit, learnt }: TuneReport): string {
  const parts = [
    `Tuned: ${profile}`,
    `embedder: ${embedder ?? 'none'}`,
    ...(strategy === null ? [] : [`strategy: ${strategy}`]),
    ...(limit === null ? [] : [`at most ${limit} queries a set`]),
    ...(learnt ? ['learnt from by rules'] : []),
  ];
  return `${parts.join('; ')}.`;
}

function gainTable({ sets, overall }: TuneReport): Block {
  const all = sets.length > 1 ? [{ ...overall, name: 'all sets alike' }] : [];
  return {
    kind: 'table',
    head: ['set · figure', 'base', 'tuned', 'gain', 'from', 'to', 'p'],
    rows: [...sets, ...all].flatMap((gain) => gainRows(gain.name, gain)),
  };
}

function gainRows(name: string, { base, tuned, gain }: Gain): string[][] {
  return TUNED_FIGURES.map((figure) => [
    `${name} · ${figure}`,
    base[figure].toFixed(3),
    tuned[figure].toFixed(3),
    ...differenceCells(gain[figure]),
  ]);
}

function foldsOf({ name, queries, conversations, folds }: SetGain): string {
  const size = `${name}: ${queries.toLocaleString('en-US')} queries in ${conversations} conversations`;
  if (folds === 'conversations') return `${size}, held out by conversation.`;
  return `${name}: ${queries.toLocaleString('en-US')} queries in one conversation, held out in stretches: weaker evidence, since the weights have seen the same people.`;
}

function describeWrong({ queries, base, tuned, change }: WrongReport, profile: string): string {
  const interval = `${signed(change.mean)}, between ${signed(change.low)} and ${signed(change.high)}`;
  return (
    `Of what was called wrong (${queries} queries), the share among the first five: ${base.toFixed(3)} with ${profile}, ` +
    `${tuned.toFixed(3)} with weights that were not fitted to the query (${interval}).`
  );
}

function weightTable({ profile, weights }: TuneReport): Block {
  return {
    kind: 'table',
    head: ['feature', profile, 'tuned', 'least', 'greatest'],
    rows: weights.map(({ feature, base, tuned, from, to, isIdle }) => [
      isIdle ? `${feature} (never differs here)` : feature,
      String(base),
      String(tuned),
      from.toFixed(2),
      to.toFixed(2),
    ]),
  };
}

function verdictOf({ profile, overall, isWorthHaving, strength, sets }: TuneReport): string {
  const { mean, low, high } = overall.gain.mean;
  const interval = `${signed(mean)}, between ${signed(low)} and ${signed(high)}`;
  if (strength === null) return `No gain worth having: whatever was fitted did no better than ${profile}.`;
  if (!isWorthHaving)
    return `No gain worth having: the mean of the figures changes by ${interval}, which may be nothing.`;
  const worse = sets.filter(({ gain }) => gain.mean.high < 0).map(({ name }) => name);
  const cost = worse.length === 0 ? '' : ` Worse on ${worse.join(', ')}.`;
  return `Worth having: the mean of the figures changes by ${interval}.${cost} When to inject was not tuned; it stays as it is in ${profile}.`;
}
