import { Toast } from '@base-ui/react/toast';
import { Tooltip } from '@base-ui/react/tooltip';
import { X } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import { explainError } from '../words/errors.ts';
import { useWords } from '../words/words.tsx';
import { buttonClass, IconButton } from './button.tsx';

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  return (
    <Tooltip.Provider delay={400}>
      <Toast.Provider>
        {children}
        <Toast.Portal>
          <Toast.Viewport className="fixed right-4 bottom-4 z-50 flex w-[min(24rem,calc(100vw-2rem))] flex-col gap-2">
            <ToastList />
          </Toast.Viewport>
        </Toast.Portal>
      </Toast.Provider>
    </Tooltip.Provider>
  );
}

function ToastList() {
  const w = useWords();
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className="flex items-start gap-2 rounded-xl border border-line bg-card px-4 py-3 shadow-float data-[type=failed]:border-bad"
    >
      <Toast.Content className="min-w-0 flex-1">
        <Toast.Title className="text-sm font-medium" />
        <Toast.Description className="text-sm text-soft" />
      </Toast.Content>
      {toast.actionProps && <Toast.Action className={buttonClass('quiet')} />}
      <Toast.Close render={<IconButton label={w.common.close} icon={X} />} />
    </Toast.Root>
  ));
}

interface Undo {
  readonly label: string;
  readonly run: () => void;
}

/** Shows a message about a success or a failure. */
export function useTell() {
  const { add } = Toast.useToastManager();
  const w = useWords();
  return useMemo(
    () => ({
      done: (title: string, undo?: Undo) =>
        void add({
          title,
          ...(undo && { actionProps: { children: undo.label, onClick: undo.run } }),
        }),
      failed: (error: unknown) =>
        void add({
          type: 'failed',
          title: w.common.notDone,
          description: explainError(error, w),
          priority: 'high',
        }),
    }),
    [add, w],
  );
}
