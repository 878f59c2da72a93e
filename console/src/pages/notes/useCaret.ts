/** Keeps the caret at the same place in the text when the text changes from outside. */
import { useLayoutEffect, useRef } from 'react';

export function useCaret(text: string | null) {
  const ref = useRef<HTMLTextAreaElement>(null);
  const caret = useRef(0);
  const shown = useRef(text);
  const isTyped = useRef(false);
  useLayoutEffect(() => {
    const [before, element] = [shown.current, ref.current];
    shown.current = text;
    const wasTyped = isTyped.current;
    isTyped.current = false;
    if (wasTyped || before === null || text === null || before === text || !element) return;
    if (document.activeElement !== element) return;
    const prefix = commonPrefix(before, text);
    const at =
      prefix >= caret.current ? caret.current : Math.max(prefix, caret.current + text.length - before.length);
    element.setSelectionRange(at, at);
  }, [text]);
  return {
    ref,
    noteCaret: () => {
      caret.current = ref.current?.selectionStart ?? 0;
    },
    noteTyping: () => {
      isTyped.current = true;
      caret.current = ref.current?.selectionStart ?? 0;
    },
  };
}

function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
