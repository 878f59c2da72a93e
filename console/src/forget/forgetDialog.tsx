/** Permanent deletion: the preview, the progress, then the receipt. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { api, queryClient } from '../api/api.ts';
import { useMemoryId } from '../app/memory.ts';
import { Button } from '../ui/button.tsx';
import { Copyable } from '../ui/copyable.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Failed, Loaded } from '../ui/page.tsx';
import { saveFile } from '../ui/saveFile.ts';
import { useWords } from '../words/words.tsx';
import { hasAny, type Erased, type ForgetRequest } from './erased.ts';
import { WhatGoes } from './whatGoes.tsx';

interface ForgetDialogProps {
  readonly request: ForgetRequest;
  /** The user-visible name of what is deleted. */
  readonly name: string;
  /** Called when the dialog is closed after the deletion. */
  readonly onForgotten?: () => void;
  readonly onClose: () => void;
}

export function ForgetDialog({ request, name, onForgotten, onClose }: ForgetDialogProps) {
  const w = useWords();
  const memoryId = useMemoryId();
  const preview = useQuery({
    queryKey: ['forgetting', memoryId, request],
    queryFn: ({ signal }) => api.forget({ memoryId, body: { ...request, dryRun: true } }, { signal }),
    gcTime: 0,
  });
  const forget = useMutation({
    mutationFn: () => api.forget({ memoryId, body: request }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [memoryId] }),
  });
  const close = () => {
    onClose();
    if (forget.isSuccess) onForgotten?.();
  };
  return (
    <Dialog isOpen onClose={close} title={w.forgetting.title(name)} about={w.forgetting.about}>
      {forget.data ? (
        <Done erased={forget.data} onClose={close} />
      ) : (
        <Loaded query={preview} lines={5}>
          {(erased) => (
            <>
              <WhatGoes erased={erased} />
              {forget.error !== null && <Failed error={forget.error} />}
              <Sure
                isPossible={hasAny(erased)}
                isBusy={forget.isPending}
                onDo={() => forget.mutate()}
                onClose={close}
              />
            </>
          )}
        </Loaded>
      )}
    </Dialog>
  );
}

interface SureProps {
  readonly isPossible: boolean;
  readonly isBusy: boolean;
  readonly onDo: () => void;
  readonly onClose: () => void;
}

function Sure({ isPossible, isBusy, onDo, onClose }: SureProps) {
  const w = useWords();
  const [isSure, setIsSure] = useState(false);
  return (
    <>
      {isPossible && (
        <label className="mt-6 flex items-start gap-2">
          <input
            type="checkbox"
            checked={isSure}
            onChange={(event) => setIsSure(event.target.checked)}
            className="mt-1 size-4 shrink-0 accent-accent"
          />
          {w.forgetting.sure}
        </label>
      )}
      <div className="mt-5 flex justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          {w.common.cancel}
        </Button>
        {isPossible && (
          <Button look="danger" disabled={!isSure || isBusy} onClick={onDo}>
            {isBusy ? w.forgetting.busy : w.forgetting.forget}
          </Button>
        )}
      </div>
    </>
  );
}

function Done({ erased: { receipt }, onClose }: { readonly erased: Erased; readonly onClose: () => void }) {
  const w = useWords();
  const memoryId = useMemoryId();
  const file = `receipt-${new Date(receipt?.at ?? 0).toISOString().slice(0, 10)}.json`;
  return (
    <div aria-live="polite">
      <p className="font-medium text-good">{w.forgetting.done}</p>
      {receipt !== null && (
        <div className="mt-4 flex flex-col items-start gap-3">
          <p className="text-soft">{w.forgetting.receiptAbout}</p>
          <Button
            icon={Download}
            onClick={() =>
              saveFile([JSON.stringify(receipt, null, 2)], {
                name: file,
                type: 'application/json',
              })
            }
          >
            {w.forgetting.receipt}
          </Button>
          <Copyable text={`omoide verify --memory ${memoryId} --receipt ${file}`} />
        </div>
      )}
      <div className="mt-5 flex justify-end">
        <Button look="primary" onClick={onClose}>
          {w.common.close}
        </Button>
      </div>
    </div>
  );
}
