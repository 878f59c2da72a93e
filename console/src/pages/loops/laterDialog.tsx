import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { useFormat, useWords, type Format } from '../../words/words.tsx';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface LaterDialogProps {
  readonly about: string;
  /** An instant, or a local time in the memory's time zone. */
  readonly onChoose: (until: number | string) => void;
  readonly onClose: () => void;
}

type Time = 'hour' | 'evening' | 'tomorrow' | 'week';

/** Suggested times, in the server's format. */
function timesFrom(now: number, f: Format): readonly (readonly [Time, number | string])[] {
  const evening = `${f.isoDay(now)}T19:00`;
  const times = [
    ['hour', now + HOUR_MS],
    ['evening', evening],
    ['tomorrow', `${f.isoDay(now + DAY_MS)}T09:00`],
    ['week', `${f.isoDay(now + 7 * DAY_MS)}T09:00`],
  ] as const;
  return times.filter(([, at]) => at !== evening || f.isoMinute(now) < evening);
}

/** Postpones an open loop. */
export function LaterDialog({ about, onChoose, onClose }: LaterDialogProps) {
  const w = useWords();
  const f = useFormat();
  const [now] = useState(() => Date.now());
  const [other, setOther] = useState('');
  const choose = (until: number | string) => {
    onChoose(until);
    onClose();
  };
  return (
    <Dialog isOpen onClose={onClose} title={w.loops.laterTitle} about={about}>
      <div className="flex flex-wrap gap-2">
        {timesFrom(now, f).map(([name, until]) => (
          <Button key={name} onClick={() => choose(until)}>
            {w.loops.times[name]}
          </Button>
        ))}
      </div>
      <form
        className="mt-5 flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          choose(other);
        }}
      >
        <Field label={w.loops.otherTime}>
          <Input
            type="datetime-local"
            required
            min={f.isoMinute(now)}
            value={other}
            onChange={(event) => setOther(event.target.value)}
          />
        </Field>
        <Button type="submit" look="primary" disabled={other === ''}>
          {w.common.save}
        </Button>
      </form>
    </Dialog>
  );
}
