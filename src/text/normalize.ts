// oxlint-disable-next-line no-control-regex -- the ASCII range is what is meant
const PLAIN_ASCII = /^[\u0000-\u007f]*$/;

/**
 * Text in the form in which two texts are compared: Unicode NFKC, lower case, every run of white space one space, none at the ends.
 * Lone surrogates become U+FFFD, so the answer can always be encoded as UTF-8. `normalize(normalize(x)) === normalize(x)`.
 */
export function normalize(text: string): string {
  return collapse(PLAIN_ASCII.test(text) ? text.toLowerCase() : fold(text));
}

/** NFKC a second time, because lower case can make new compositions possible: J̌ has no composed form, ǰ has one. */
function fold(text: string): string {
  return text.toWellFormed().normalize('NFKC').toLowerCase().normalize('NFKC');
}

function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
