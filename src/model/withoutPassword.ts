/** The text with every password of a URL (`scheme://user:password@host`) removed, also one that is not encoded. */
export function withoutPassword(text: string): string {
  return text.replaceAll(/(\b[a-z][a-z+.-]*:\/\/[^:@/?#\s]*):\S*@/gi, '$1@');
}
