/** Settings of reminders. */
import { useQuery } from '@tanstack/react-query';
import { Bell, BellOff } from 'lucide-react';
import { useState } from 'react';
import { settingsQuery, useSettingsChange, type Settings } from '../../api/settingsQuery.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { useWords } from '../../words/words.tsx';

type Settled = Settings['reminders'];

const MAX_LEAD_MINUTES = 1_440;

/** The current reminder settings in one line, with a dialog to change them. Hidden from users who may not read settings. */
export function Reminders() {
  const w = useWords();
  const { data } = useQuery(settingsQuery);
  const [isOpen, setIsOpen] = useState(false);
  if (!data) return null;
  const { enabled, quietFrom, quietTo } = data.reminders;
  return (
    <p className="mb-6 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-soft">
      {enabled
        ? quietFrom === quietTo
          ? w.loops.remindersNoQuiet
          : w.loops.remindersOn(quietFrom, quietTo)
        : w.loops.remindersOff}
      <Button look="quiet" icon={enabled ? Bell : BellOff} onClick={() => setIsOpen(true)}>
        {w.loops.reminders}
      </Button>
      {isOpen && <RemindersDialog settled={data.reminders} onClose={() => setIsOpen(false)} />}
    </p>
  );
}

interface RemindersDialogProps {
  readonly settled: Settled;
  readonly onClose: () => void;
}

function RemindersDialog({ settled, onClose }: RemindersDialogProps) {
  const w = useWords();
  const [reminders, setReminders] = useState(settled);
  const change = useSettingsChange(w.loops.remindersSaved, onClose);
  const set = (next: Partial<Settled>) => setReminders({ ...reminders, ...next });
  return (
    <Confirm
      title={w.loops.reminders}
      about={w.loops.remindersAbout}
      doLabel={w.common.save}
      isReady={!change.isPending && reminders.quietFrom !== '' && reminders.quietTo !== ''}
      onDo={() => change.mutate({ reminders })}
      onClose={onClose}
    >
      <div className="flex flex-col gap-4">
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            checked={reminders.enabled}
            onChange={(event) => set({ enabled: event.target.checked })}
            className="size-4 accent-accent"
          />
          {w.loops.remind}
        </label>
        <Field label={w.loops.lead}>
          <Input
            type="number"
            min={0}
            max={MAX_LEAD_MINUTES}
            disabled={!reminders.enabled}
            value={reminders.leadMinutes}
            onChange={(event) => {
              const minutes = Math.trunc(event.target.valueAsNumber || 0);
              set({ leadMinutes: Math.min(MAX_LEAD_MINUTES, Math.max(0, minutes)) });
            }}
          />
        </Field>
        <fieldset disabled={!reminders.enabled}>
          <legend className="mb-1 text-sm font-medium text-soft">{w.loops.quiet}</legend>
          <div className="grid grid-cols-2 gap-3">
            {(['quietFrom', 'quietTo'] as const).map((end) => (
              <Field key={end} label={w.loops[end]}>
                <Input
                  type="time"
                  required
                  value={reminders[end]}
                  onChange={(event) => set({ [end]: event.target.value })}
                />
              </Field>
            ))}
          </div>
          <p className="mt-1 text-xs text-faint">{w.loops.quietAbout}</p>
        </fieldset>
      </div>
    </Confirm>
  );
}
