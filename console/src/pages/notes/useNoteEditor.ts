/** Edits a file while others may edit it too: saves after a pause and merges with their changes. */
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { api, ProblemError, queryClient } from '../../api/api.ts';
import { useMemoryId } from '../../app/memory.ts';
import { mergeTexts } from './merge.ts';

const SAVE_AFTER_MS = 700;
/** How often the file is checked for changes by other programs. */
const LOOK_EVERY_MS = 1_500;

interface Base {
  readonly text: string;
  /** Null: the file does not exist yet. */
  readonly hash: string | null;
}

export type NoteState = 'saved' | 'unsaved' | 'saving' | 'merged' | 'lost';

export function useNoteEditor(uri: string) {
  const memoryId = useMemoryId();
  const [text, setText] = useState<string | null>(null);
  const [state, setState] = useState<NoteState>('saved');
  const base = useRef<Base>({ text: '', hash: null });
  const own = useRef('');
  const isSaving = useRef(false);
  const query = useQuery({
    queryKey: [memoryId, 'noteFile', uri],
    queryFn: async ({ signal }): Promise<Base> => {
      try {
        return await api.readNote({ memoryId, query: { uri } }, { signal });
      } catch (error) {
        if (error instanceof ProblemError && error.status === 404) return { text: '', hash: null };
        throw error;
      }
    },
    refetchInterval: LOOK_EVERY_MS,
    staleTime: 0,
  });

  const take = useCallback((theirs: Base) => {
    const merged = mergeTexts(base.current.text, own.current, theirs.text);
    const isTold = own.current !== base.current.text && theirs.text !== base.current.text;
    base.current = { text: theirs.text, hash: theirs.hash };
    own.current = merged;
    setText(merged);
    if (isTold) setState('merged');
  }, []);

  useEffect(() => {
    if (!query.data || isSaving.current) return;
    if (text === null || query.data.hash !== base.current.hash) take(query.data);
  }, [query.data, text, take]);

  const save = useCallback(async () => {
    if (isSaving.current || own.current === base.current.text) return;
    isSaving.current = true;
    const sent = own.current;
    setState('saving');
    try {
      const written = await api.writeNote({
        memoryId,
        body: { uri, text: sent, expectedHash: base.current.hash },
      });
      base.current = { text: written.text, hash: written.hash };
      queryClient.setQueryData([memoryId, 'noteFile', uri], written);
      void queryClient.invalidateQueries({ queryKey: [memoryId, 'notes'] });
      setState(own.current === sent ? 'saved' : 'unsaved');
    } catch (error) {
      // Another program has written the file: merge its text; the next pause saves the result.
      if (error instanceof ProblemError && error.code === 'NOTE_CONFLICT')
        take(await api.readNote({ memoryId, query: { uri } }).catch(() => base.current));
      else setState('lost');
    } finally {
      isSaving.current = false;
    }
  }, [memoryId, uri, take]);

  useEffect(() => {
    if (text === null || text === base.current.text) return;
    const timer = setTimeout(() => void save(), SAVE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text, save]);
  // Saves the last input when the user leaves the page.
  useEffect(() => () => void save(), [save]);

  const change = (next: string) => {
    own.current = next;
    setText(next);
    setState(next === base.current.text ? 'saved' : 'unsaved');
  };
  return { query, text, state, change, save };
}
