import { Parser } from 'htmlparser2';

const PARAGRAPHS = new Set('p h1 h2 h3 h4 h5 h6 pre blockquote ul ol table'.split(' '));
const BLOCKS = new Set([...PARAGRAPHS, 'div', 'br', 'li', 'tr']);
const HIDDEN = new Set(['script', 'style', 'head', 'title']);

/** The text of HTML: blocks on separate lines, a blank line between paragraphs, `- ` before items of lists. */
export function htmlToText(html: string): string {
  let text = '';
  let hidden = 0;
  const parser = new Parser({
    onopentagname(name) {
      if (HIDDEN.has(name)) hidden += 1;
      if (BLOCKS.has(name)) text += PARAGRAPHS.has(name) ? '\n\n' : '\n';
      if (name === 'li') text += '- ';
    },
    ontext(data) {
      if (hidden === 0) text += data.replaceAll(/\s+/g, ' ');
    },
    onclosetag(name) {
      if (HIDDEN.has(name)) hidden -= 1;
      if (PARAGRAPHS.has(name)) text += '\n';
    },
  });
  parser.end(html);
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
