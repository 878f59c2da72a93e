// The site generated from docs/: npm install --prefix site --ignore-scripts && npm run build --prefix site
import { defineConfig } from 'vitepress';

const page = (text, name) => ({ text, link: `/${name}` });

export default defineConfig({
  title: 'Omoide 思い出',
  description: 'Long-term memory for AI companions and agents',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: 'node_modules/.cache',
  cleanUrls: false,
  markdown: {
    // Pages are plain Markdown: text that looks like HTML is shown as text.
    config: (md) => void md.set({ html: false }),
  },
  themeConfig: {
    nav: [page('Tutorial', 'tutorial'), page('日本語', 'ja'), page('中文', 'zh')],
    search: {
      provider: 'local',
      options: { miniSearch: { options: { tokenize } } },
    },
    sidebar: [
      {
        text: 'Start',
        items: [
          page('What it is', ''),
          page('Tutorial', 'tutorial'),
          page('Guides', 'guides'),
          page('Importing', 'importing'),
          page('Troubleshooting', 'troubleshooting'),
          page('Privacy', 'privacy'),
          page('Glossary', 'glossary'),
        ],
      },
      {
        text: 'Using it',
        items: [
          page('The library', 'api'),
          page('The command line', 'cli'),
          page('Agents over MCP', 'mcp'),
          page('Agents in TypeScript', 'agents'),
          page('Notes', 'notes'),
          page('Serving', 'serving'),
          page('HTTP', 'http'),
          page('Configuration', 'configuration'),
        ],
      },
      {
        text: 'How it works',
        items: [
          page('What is learnt', 'derivations'),
          page('Topics', 'topics'),
          page('Feelings', 'emotion'),
          page('Times', 'temporal'),
          page('Embedders', 'embedders'),
          page('Language models', 'models'),
          page('Trust', 'trust'),
          page('Architecture', 'architecture'),
        ],
      },
      {
        text: 'Figures',
        items: [page('Quality', 'quality'), page('Speed', 'speed'), page('Measuring your own', 'evaluating')],
      },
    ],
  },
});

/**
 * Splits text into words for the search: runs of letters and digits; for Chinese and Japanese, which have no spaces,
 * each character and each pair of adjacent ones. VitePress writes this function into the page, so it must not use
 * anything outside it.
 */
function tokenize(text) {
  const words = [];
  const runs = text.normalize('NFKC').toLowerCase();
  for (const [run] of runs.matchAll(
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|[\p{L}\p{N}_]+/gu,
  )) {
    if (!/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u.test(run)) {
      words.push(run);
      continue;
    }
    const characters = [...run];
    words.push(...characters);
    for (let i = 1; i < characters.length; i++) words.push(characters[i - 1] + characters[i]);
  }
  return words;
}
