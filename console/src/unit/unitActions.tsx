import { useNavigate } from '@tanstack/react-router';
import { Archive, EyeOff, Pencil, Pin, RotateCcw, ShieldCheck, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Unit } from '../api/queries.ts';
import { useMemoryId } from '../app/memory.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Textarea } from '../ui/field.tsx';
import { useWords } from '../words/words.tsx';
import { ForgetDialog } from '../forget/forgetDialog.tsx';
import { corrected, correctable, unitText } from './unitText.ts';
import { useUnitChange } from './useUnitChange.ts';

interface UnitActionsProps {
  readonly unit: Unit;
  /** Called when the unit is permanently deleted. */
  readonly onForgotten?: () => void;
}

const NAME_LENGTH = 40;

/** Pin, correct, exclude from recall, archive, delete. */
export function UnitActions({ unit, onForgotten }: UnitActionsProps) {
  const w = useWords();
  const memoryId = useMemoryId();
  const navigate = useNavigate();
  const { change } = useUnitChange();
  const [isCorrecting, setIsCorrecting] = useState(false);
  const [isForgetting, setIsForgetting] = useState(false);
  const isSecret = unit.sensitivity === 'secret';
  const isArchived = unit.state === 'archived';
  return (
    <div className="flex flex-wrap items-center">
      <IconButton
        label={unit.pinned ? w.unit.unpin : w.unit.pin}
        icon={Pin}
        isOn={unit.pinned}
        onClick={() =>
          change.mutate({
            unit,
            body: { pinned: !unit.pinned },
            told: unit.pinned ? w.unit.unpinned : w.unit.pinned,
          })
        }
      />
      {unit.kind !== 'episode' && (
        <IconButton label={w.unit.correct} icon={Pencil} onClick={() => setIsCorrecting(true)} />
      )}
      <IconButton
        label={isSecret ? w.unit.allow : w.unit.never}
        icon={EyeOff}
        isOn={isSecret}
        onClick={() =>
          change.mutate({
            unit,
            body: { sensitivity: isSecret ? 'normal' : 'secret' },
            told: isSecret ? w.unit.allowed : w.unit.neverDone,
          })
        }
      />
      <IconButton
        label={w.personal.see}
        icon={ShieldCheck}
        onClick={() =>
          void navigate({
            to: '/m/$memoryId/personal',
            params: { memoryId },
            search: { unit: String(unit.id) },
          })
        }
      />
      <IconButton
        label={isArchived ? w.unit.bringBack : w.unit.archive}
        icon={isArchived ? RotateCcw : Archive}
        onClick={() =>
          change.mutate({
            unit,
            body: { state: isArchived ? 'validated' : 'archived' },
            told: isArchived ? w.unit.broughtBack : w.unit.archived,
          })
        }
      />
      {(unit.kind !== 'note' || isArchived) && (
        <IconButton label={w.forgetting.forget} icon={Trash2} onClick={() => setIsForgetting(true)} />
      )}
      {isForgetting && (
        <ForgetDialog
          request={{ unit: unit.id }}
          name={shortened(unitText(unit))}
          onClose={() => setIsForgetting(false)}
          {...(onForgotten && { onForgotten })}
        />
      )}
      {isCorrecting && <CorrectDialog unit={unit} onClose={() => setIsCorrecting(false)} />}
    </div>
  );
}

function shortened(text: string): string {
  return text.length <= NAME_LENGTH ? text : `${text.slice(0, NAME_LENGTH).toWellFormed()}…`;
}

function CorrectDialog({ unit, onClose }: { readonly unit: Unit; readonly onClose: () => void }) {
  const w = useWords();
  const { change } = useUnitChange();
  const [words, setWords] = useState(correctable(unit));
  const save = () => {
    const content = corrected(unit, words.trim());
    if (content && words.trim() !== '')
      change.mutate({ unit, body: { content, reason: 'corrected by hand' }, told: w.unit.corrected });
    onClose();
  };
  return (
    <Dialog isOpen onClose={onClose} title={w.unit.correct} about={w.unit.correctAbout}>
      {unit.kind === 'fact' && (
        <p className="mb-2 text-soft">
          {unit.payload.subject} · {unit.payload.predicate}
        </p>
      )}
      <Textarea
        aria-label={w.unit.correct}
        rows={unit.kind === 'fact' ? 2 : 8}
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      <div className="mt-4 flex justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          {w.common.cancel}
        </Button>
        <Button look="primary" disabled={words.trim() === ''} onClick={save}>
          {w.common.save}
        </Button>
      </div>
    </Dialog>
  );
}
