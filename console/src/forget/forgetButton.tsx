import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { useWords } from '../words/words.tsx';
import type { ForgetRequest } from './erased.ts';
import { ForgetDialog } from './forgetDialog.tsx';

interface ForgetButtonProps {
  readonly request: ForgetRequest;
  /** The user-visible name of what is deleted. */
  readonly name: string;
  readonly onForgotten?: () => void;
}

/** Shows what would be deleted before anything is deleted. */
export function ForgetButton({ request, name, onForgotten }: ForgetButtonProps) {
  const w = useWords();
  const [isAsked, setIsAsked] = useState(false);
  return (
    <>
      <Button look="danger" icon={Trash2} onClick={() => setIsAsked(true)}>
        {w.forgetting.forget}
      </Button>
      {isAsked && (
        <ForgetDialog
          request={request}
          name={name}
          onClose={() => setIsAsked(false)}
          {...(onForgotten && { onForgotten })}
        />
      )}
    </>
  );
}
