/**
 * Measures facts learnt from labelled first conversations in three languages: `npm run bench:facts` by rules, `npm run
 * bench:facts -- --model ollama:qwen3` also by a model. Prints a table in Markdown.
 */
import { parseArgs } from 'node:util';
import { openLanguageModel, parseLanguageModelSetting } from '../src/engine/engine.ts';
import { measureFirstContact } from '../test/derive/facts/firstContact.ts';

const { values } = parseArgs({ options: { model: { type: 'string' } } });
let requests = 0;
const model =
  values.model === undefined
    ? null
    : openLanguageModel(parseLanguageModelSetting(values.model), { onCall: () => (requests += 1) });

console.log(
  '| by | language | facts | wrong | found of what rules look for | found of all that was told | requests |',
);
console.log('| --- | --- | ---: | ---: | ---: | ---: | ---: |');
for (const by of model ? [null, model] : [null]) {
  for (const language of ['en', 'ja', 'zh'] as const) {
    requests = 0;
    const report = await measureFirstContact(language, by);
    const { found, wrong, listed, missed, labels, missedOfAll } = report;
    const share = (of: number, missing: number) =>
      `${of - missing} of ${of} (${((of - missing) / of).toFixed(2)})`;
    const wrongs = new Set([...wrong, ...report.misread]).size;
    console.log(
      `| ${by?.id ?? 'rules'} | ${language} | ${found.length} | ${wrongs} | ${share(listed.length, missed.length)} | ${share(labels.length, missedOfAll.length)} | ${requests} |`,
    );
  }
}
