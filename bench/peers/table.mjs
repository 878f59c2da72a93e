// The tables in Markdown.
export function formatMarkdown(rows, { sets, embedder }) {
  const quality = [
    `| memory | ${sets.map(({ name }) => `${name} R@5 / R@10`).join(' | ')} |`,
    `| --- |${sets.map(() => ' ---: |').join('')}`,
    ...names(rows).map((name) => {
      const cells = sets.map((set) => {
        const row = rows.find((row) => row.memory === name && row.set === set.name);
        return row.failed ? 'not run' : `${short(row.recall5)} / ${short(row.recall10)}`;
      });
      return `| ${name} | ${cells.join(' | ')} |`;
    }),
  ];
  const costs = [
    '| memory | p50 / p95 | turns in a second | memory | disk | packages | installed |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...names(rows)
      .map((name) => rows.find((row) => row.memory === name && !row.failed))
      .filter(Boolean)
      .map(
        ({ memory, p50, p95, ingest, rssMiB, diskMiB, size }) =>
          `| ${memory} | ${p50.toFixed(1)} / ${p95.toFixed(1)} ms | ${ingest.toFixed(0)} | ${rssMiB.toFixed(0)} MiB | ${diskMiB.toFixed(1)} MiB | ${size.packages} | ${size.mib.toFixed(0)} MiB |`,
      ),
  ];
  const failed = names(rows).flatMap((name) => {
    const row = rows.find((row) => row.memory === name && row.failed);
    return row ? [`- ${name} was not run: ${row.failed.trim()}`] : [];
  });
  const about = sets.map(
    ({ name, conversations }) =>
      `${name}: ${count(conversations, 'turns')} turns, ${count(conversations, 'queries')} questions`,
  );
  return `Vectors of \`${embedder}\`. ${about.join('; ')}.\n\n${quality.join('\n')}\n\nCosts on ${sets[0].name}:\n\n${costs.join('\n')}\n${failed.length > 0 ? `\n${failed.join('\n')}\n` : ''}`;
}

function names(rows) {
  return [...new Set(rows.map((row) => row.memory))];
}

function count(conversations, what) {
  return conversations.reduce((sum, conversation) => sum + conversation[what].length, 0);
}

function short(share) {
  return share.toFixed(3).replace(/^0/, '');
}
