import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { openTestServer } from './server/testServer.ts';

const DEPLOY = new URL('../deploy/', import.meta.url);
const RUNBOOK = new URL('../docs/runbook.md', import.meta.url);

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const alerts = (
  parse(readFileSync(new URL('prometheus/alerts.yml', DEPLOY), 'utf8')) as { groups: { rules: Alert[] }[] }
).groups.flatMap(({ rules }) => rules);
const dashboard = JSON.parse(readFileSync(new URL('grafana/omoide.json', DEPLOY), 'utf8')) as {
  panels: { title: string; targets: { expr: string }[] }[];
};
const queries = [
  ...alerts.map(({ expr }) => expr),
  ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
];

/** Series of Prometheus itself. */
const PROMETHEUS = new Set(['up']);

/** Names of series in an expression: words that are not followed by a bracket, outside braces, quotes and groupings. */
function seriesOf(expression: string): string[] {
  const bare = expression
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\bby \([^)]*\)/g, '');
  return [...bare.matchAll(/[a-z_][a-z0-9_]*\b(?!\s*\()/g)]
    .map(([name]) => name)
    .filter((name) => name !== 'and');
}

/** The server exports three series for a histogram; documents use its base name. */
async function servedSeries(): Promise<Set<string>> {
  const text = await openTestServer().client.metrics();
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(
    types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
}

test('dashboard and alerts use only series that the server exports', async () => {
  const served = await servedSeries();
  const asked = new Set(queries.flatMap(seriesOf));
  expect(asked.size).toBeGreaterThan(10);
  expect([...asked].filter((name) => !served.has(name) && !PROMETHEUS.has(name))).toEqual([]);
});

test('the runbook names only series that the server exports', async () => {
  const served = await servedSeries();
  const text = readFileSync(RUNBOOK, 'utf8');
  const named = new Set([...text.matchAll(/\b(?:omoide|retrieval|rerank)_[a-z_]+/g)].map(([name]) => name));
  expect(named.size).toBeGreaterThan(5);
  expect([...named].filter((name) => !served.has(name))).toEqual([]);
});

describe('the runbook', () => {
  const sections = new Set(
    [...readFileSync(RUNBOOK, 'utf8').matchAll(/^## (\w+)$/gm)].map(([, name = '']) => name.toLowerCase()),
  );
  test.each(alerts.map(({ alert, annotations }) => [alert, annotations.runbook]))(
    'explains what to do about %s',
    (alert, link) => {
      expect(link).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
      expect(sections).toContain(alert.toLowerCase());
    },
  );
});

test('deploy/README.md names every file of dashboards and alerts', () => {
  const readme = readFileSync(new URL('README.md', DEPLOY), 'utf8');
  for (const folder of ['grafana', 'prometheus'])
    for (const file of readdirSync(new URL(`${folder}/`, DEPLOY)))
      expect(readme).toContain(`${folder}/${file}`);
});
