const QUOTE = 34;
const BACKSLASH = 92;
const OPENING_BRACKET = 91;
const CLOSING_BRACKET = 93;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

/** Maximum nesting of arrays and objects in JSON from outside. Tool schemas in a chat request reach about twenty. */
export const MAX_JSON_DEPTH = 100;

/**
 * Whether arrays and objects are nested more deeply than {@link MAX_JSON_DEPTH}. Reads the characters without parsing:
 * `JSON.parse` of a megabyte of brackets blocks the process for half a second, and using the result may overflow the
 * stack.
 */
export function isNestedTooDeeply(json: string): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(json, at);
    else if (code === OPENING_BRACKET || code === OPENING_BRACE) depth += 1;
    else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) depth -= 1;
    if (depth > MAX_JSON_DEPTH) return true;
  }
  return false;
}

/** Like `JSON.parse`. @throws SyntaxError also when it is nested too deeply */
export function parseJson(json: string): unknown {
  if (isNestedTooDeeply(json)) throw new SyntaxError('Values are nested too deeply.');
  return JSON.parse(json);
}

function closingQuote(json: string, opening: number): number {
  let at = opening + 1;
  while (at < json.length) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) return at;
    at += code === BACKSLASH ? 2 : 1;
  }
  return at;
}
